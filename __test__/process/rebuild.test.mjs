// A model that was swapped behind its name, and rebuilds of its vectors that are killed or run twice at once: what is
// stored is never paid for again, and searches have the old vectors or the new ones, never some of each.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { vectorCounts } from "../support/content.mjs";
import { startProvider } from "../support/provider.mjs";

const CHILD = fileURLToPath(new URL("./rebuild-child.mjs", import.meta.url));
const NOTES = 1500;
/** Texts that are embedded to see whether the model is the one that made the vectors. */
const SAMPLES = 3;
/** What is found by no word of the question. */
const ANCHOR = { file: "anchor.md", text: "The quokka keeps the anchor word zanzibar.\n" };

/** @param {number[]} vector */
const ofAnother = (vector) => vector.toReversed().map((number, at) => number * (at % 2 ? -1 : 1));

async function swapped() {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-rebuild-"));
  const provider = await startProvider({ latencyMs: 5 });
  const workspace = path.join(dir, "workspace");
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  await writeFile(path.join(workspace, "memory", ANCHOR.file), ANCHOR.text);
  for (let n = 0; n < NOTES; n++) {
    await writeFile(path.join(workspace, "memory", `note-${n}.md`), `Note ${n}: ${"what was said about it ".repeat(5)}\n`);
  }
  const search = { provider: "openai-compatible", model: "m", remote: { baseUrl: provider.baseUrl } };
  const cfg = { agents: { defaults: { workspace } }, memory: { search } };
  // Without the embedded model: it would embed single lines as well, which is another pass.
  const request = { cfg, agentId: "main", stateDir: path.join(dir, "state"), modelPaths: [], env: {} };
  /** @type {import("node:child_process").ChildProcess[]} */
  const children = [];
  onTestFinished(async () => {
    for (const child of children) child.kill("SIGKILL");
    provider.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** @template T @param {(manager: MemoryIndexManager) => Promise<T>} work */
  const use = async (work) => {
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "cli" }));
    try {
      return await work(manager);
    } finally {
      await manager.close();
    }
  };
  const rebuild = () => {
    const child = spawn(process.execPath, [CHILD, JSON.stringify(request)], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    const ended = once(child, "close").then(([code, signal]) => ({ code, signal, report: output.split("\n")[1] }));
    return { child, ended, hasBegun: () => output.startsWith("begun") };
  };
  const database = path.join(dir, "state/memory-core-rs/main/index.sqlite");
  const copy = path.join(dir, "copy.sqlite");
  /** Vectors by space, of a copy that the engine makes. */
  const stored = async () => {
    await rm(copy, { force: true });
    await use((manager) => manager.backup(copy));
    return await vectorCounts(copy);
  };
  /** How often texts were sent since it was asked last. */
  const sent = () => {
    const all = [...provider.counts.values()].reduce((sum, count) => sum + count, 0);
    provider.counts.clear();
    return all;
  };

  expect(await use((manager) => manager.sync())).toMatchObject({ pending: 0, embedded: NOTES + 1 });
  sent();
  provider.answer = ofAnother;
  return { provider, use, rebuild, stored, sent, database };
}

test("a rebuild that is killed keeps the old vectors whole, and goes on with what it stored", { timeout: 180_000 }, async () => {
  const { provider, use, rebuild, stored, sent } = await swapped();
  const first = rebuild();
  while (provider.counts.size < NOTES / 2) await pause(1);
  first.child.kill("SIGKILL");
  expect((await first.ended).signal).toBe("SIGKILL");
  sent();

  const after = await stored();
  expect(after.map(({ vectors }) => vectors)).toEqual([NOTES + 1, expect.any(Number)]);
  expect(after.map(({ active }) => active)).toEqual([true, false]);
  const [, { vectors: begun }] = after;
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThan(NOTES);
  const { hits, checks, plan } = await use(async (manager) => ({
    hits: await manager.search("zanzibar"),
    checks: await manager.doctor({ repair: false }),
    plan: await manager.plan({ rebuild: true }),
  }));
  expect(hits[0].path).toBe(`memory/${ANCHOR.file}`);
  // Only what the rebuild has not made yet is missing.
  expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["embeddings"]);
  expect(plan.plan.texts).toBe(NOTES + 1 - begun);
  sent();

  const second = await rebuild().ended;
  expect(JSON.parse(String(second.report))).toMatchObject({ pending: 0, embedded: NOTES + 1 - begun });
  expect(sent()).toBeLessThanOrEqual(NOTES + 1 - begun + SAMPLES);
  expect(await stored()).toMatchObject([
    { vectors: NOTES + 1, active: false },
    { vectors: NOTES + 1, active: true },
  ]);
  const found = await use((manager) => manager.searchDetailed("the quokka keeps the word"));
  expect(found).toMatchObject({ mode: "hybrid" });
});

test("two processes that rebuild at once embed every text once", { timeout: 180_000 }, async () => {
  const { provider, rebuild, stored, sent } = await swapped();
  let isHeld = true;
  provider.hold = async () => {
    while (isHeld) await pause(10);
  };
  const both = [rebuild(), rebuild()];
  // One waits for its first vectors; the other compares, or waits for its turn.
  while (!both.some(({ hasBegun }) => hasBegun())) await pause(10);
  await pause(500);
  isHeld = false;
  const ends = await Promise.all(both.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  expect(ends.map(({ report }) => JSON.parse(String(report)).pending)).toEqual([0, 0]);
  expect(sent()).toBeLessThanOrEqual(NOTES + 1 + 2 * SAMPLES);
  expect((await stored()).map(({ vectors, active }) => [vectors, active])).toEqual([
    [NOTES + 1, false],
    [NOTES + 1, true],
  ]);
});
