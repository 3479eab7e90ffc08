// Does the same again and again in one process, and tells what it holds meanwhile, one JSON line for each sample.
//   node --expose-gc cycle-child.mjs <request as JSON> <what> <times> <times between two samples>
// "managers": opens, uses and closes the manager. "workers": starts threads that do so; every second one is ended in the
// middle of it. The main thread does not load the addon then, so every thread may be the last one that has it.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { MemoryIndexManager } from "../../index.js";
import { held } from "../support/held.mjs";

/** @param {any} request @param {number} n */
async function use(request, n) {
  // A gateway watches files, a command does not.
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, ...(n % 2 ? { purpose: "cli" } : {}) }));
  if (n % 10 === 0) await manager.sync({ force: n % 50 === 0 });
  const hits = await manager.search("note");
  if (hits.length === 0) throw new Error("the search found nothing");
  manager.status();
  await manager.close();
}

/** @param {any} request @param {number} n */
async function useInWorker(request, n) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { request, n } });
  const ended = new Promise((resolve, reject) => worker.once("error", reject).once("exit", resolve));
  if (n % 2) await new Promise((resolve) => worker.once("message", resolve).once("exit", resolve));
  if (n % 2) await worker.terminate();
  await ended;
}

/** @param {number} done */
async function sample(done) {
  globalThis.gc?.();
  // What a closed engine leaves to other threads ends within moments.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const handles = process.getActiveResourcesInfo().length;
  process.stdout.write(`${JSON.stringify({ done, ...(await held()), handles })}\n`);
}

if (isMainThread) {
  const [request, what, times, every] = [JSON.parse(process.argv[2]), process.argv[3], Number(process.argv[4]), Number(process.argv[5])];
  const once = what === "workers" ? useInWorker : use;
  for (let n = 0; n < times; n++) {
    await once(request, n);
    if ((n + 1) % every === 0) await sample(n + 1);
  }
} else {
  const { request, n } = workerData;
  if (n % 2) {
    const manager = await MemoryIndexManager.get(request);
    const working = manager?.sync({ force: true });
    parentPort?.postMessage("working");
    await working;
  } else await use(request, n);
}
