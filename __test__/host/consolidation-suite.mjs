// Consolidation on a real host: planned, written, shown to the model, and taken back.

import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { MAIN, memoryHost } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const DAY_MS = 86_400_000;
const INVOICES = "Invoices go out on the 5th of the month.";
const ROOF = "Mara owns the roof repair of the house.";
const MEMORY = "# Memory\n\nThe user likes tea.  \n";
const JUNK = "- User: yes do that please now\n- npm install everything of the app\n- The build is currently broken on main.\n";

/** @param {number} ago */
const day = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

/** @param {string} version */
export function consolidationSuite(version) {
  describe.sequential(`Consolidation on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof memoryHost>>["host"]} */
    let host;
    /** @type {Awaited<ReturnType<typeof memoryHost>>["call"]} */
    let call;
    /** @type {Awaited<ReturnType<typeof memoryHost>>["say"]} */
    let say;
    steps();
    beforeAll(async () => {
      const notes = [1, 2, 3].map((ago) => [`memory/${day(ago)}.md`, `# Day\n\n- ${INVOICES}\n${JUNK}`]);
      const files = { "MEMORY.md": MEMORY, ...Object.fromEntries(notes) };
      ({ host, call, say } = await memoryHost(version, { files, rules: [{ match: ".", reply: "HELLO" }] }));
      await host.configure({ consolidation: { mode: "plan", timeZone: "UTC" } });
      await host.startGateway();
    });

    const memory = async () => await readFile(path.join(host.workspace, "MEMORY.md"), "utf8");
    /** Every Markdown file of the workspace with its hash. */
    const hashes = async () => {
      const names = (await readdir(host.workspace, { recursive: true })).filter((name) => name.endsWith(".md")).sort();
      const hash = async (/** @type {string} */ name) =>
        createHash("sha256")
          .update(await readFile(path.join(host.workspace, name)))
          .digest("hex");
      return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await hash(name)])));
    };
    /** @type {Record<string, string>} */
    let before;
    /** @type {string} */
    let runId;

    test("a plan changes no file, and names what it refuses", async () => {
      before = await hashes();
      const planned = await call("memoryCoreRs.consolidation.plan", {});
      expect(planned.add.map((/** @type {any} */ entry) => entry.text)).toEqual([INVOICES]);
      expect(Object.keys(planned.refusedCounts)).toEqual(expect.arrayContaining(["transcript", "code"]));
      expect(await hashes()).toEqual(before);
      runId = planned.runId;
    });

    test("what is carried out is in the next prompt", async () => {
      expect(await call("memoryCoreRs.consolidation.apply", { runId })).toMatchObject({ added: 1, moved: 0 });
      expect(await memory()).toContain(`- ${INVOICES} <!-- mcrs: `);
      expect((await memory()).startsWith(MEMORY)).toBe(true);
      host.takeChats();
      await host.chat(MAIN, "hello");
      expect(JSON.stringify(host.takeChats())).toContain(INVOICES);
    });

    test("the host's diary shows the report, and no session was made", async () => {
      const diary = await call("doctor.memory.dreamDiary", {});
      expect(diary.content).toContain(`mcrs:run ${runId}`);
      const { sessions } = await call("sessions.list", {});
      expect(sessions.map((/** @type {any} */ session) => session.key).filter((/** @type {string} */ key) => key.includes("cron"))).toEqual(
        [],
      );
    });

    test("undone by one command of another process, byte for byte", async () => {
      await host.ok("memory", "consolidate", "undo", "--all");
      const now = await hashes();
      expect(Object.fromEntries(Object.keys(before).map((name) => [name, now[name]]))).toEqual(before);
      expect(await memory()).toBe(MEMORY);
      const [listed] = await host.json("memory", "consolidate", "runs", "--json");
      expect(listed).toMatchObject({ runId, state: "undone", added: 1, inputTokens: 0, outputTokens: 0 });
    });

    test("what was taken back does not come again", async () => {
      await writeFile(path.join(host.workspace, "memory", `${day(0)}.md`), `# Day\n\n- ${INVOICES}\n`);
      const { candidates, audit } = await host.json("memory", "promote", "--json");
      expect([candidates, audit.refused.withdrawn]).toEqual([[], 1]);
    });

    test("what was said while it was off is told to it afterwards, once, and taken back", async () => {
      await host.configure({ consolidation: { mode: "off", timeZone: "UTC" } });
      await say(ROOF);
      const backfill = (/** @type {string} */ name) => call(`memory.sessionBackfill.${name}`, { agentId: "main" });
      const perDay = [{ day: expect.any(String), candidateCount: 1, sample: [ROOF] }];
      expect(await backfill("preview")).toEqual({ days: 1, candidates: 1, perDay, staged: 0, truncated: false });
      const cursor = { advanced: true, exhausted: false, hasMore: false };
      expect(await backfill("apply")).toEqual({ days: 1, candidates: 1, perDay, staged: 1, cursor });
      expect(await backfill("apply")).toMatchObject({ candidates: 0, staged: 0, cursor: { advanced: false, exhausted: true } });
      expect((await host.json("memory", "promote-explain", ROOF)).candidate).toMatchObject({ useCount: 1, days: 1 });
      const rolledBack = await host.json("memory", "session-backfill", "--rollback");
      expect(rolledBack).toMatchObject({ applied: false, rollback: { removedDiaryEntries: 0, removedStagedEntries: 1 } });
    });
  });
}
