// Begins the vectors of an index anew and makes them: the process that is killed, and the one that comes in between.
//   node rebuild-child.mjs <request as JSON>

import { MemoryIndexManager } from "../../index.js";

const manager = await MemoryIndexManager.get({ ...JSON.parse(process.argv[2]), purpose: "cli", env: {} });
await manager?.rebuildVectors();
process.stdout.write("begun\n");
const report = await manager?.sync();
await manager?.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
