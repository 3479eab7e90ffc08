// A thread of its own that indexes; the test that starts it ends it in the middle.
//   new Worker(…, { workerData: { request, embedMs, hosted } })

import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { MemoryIndexManager } from "../../index.js";

const { request, embedMs, hosted } = workerData;

/** @param {string[]} texts */
async function embed(texts) {
  parentPort?.postMessage("embedding");
  await pause(embedMs);
  return texts.map((text) => [1, text.length, text.charCodeAt(0)]);
}

/** A host that is asked for its conversations and never answers. */
async function sessions() {
  parentPort?.postMessage("asked");
  return await new Promise(() => {});
}

const manager = await MemoryIndexManager.get({
  ...request,
  purpose: "cli",
  ...(embedMs === undefined ? {} : { embed }),
  ...(hosted ? { sessions } : {}),
});
parentPort?.postMessage("open");
// Keeps the thread alive: the engine by itself does not.
setInterval(() => {}, 1000);
await manager?.sync({ force: true });
parentPort?.postMessage("synced");
