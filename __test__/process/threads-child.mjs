// Prints how many threads of ours there were at most while notes are embedded, watched and searched (Linux).
//   node threads-child.mjs <request as JSON>

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryIndexManager } from "../../index.js";

/** Node's own, which come and go. */
const OF_NODE = /^(node|MainThread|V8Worker|DelayedTask|SignalInspector|libuv)/;

async function ourThreads() {
  const ids = await readdir("/proc/self/task");
  const names = await Promise.all(ids.map((id) => readFile(`/proc/self/task/${id}/comm`, "utf8").catch(() => "node")));
  return names
    .map((name) => name.trim())
    .filter((name) => !OF_NODE.test(name))
    .sort();
}

const before = (await ourThreads()).length;
const manager = await MemoryIndexManager.get(JSON.parse(process.argv[2]));
if (!manager) throw new Error("no manager");
/** @type {string[]} */
let most = [];
let isEmbedding = true;
const embedding = manager.sync({ force: true }).finally(() => (isEmbedding = false));
while (isEmbedding) {
  const searches = Array.from({ length: 8 }, (_, n) => manager.search(`what was decided about project ${n} ${Date.now()}`));
  await pause(10);
  const now = await ourThreads();
  if (now.length > most.length) most = now;
  await Promise.all(searches);
}
await embedding;
console.log(JSON.stringify({ before, most, provider: manager.status().provider }));
await manager.close();
