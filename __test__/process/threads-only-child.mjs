// A process in which only threads of its own use the engine: each dies in the middle of its sync, and the next one does
// its work all the same. With the last of them the engine's own runtime ends, and begins anew with the next.
//   node threads-only-child.mjs <request as JSON> <times in ms as JSON>

import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";

const [request, times] = process.argv.slice(2).map((text) => JSON.parse(text));
const PATIENCE_MS = 15_000;

/**
 * @param {Record<string, unknown>} workerData
 * @param {string} word
 */
async function until(workerData, word) {
  const worker = new Worker(new URL("./worker-thread.mjs", import.meta.url), { workerData });
  const said = new Promise((resolve, reject) => {
    worker.on("message", (text) => text === word && resolve(true));
    worker.once("error", reject);
  });
  const ok = await Promise.race([said, pause(PATIENCE_MS, false, { ref: false })]);
  return { worker, ok };
}

/** @type {boolean[]} */
const outcomes = [];
for (const afterMs of times) {
  // Nothing is embedded twice: each round has an index of its own.
  const fresh = { ...request, stateDir: `${request.stateDir}-${afterMs}` };
  const { worker } = await until({ request: fresh, embedMs: 40 }, "embedding");
  await pause(afterMs);
  await worker.terminate();
  const next = await until({ request: fresh, embedMs: 1 }, "synced");
  outcomes.push(next.ok);
  await next.worker.terminate();
}
console.log(JSON.stringify(outcomes));
process.exit(0);
