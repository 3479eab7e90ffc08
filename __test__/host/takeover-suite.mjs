// Changing from memory-core to us on a real host: nothing that memory-core paid for is sent again.

import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { ID } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

/** @param {number} day @param {number} lines */
const note = (day, lines) =>
  Array.from({ length: lines }, (_, line) => `- Entry ${line} of day ${day}: topic ${line * 7 + day} and what was said about it.`).join(
    "\n",
  );

/** Short notes, which every version cuts alike, and long ones, whose overlaps grew differently with 2026.8. */
const FILES = Object.fromEntries([1, 2, 3, 4, 5, 6].map((day) => [`memory/2026-11-0${day}.md`, note(day, day % 2 ? 90 : 9)]));

/** @param {string[]} texts @param {string[]} others */
const without = (texts, others) => texts.filter((text) => !others.includes(text)).sort();

/** @param {TestHost} host */
function takeTexts(host) {
  const texts = host.provider.records.filter((record) => record.path.endsWith("/embeddings")).flatMap((record) => record.body.input);
  host.provider.records.length = 0;
  return texts;
}

const FACTS = ["Mara likes her tea without sugar.", "O elétrico passa às oito e dez."];

/** Hosts up to 2026.4 bring the library of memory-lancedb along. @param {TestHost} host */
const hasLancedb = (host) => !host.atLeast("2026.4.24");

/** A conversation that memory-core has forgotten before us; hosts from 2026.8 can. */
const FORGOTTEN = "5f0d6a52-0000-4000-8000-00000000beef";
/** @param {TestHost} host */
const forgets = (host) => host.atLeast("2026.8.1");

/** A table as memory-lancedb has written it, by its own library. @param {TestHost} host */
async function makeFacts(host) {
  if (!hasLancedb(host)) return;
  const lancedb = createRequire(host.entry)("@lancedb/lancedb");
  const database = await lancedb.connect(path.join(host.stateDir, "memory", "lancedb"));
  const rows = FACTS.map((text, at) => ({
    id: randomUUID(),
    text,
    vector: [at, 1],
    importance: 0.7,
    category: "fact",
    createdAt: 1.7e12 + at,
  }));
  await database.createTable("memories", rows);
}

/** @param {string} version */
export function takeoverSuite(version) {
  describe.sequential(`from memory-core on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    /** @type {string[]} */
    let paid;
    /** @type {string[]} */
    let sent;
    /** @type {string[]} */
    let all;
    /** Questions that setup asked. */
    let asked = 0;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: [{ match: ".", reply: "HELLO" }] });
    });

    test("memory-core indexes and pays", async () => {
      await host.ok("memory", "index", "--force");
      paid = takeTexts(host);
      expect(paid.length).toBeGreaterThan(6);
    });

    test("memory-core forgets a conversation", async ({ skip }) => {
      if (!forgets(host)) skip();
      const report = await host.json("memory", "forget", "--session", FORGOTTEN);
      expect(report.sessionIds).toEqual([FORGOTTEN]);
    });

    test("a dry run tells what would be taken, and the cost of going without", async () => {
      await host.installPlugin(inject("tarball").file);
      const { agents } = await host.json(ID, "setup", "--dry-run");
      expect(agents[0].imports).toEqual([expect.objectContaining({ accepted: true, model: "fake-embed", taken: paid.length, known: 0 })]);
      if (forgets(host)) expect(agents[0].forgotten).toMatchObject({ taken: 1, known: 0, refused: 0 });
      expect(takeTexts(host)).toEqual([]);
    });

    test("setup takes everything, sends only what memory-core did not, and answers from the notes", async () => {
      const { agents, missing } = await host.json(ID, "setup", "--yes");
      const [agent] = agents;
      asked = agent.questions.length;
      sent = takeTexts(host).filter((text) => !agent.questions.some((/** @type {{question: string}} */ { question }) => question === text));
      expect(missing).toEqual([]);
      expect(agent.imports[0]).toMatchObject({ taken: paid.length, known: 0 });
      expect(without(sent, paid)).toEqual([...sent].sort());
      expect(agent.report).toMatchObject({ embedded: sent.length, pending: 0 });
      if (!host.atLeast("2026.8.1")) expect(sent).toEqual([]);
      if (forgets(host)) {
        expect(agent.forgotten).toMatchObject({ taken: 1 });
        expect((await host.json("memory", "forget", "--list")).forgotten).toMatchObject([{ id: "memorycore", name: FORGOTTEN }]);
      }
      const [{ sources }] = await host.json("memory", "import");
      expect(sources[0]).toMatchObject({ taken: 0, known: paid.length });
    });

    test("without the takeover the index sends the texts that memory-core sent", async () => {
      await host.ok("config", "set", `${host.searchKey}.model`, "other-embed");
      const { stdout } = await host.ok("memory", "index", "--dry-run");
      expect(takeTexts(host)).toEqual([]);
      await host.ok("memory", "index");
      all = takeTexts(host);
      expect(stdout).toMatch(new RegExp(`To send to .*other-embed.*: ${all.length} texts, about \\d+ tokens`));
      // Where the chunks are the same, the texts are: each short note, and where no overlap is before it.
      expect(without(all, paid)).toEqual([...sent].sort());
      expect(all.length - sent.length).toBeGreaterThanOrEqual(Object.keys(FILES).length);
      if (!host.atLeast("2026.8.1")) expect([...all].sort()).toEqual([...paid].sort());
    });

    test("status tells latency, dimensions, limits, hits and what today cost", async () => {
      const [agent] = await host.json("memory", "status", "--deep");
      expect(agent.embeddingProbe).toMatchObject({ ok: true, latencyMs: expect.any(Number), dims: 256 });
      expect(agent.scan.limits).toMatchObject({ items: expect.any(Number) });
      const other = agent.scan.usage.models.find((/** @type {any} */ row) => row.model === "other-embed");
      expect(other).toMatchObject({ embedded: all.length, texts: all.length + 1 });
      const kept = agent.scan.usage.models.find((/** @type {any} */ row) => row.model === "fake-embed");
      expect(kept).toMatchObject({ needed: all.length, embedded: sent.length, texts: sent.length + asked });
      const { stdout } = await host.ok("memory", "status", "--deep");
      expect(stdout).toMatch(/Embedded today .*cache hit rate \d+ %/);
    });

    test("the facts of memory-lancedb are taken over, once", async ({ skip }) => {
      if (!hasLancedb(host)) skip();
      await makeFacts(host);
      const [agent] = (await host.json(ID, "setup", "--yes")).agents;
      expect(agent.facts).toMatchObject({ taken: FACTS.length, known: 0, refused: 0 });
      expect((await host.json("ltm", "list")).map((/** @type {{text: string}} */ fact) => fact.text).toSorted()).toEqual(FACTS.toSorted());
      const [again] = (await host.json(ID, "setup", "--yes")).agents;
      expect(again.facts).toMatchObject({ taken: 0, known: FACTS.length });
    });
  });
}
