// Restores a copy; the process that is killed in the middle of it.
//   node restore-child.mjs <request as JSON> <copy>

import { MemoryIndexManager } from "../../index.js";

const [request, copy] = [JSON.parse(process.argv[2]), process.argv[3]];
const manager = await MemoryIndexManager.get({ ...request, purpose: "cli", env: {} });
process.stdout.write("working\n");
await manager?.restore(copy);
process.stdout.write("done\n");
await manager?.close();
