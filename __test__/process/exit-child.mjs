// A process that ends in the middle of work, one way or another.
//   node exit-child.mjs <request as JSON> <way>

import { isMainThread, Worker, workerData } from "node:worker_threads";
import { MemoryIndexManager } from "../../index.js";

const [request, way] = isMainThread ? [JSON.parse(process.argv[2]), process.argv[3]] : [workerData, "worker"];

const manager = await MemoryIndexManager.get(request);
const working = manager?.sync({ force: true });
// Whatever becomes of it is not what is looked at here.
working?.catch(() => undefined);
void manager?.search("note").catch(() => undefined);

/** Starts worker threads that use memory, one after the other, and ends them in the middle of it. */
async function endWorkers() {
  for (let n = 0; n < 20; n++) {
    const worker = new Worker(new URL(import.meta.url), { workerData: request });
    await new Promise((resolve) => worker.once("message", resolve).once("error", resolve).once("exit", resolve));
    await worker.terminate();
  }
}

/** @type {Record<string, () => unknown>} */
const WAYS = {
  "the end of the program": () => undefined,
  "process.exit": () => process.exit(0),
  "an exception": () => {
    throw new Error("on purpose");
  },
  "a signal": () => process.kill(process.pid, "SIGTERM"),
  "closing and process.exit": async () => {
    await manager?.close();
    process.exit(0);
  },
  closing: async () => await manager?.close(),
  "worker threads": async () => {
    await endWorkers();
    await manager?.close();
  },
  worker: async () => {
    const { parentPort } = await import("node:worker_threads");
    parentPort?.postMessage("working");
    await working;
  },
};
setTimeout(WAYS[way], way === "worker" ? 0 : 20);
