// Indexes and searches ten times: how often its own notes were found, and how often those of another workspace.
//   node workspace-child.mjs <request as JSON> <query of its own> <query of the other>

import { MemoryIndexManager } from "../../index.js";

const [request, own, other] = process.argv.slice(2);
const counts = { own: 0, other: 0 };
const manager = await MemoryIndexManager.get({ ...JSON.parse(request), purpose: "cli" });
if (!manager) throw new Error("no manager");
for (let round = 0; round < 10; round++) {
  await manager.sync({ force: round % 3 === 1 });
  counts.own += (await manager.search(own)).length;
  counts.other += (await manager.search(other)).length;
}
console.log(JSON.stringify({ ...counts, dbPath: manager.status().dbPath }));
await manager.close();
