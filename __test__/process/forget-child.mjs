// Carries out a plan of forgetting, and says when it begins and when it has ended.

import { MemoryIndexManager } from "../../index.js";

const [stateDir, workspace, id] = process.argv.slice(2);
const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: {}, purpose: "cli" });
process.send?.("begins");
await manager?.applyForget(id);
process.send?.("ended");
await manager?.close();
process.disconnect?.();
