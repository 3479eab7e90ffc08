// memory-core-rs of this repository, in process.
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryIndexManager } from "../../index.js";

/** @param {{workspace: string, provider: string, embed?: {baseUrl: string, model: string}, nowMs: number}} job */
export async function open({ workspace, provider, embed, nowMs }) {
  const remote = embed && { model: embed.model, remote: { baseUrl: embed.baseUrl, apiKey: "unused" } };
  const memorySearch = { provider, ...remote };
  const manager = await MemoryIndexManager.get({
    cfg: { agents: { defaults: { workspace, memorySearch } } },
    agentId: "main",
    purpose: "cli",
  });
  if (!manager) throw new Error("memory search is off");
  await manager.sync({ reason: "eval", force: true });
  // Beside a hosted provider lines get their vectors afterwards.
  while (manager.status().custom?.lines?.pending) await sleep(50);
  return {
    // The engine has a clock of its own.
    search: (/** @type {string} */ query, /** @type {object} */ options) => manager.search(query, { ...options, nowMs }),
    // What a second search shows, where the first says that it is worth it.
    goOn: async (/** @type {string} */ query, /** @type {object} */ options) => {
      const { more } = await manager.searchDetailed(query, { ...options, nowMs });
      return more ? await manager.search(more.query, { ...options, after: more.after, nowMs }) : [];
    },
    close: () => manager.close(),
  };
}
