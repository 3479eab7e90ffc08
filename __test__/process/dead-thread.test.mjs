// A thread (worker_threads) that dies in the middle of its work takes nothing with it that others wait for.

import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

const CHILD = fileURLToPath(new URL("./threads-only-child.mjs", import.meta.url));
const WORKER = new URL("./worker-thread.mjs", import.meta.url);
/** Much less than the time limits of the provider and of the host's conversations, after which all goes on anyway. */
const PATIENCE_MS = 20_000;

/** @param {number} count */
const notes = (count) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`memory/${n}.md`, `# Note ${n}\n\nThe code of boiler ${n} is E${n}.\n`]));

/**
 * Starts a thread that indexes, and waits until it says a word. Gives what ends it.
 * @param {Record<string, unknown>} workerData
 * @param {string} word
 */
async function startThread(workerData, word) {
  const worker = new Worker(WORKER, { workerData });
  await new Promise((resolve, reject) => {
    worker.on("message", (said) => said === word && resolve(undefined));
    worker.once("error", reject);
  });
  return async (/** @type {number} */ afterMs) => {
    await pause(afterMs);
    await worker.terminate();
  };
}

/** @param {Promise<unknown>} work */
async function inTime(work) {
  const late = pause(PATIENCE_MS, "it hangs", { ref: false });
  return await Promise.race([work, late]);
}

// The sync of every other thread waited for vectors that the dead thread's function owed, and so did each one after it.
test("a thread that dies while it embeds leaves the other threads' syncs and its own function to nobody", {
  timeout: 120_000,
}, async () => {
  const { request, config } = await makeWorkspace(notes(150));
  const cfg = config({ provider: "bedrock", model: "titan" });
  let made = 0;
  const embed = async (/** @type {string[]} */ texts) => {
    made += texts.length;
    return texts.map((text) => [1, text.length, text.charCodeAt(0)]);
  };
  for (const afterMs of [0, 5, 25, 60]) {
    const end = await startThread({ request: { ...request, cfg }, embedMs: 40 }, "embedding");
    // This thread is at work on the same engine while the other one dies.
    const manager = await MemoryIndexManager.get({ ...request, cfg, purpose: "cli", embed });
    const during = inTime(/** @type {any} */ (manager).sync());
    await end(afterMs);
    expect(await during, `during, ${afterMs} ms`).toMatchObject({ files: 150 });
    expect(await inTime(/** @type {any} */ (manager).sync()), `after, ${afterMs} ms`).toMatchObject({ files: 150, pending: 0 });
    expect(await inTime(/** @type {any} */ (manager).search("boiler 17"))).not.toHaveLength(0);
    await manager?.reset();
    await manager?.close();
  }
  expect(made).toBeGreaterThan(0);
});

test("a thread that dies while it reads notes gives the others their turn", { timeout: 120_000 }, async () => {
  const { request } = await makeWorkspace(notes(400));
  for (const afterMs of [0, 10, 40]) {
    const manager = await MemoryIndexManager.get({ ...request, purpose: "cli" });
    await (await startThread({ request }, "open"))(afterMs);
    expect(await inTime(/** @type {any} */ (manager).sync({ force: true }))).toMatchObject({ files: 400 });
    await manager?.close();
  }
});

test("a thread that dies while it is asked for conversations is not waited for", { timeout: 120_000 }, async () => {
  const { request, config } = await makeWorkspace(notes(3));
  const cfg = config({ provider: "none", sources: ["memory", "sessions"], experimental: { sessionMemory: true } });
  const manager = await MemoryIndexManager.get({ ...request, cfg, purpose: "cli" });
  await (await startThread({ request: { ...request, cfg }, hosted: true }, "asked"))(0);
  expect(await inTime(/** @type {any} */ (manager).sync())).toMatchObject({ files: 3 });
  expect(await inTime(/** @type {any} */ (manager).search("boiler"))).not.toHaveLength(0);
});

test("threads that die one after another leave a working engine to the next one", { timeout: 120_000 }, async () => {
  const { request, config } = await makeWorkspace(notes(150));
  const asked = JSON.stringify({ ...request, cfg: config({ provider: "bedrock", model: "titan" }) });
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, asked, "[0,20,45]"]);
  expect(JSON.parse(stdout)).toEqual([true, true, true]);
});
