// Brings an index up to date and prints the report: the process that is killed.
//   node index-once.mjs <request as JSON>

import { MemoryIndexManager } from "../../index.js";

const manager = await MemoryIndexManager.get({ ...JSON.parse(process.argv[2]), purpose: "cli", env: {} });
const report = await manager?.sync();
await manager?.close();
process.stdout.write(JSON.stringify(report));
