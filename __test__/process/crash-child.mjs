// Does one piece of indexing work; the process that is killed in the middle of it.
//   node crash-child.mjs <request as JSON> <options of sync as JSON>

import { MemoryIndexManager } from "../../index.js";

const [request, options] = process.argv.slice(2).map((text) => JSON.parse(text));
const manager = await MemoryIndexManager.get({ ...request, purpose: "cli", env: {} });
process.stdout.write("working\n");
await manager?.sync(options);
process.stdout.write("done\n");
await manager?.close();
