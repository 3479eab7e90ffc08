// Tells consolidation what notes of days before say, batch after batch, and says when it begins and when it has ended.

import { MemoryIndexManager } from "../../index.js";

const [stateDir, workspace, batches] = process.argv.slice(2);
const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: {}, purpose: "cli" });
const agent = { config: { timeZone: "UTC" }, agentId: "main", bootstrapChars: 20_000 };
process.send?.("begins");
for (let batch = 0; batch < Number(batches); batch++) {
  await manager?.consolidate(agent, { op: "replay", notes: true, apply: true, limitDays: 10 });
}
process.send?.("ended");
await manager?.close();
process.disconnect?.();
