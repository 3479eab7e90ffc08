// A process that is killed while it forgets: the next one finds all of it done, or nothing.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { native } from "../../lib/native.js";
import { opened, placesOf, runKilled } from "../support/killed.mjs";

const CHILD = fileURLToPath(new URL("./forget-child.mjs", import.meta.url));
const KEY = "agent:main:telegram:direct:4711";
const WORD = "Quokka";
/** Notes of the conversation, and of another one. */
const NOTES = 30;
/** Processes that are killed. */
const ROUNDS = 8;

/** Every file below a folder with its content. @param {string} folder */
async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.sort().map(async (file) => [path.relative(folder, file), await readFile(file, "latin1")])),
  );
}

/**
 * Notes without lines of nothing but spaces: one stays where a line was taken out of a file that somebody else had open at
 * that moment (crates/engine/src/workspace/take_out.rs).
 * @param {Record<string, string>} files
 */
const withoutBlanks = (files) => Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.replace(/^ +\n/gm, "")]));

/** An index with much of one conversation, and a plan to forget it. @param {string} dir */
async function planned(dir) {
  const { workspace, stateDir } = placesOf(dir);
  const agent = { config: { autoCapture: true, autoCaptureMaxFacts: 3 }, agentId: "main", isDefaultAgent: true, stateDir };
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  for (let n = 0; n < NOTES; n++) {
    const head = (/** @type {string} */ key) => `# Session: now\n\n- **Session Key**: ${key}\n- **Session ID**: s-${n}\n\n`;
    await writeFile(path.join(workspace, "memory", `talk-${n}.md`), `${head(KEY)}user: ${WORD} number ${n} came up\n`);
    await writeFile(path.join(workspace, "memory", `other-${n}.md`), `${head("agent:main:main")}user: the walrus number ${n} came up\n`);
    native().recordTurn(agent, `${WORD} ${n}?`, "yes");
  }
  native().queueCapture(agent, { id: "run-1", sessionKey: KEY, messages: [{ role: "user", text: `My boat is called ${WORD}` }] });
  const manager = await opened(dir);
  await manager.capture(agent);
  await manager.sync();
  const { id } = await manager.planForget({ sessions: [KEY], agent });
  await manager.close();
  return id;
}

test("a process killed while it forgets leaves all of it or nothing, and what undoes it", { timeout: 240_000 }, async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), "memory-forget-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const first = path.join(root, "first");
  const id = await planned(first);
  const before = await filesOf(placesOf(first).workspace);
  let [took, done, killed] = [0, 0, 0];
  for (let round = 0; round <= ROUNDS; round++) {
    const dir = path.join(root, `round-${round}`);
    // The plan names places of the first home, so each round has it to itself.
    await cp(first, dir, { recursive: true });
    await rm(first, { recursive: true });
    await cp(dir, first, { recursive: true });
    const { workspace, stateDir } = placesOf(first);
    // The first at once, the others later and later, whatever the machine has to do beside it.
    const afterMs = round === 0 ? undefined : (took * (round - 1)) / ROUNDS;
    const ended = await runKilled(CHILD, [stateDir, workspace, id], afterMs);
    if (round === 0) took = ended.tookMs;
    if (ended.killed) killed += 1;
    const manager = await opened(first);
    // Any act of forgetting finishes what was begun.
    await manager.planForget({ paths: ["memory/other-0.md"] });
    const forgotten = (await manager.forgotten()).some((entry) => entry.id === id);
    const left = [...Object.entries(await filesOf(workspace)), ...Object.entries(await filesOf(stateDir))].filter(
      ([file, text]) => text.toLowerCase().includes(WORD.toLowerCase()) && !file.endsWith(`${id}.json`),
    );
    if (forgotten) {
      expect(left.map(([file]) => file)).toEqual([]);
      expect(await manager.undoForget(id)).toMatchObject({ complete: true, notes: NOTES, lines: 1 });
      done++;
    }
    expect(withoutBlanks(await filesOf(workspace))).toEqual(before);
    await manager.close();
    await rm(first, { recursive: true });
    await cp(dir, first, { recursive: true });
    await rm(dir, { recursive: true });
  }
  // Round 0 is left alone; how many of the rest end before they are killed depends on the machine.
  expect(killed).toBeGreaterThan(1);
  expect(done).toBeGreaterThan(0);
});
