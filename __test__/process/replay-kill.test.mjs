// A process that is killed while it tells consolidation of days before: the next one tells the rest, and nothing twice.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { opened, placesOf, runKilled } from "../support/killed.mjs";

const CHILD = fileURLToPath(new URL("./replay-child.mjs", import.meta.url));
const DAY_MS = 86_400_000;
/** Days with a note, and batches that tell all of them. */
const DAYS = 120;
const LINES = 20;
const BATCHES = 12;
/** Processes that are killed. */
const ROUNDS = 8;
const AGENT = { config: { timeZone: "UTC" }, agentId: "main", bootstrapChars: 20_000 };

/** Notes of many days. @param {string} dir */
async function written(dir) {
  const { workspace } = placesOf(dir);
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  for (let ago = 1; ago <= DAYS; ago++) {
    const day = new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
    const lines = Array.from({ length: LINES }, (_, n) => `- Mara owns house number ${ago * 100 + n} of the street.`);
    await writeFile(path.join(workspace, "memory", `${day}.md`), `# ${day}\n\n${lines.join("\n")}\n`);
  }
}

/** The evidence of an agent, and how many batches can be taken back, which is tried. @param {string} dir */
async function evidenceOf(dir) {
  const manager = await opened(dir);
  const rest = await manager.consolidate(AGENT, { op: "replay", notes: true, apply: true, limitDays: 1000 });
  const again = await manager.consolidate(AGENT, { op: "replay", notes: true });
  const evidence = await manager.consolidate(AGENT, { op: "evidence" });
  const removed = [];
  for (;;) {
    const back = await manager.consolidate(AGENT, { op: "rollBack" });
    if (!back.batch) break;
    removed.push(back.removed);
  }
  await manager.close();
  return { rest: rest.candidateCount, again: again.candidateCount, evidence, removed };
}

test("a process killed while it replays leaves whole batches, and nothing is told twice", { timeout: 240_000 }, async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), "memory-replay-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  let [took, killed] = [0, 0];
  /** What a process that nobody kills leaves. @type {any} */
  let whole;
  for (let round = 0; round <= ROUNDS; round++) {
    const dir = path.join(root, `round-${round}`);
    await written(dir);
    const { workspace, stateDir } = placesOf(dir);
    // The first at once, the others later and later, whatever the machine has to do beside it.
    const afterMs = round === 0 ? undefined : (took * (round - 1)) / ROUNDS;
    const ended = await runKilled(CHILD, [stateDir, workspace, String(BATCHES)], afterMs);
    if (round === 0) took = ended.tookMs;
    if (ended.killed) killed += 1;
    const left = await evidenceOf(dir);
    if (round === 0) whole = left;
    expect(left.again).toBe(0);
    const usesOf = (/** @type {any} */ { evidence }) =>
      JSON.stringify(evidence.map((/** @type {any} */ one) => [one.text, one.uses.length]).toSorted());
    expect(usesOf(left)).toBe(usesOf(whole));
    // Whole batches: what each takes back is what its days said.
    const perDay = whole.evidence.length / DAYS;
    for (const uses of left.removed) expect(uses % perDay).toBe(0);
    expect(left.removed.reduce((/** @type {number} */ sum, /** @type {number} */ uses) => sum + uses, 0)).toBe(whole.evidence.length);
    await rm(dir, { recursive: true });
  }
  expect(whole.rest).toBe(0);
  expect(whole.evidence).toHaveLength(DAYS * LINES);
  expect(whole.removed).toHaveLength(BATCHES);
  expect(killed).toBeGreaterThan(1);
});
