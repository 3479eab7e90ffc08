// What opening an engine needs, from what the host and JavaScript users give.

import { databasePassword, resolveAccounts, resolveDatabaseParts, resolveDatabaseUrl } from "./accounts.js";
import { agentConfig, databaseSetting, defaultAgentId, normalizeAgentId, searchOverview } from "./config.js";
import { homeDir, processEnv, stateDir } from "./env.js";
import { modelPaths as defaultModelPaths } from "./model.js";

/** @typedef {import("../index.d.ts").ManagerRequest} ManagerRequest */

/** Gives every embedding function a name, so that managers with different functions are kept apart. */
const embedIds = new WeakMap();

let lastEmbedId = 0;

/**
 * The request to the engine, whose it is, and a text that changes with everything that matters.
 * @param {ManagerRequest} request
 */
export async function prepare({
  cfg,
  agentId,
  env = processEnv(),
  stateDir: state,
  workspaceDir,
  credentialSources,
  embed: own,
  adapter,
  sessions,
  modelPaths = defaultModelPaths(),
}) {
  const id = normalizeAgentId(agentId ?? defaultAgentId(cfg));
  const sources = { env, ...credentialSources };
  const { accounts, problems } = await resolveAccounts(cfg, id, sources);
  const databaseUrl = await resolveDatabaseUrl(cfg, id, sources, problems);
  const databaseParts = await resolveDatabaseParts(cfg, id, sources, problems);
  /** @type {import("../index.d.ts").OpenRequest} */
  const nativeRequest = {
    config: { ...agentConfig(cfg, id), ...(await adapterTakesMedia(cfg, id, adapter)) },
    agentId: id,
    stateDir: state ?? stateDir(env),
    homeDir: homeDir(env),
    accounts,
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(databaseParts ? { databaseParts } : {}),
    ...(workspaceDir ? { workspaceDir } : {}),
    ...(env.OPENCLAW_WORKSPACE_DIR?.trim() ? { defaultWorkspaceDir: env.OPENCLAW_WORKSPACE_DIR.trim() } : {}),
  };
  const embed = own ?? adapter?.embed;
  if (embed === adapter?.embed && adapter) nativeRequest.embedProviders = adapter.providers;
  if (embed && !embedIds.has(embed)) embedIds.set(embed, ++lastEmbedId);
  return {
    // Where the weights lie differs between copies of this package, and is no reason to open another engine.
    nativeRequest: { ...nativeRequest, modelPaths },
    embed,
    // Always the same conversations, whoever asks for them: no reason to open another engine.
    sessions,
    // Asked for with each connection, and so not part of the request.
    databasePassword: databasePassword(cfg, id, sources),
    problems,
    owner: ownerKey(nativeRequest.stateDir, id),
    settings: JSON.stringify([nativeRequest, embed ? embedIds.get(embed) : null, databaseSetting(cfg, id, "password") ?? null]),
  };
}

/**
 * What the resolver cannot know of a provider that the host speaks. Nobody is asked where only text is indexed.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} id
 * @param {import("../index.d.ts").HostAdapter} [adapter]
 */
async function adapterTakesMedia(cfg, id, adapter) {
  if (!adapter?.takesMedia || !searchOverview(cfg, id).multimodal) return {};
  return (await adapter.takesMedia()) ? { adapterTakesMedia: true } : {};
}

/**
 * @param {string} state
 * @param {string} agentId
 */
export function ownerKey(state, agentId) {
  return JSON.stringify([state, agentId]);
}
