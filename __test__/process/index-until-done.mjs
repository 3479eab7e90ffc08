// Brings an index up to date, again and again while its database is away, and prints the last report: the process that goes on
// when the server is killed.
//   node index-until-done.mjs <request as JSON>

import { setTimeout as wait } from "node:timers/promises";
import { MemoryIndexManager } from "../../index.js";

/** What a database that is away is told by, and one where somebody else writes. */
const AWAY = ["MEM_IO", "MEM_BUSY"];

/** A server that does not come back ends it, so that nobody has to. */
const PATIENCE_MS = 300_000;

const until = Date.now() + PATIENCE_MS;
const manager = await MemoryIndexManager.get({ ...JSON.parse(process.argv[2]), purpose: "cli", env: {} });
for (;;) {
  try {
    const report = await manager?.sync();
    if (report?.pending === 0) {
      process.stdout.write(JSON.stringify({ ...report, chunks: manager?.status().chunks }));
      break;
    }
  } catch (error) {
    if (!AWAY.includes(/** @type {any} */ (error).code) || Date.now() > until) throw error;
  }
  await wait(100);
}
await manager?.close();
