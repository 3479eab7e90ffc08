// memory-core of an installed OpenClaw, in process, as shipped.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** @param {{host: string, workspace: string, provider: string, embed?: {baseUrl: string, model: string}}} job */
export async function open({ host, workspace, provider, embed }) {
  const load = (/** @type {string} */ file) => import(pathToFileURL(path.join(host, file)).href);
  const remote = embed && { model: embed.model, remote: { baseUrl: embed.baseUrl, apiKey: "unused" } };
  const settings = { provider, ...remote };
  const today = fs.existsSync(path.join(host, "dist/plugin-sdk/plugin-state-store-runtime.js"));
  const api = await load("dist/extensions/memory-core/runtime-api.js");
  let cfg;
  if (today) {
    const state = await load("dist/plugin-sdk/plugin-state-store-runtime.js");
    api.configureMemoryCoreDreamingState((/** @type {object} */ o) => state.createPluginStateKeyedStore("memory-core", o));
    cfg = { agents: { defaults: { workspace } }, memory: { search: { rememberAcrossConversations: false, ...settings } } };
  } else {
    cfg = { agents: { defaults: { workspace, memorySearch: settings } } };
  }
  const { manager, error } = await api.getMemorySearchManager({ cfg, agentId: "main", purpose: "cli" });
  if (!manager) throw new Error(error);
  await manager.sync({ reason: "eval", force: true });
  return {
    search: (/** @type {string} */ query, /** @type {object} */ options) => manager.search(query, options),
    close: () => manager.close(),
  };
}
