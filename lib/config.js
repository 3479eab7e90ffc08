// The host's configuration as far as memory is concerned: which agents there are, whether memory is on for one of them,
// and the part of it that goes to the native resolver. Defaults and clamps are the resolver's job, not ours.

import { native } from "./native.js";
import { PLUGIN_ID } from "./package-info.js";

/**
 * @typedef {Record<string, any>} HostConfig The host's configuration object, of any supported version.
 * @typedef {{enabled: boolean, sources: string[], extraPaths: string[], provider: string | undefined,
 *   fallback: string | undefined, model: string | undefined, remote: Record<string, any>, local: Record<string, any>,
 *   outputDimensionality: number | undefined, inputTypes: {inputType?: string, queryInputType?: string, documentInputType?: string},
 *   citations: "auto" | "on" | "off", maxResults: number | undefined, multimodal: boolean}} SearchOverview
 */

/** Agent of a configuration that names none. */
const IMPLICIT_AGENT = "main";

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * An agent id in the form the host uses for folders and keys.
 * @param {unknown} id
 */
export function normalizeAgentId(id) {
  return native().normalizeAgentId(String(id ?? ""));
}

/**
 * The agents of a configuration, from `agents.entries` (today) or `agents.list` (before 2026.8). In the order of the
 * configuration, which the native resolver does not see.
 * @param {HostConfig} cfg
 * @returns {{id: string, entry: Record<string, any>}[]}
 */
function agentEntries(cfg) {
  const { entries, list } = isRecord(cfg.agents) ? cfg.agents : {};
  const named = isRecord(entries)
    ? Object.entries(entries).filter(([, entry]) => isRecord(entry))
    : (Array.isArray(list) ? list : []).filter(isRecord).map((entry) => [entry.id, entry]);
  const seen = new Map();
  for (const [rawId, entry] of named) {
    const id = normalizeAgentId(rawId);
    if (!seen.has(id)) seen.set(id, { id, entry });
  }
  return [...seen.values()];
}

/**
 * What the host's configuration says of one agent, none where it is not named.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export function agentEntry(cfg, agentId) {
  return agentEntries(cfg).find(({ id }) => id === agentId)?.entry;
}

/**
 * Every configured agent, or the implicit one.
 * @param {HostConfig} cfg
 */
export function listAgentIds(cfg) {
  const ids = agentEntries(cfg).map((agent) => agent.id);
  return ids.length > 0 ? ids : [IMPLICIT_AGENT];
}

/**
 * The agent that commands without `--agent` mean.
 * @param {HostConfig} cfg
 */
export function defaultAgentId(cfg) {
  const agents = agentEntries(cfg);
  return (agents.find((agent) => agent.entry.default === true) ?? agents[0])?.id ?? IMPLICIT_AGENT;
}

/**
 * The agent a session belongs to: session keys look like `agent:<id>:…`.
 * @param {HostConfig} cfg
 * @param {{agentId?: string, sessionKey?: string}} session
 */
export function sessionAgentId(cfg, { agentId, sessionKey }) {
  if (agentId?.trim()) return normalizeAgentId(agentId);
  return native().readSessionKey(sessionKey ?? "").agentId ?? defaultAgentId(cfg);
}

/**
 * Our own settings, as they are written.
 * @param {HostConfig} cfg
 * @returns {import("./settings.js").PluginSettings}
 */
export function pluginSettings(cfg) {
  const config = cfg.plugins?.entries?.[PLUGIN_ID]?.config;
  return isRecord(config) ? config : {};
}

/**
 * What the plugin's own settings say for one agent alone.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {Record<string, any>}
 */
export function agentSettings(cfg, agentId) {
  const { agents } = pluginSettings(cfg);
  const found = Object.entries(isRecord(agents) ? agents : {}).find(([id]) => normalizeAgentId(id) === agentId)?.[1];
  return isRecord(found) ? found : {};
}

/**
 * The agents for which the plugin's settings say another thing than for all, with what they say.
 * @param {HostConfig} cfg
 * @param {(settings: Record<string, any>) => unknown} pick
 * @param {unknown} common What holds for all others.
 * @returns {[id: string, value: unknown][]}
 */
export function agentsWithOther(cfg, pick, common) {
  const own = listAgentIds(cfg).map((id) => /** @type {[string, unknown]} */ ([id, pick(agentSettings(cfg, id))]));
  return own.filter(([, value]) => value !== undefined && value !== common);
}

/**
 * The time zone of dated notes, as it is configured; undefined where only the machine has one.
 * @param {HostConfig} cfg
 * @param {string} [agentId]
 * @returns {string | undefined}
 */
export function userTimeZone(cfg, agentId) {
  const ofAgent = agentId === undefined ? undefined : agentSettings(cfg, agentId).timeZone;
  const zones = [ofAgent, pluginSettings(cfg).timeZone, cfg.agents?.defaults?.userTimezone];
  return zones.find((zone) => typeof zone === "string" && zone.trim())?.trim();
}

/**
 * The places that configure memory search for each agent. Hosts never change a configuration in place, and neither what
 * stands in a place nor whether anything does is kept here.
 * @type {WeakMap<HostConfig, Map<string, import("../index.d.ts").SettingsPlace[]>>}
 */
const knownPlaces = new WeakMap();

/**
 * The places that configure memory search for an agent, weakest first, as the native resolver reads them.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {{path: string, layer: Record<string, any>}[]}
 */
function searchLayers(cfg, agentId) {
  const ofAgents = knownPlaces.get(cfg) ?? new Map();
  knownPlaces.set(cfg, ofAgents);
  const places = ofAgents.get(agentId) ?? native().settingsPlaces(pruneConfig(cfg), agentId);
  ofAgents.set(agentId, places);
  return places
    .map((/** @type {import("../index.d.ts").SettingsPlace} */ { path, keys }) => ({ path, layer: valueAt(cfg, keys) }))
    .filter((/** @type {{layer: unknown}} */ { layer }) => isRecord(layer));
}

/**
 * @param {unknown} value
 * @param {string[]} keys
 */
function valueAt(value, keys) {
  return keys.reduce((part, key) => /** @type {any} */ (part)?.[key], value);
}

/**
 * @typedef {{value: unknown, path: string, meantFor: unknown}} RemoteValue A part of `remote`, where it is written, and
 *   the `baseUrl` that held there: what is written over it later may be another server's.
 */

/**
 * `remote` of an agent, part by part; the strongest place that sets a part wins.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {{baseUrl?: RemoteValue, apiKey?: RemoteValue, headers?: RemoteValue}}
 */
export function remoteSettings(cfg, agentId) {
  /** @type {Record<string, RemoteValue>} */
  const found = {};
  for (const { path, layer } of searchLayers(cfg, agentId)) {
    if (!isRecord(layer.remote)) continue;
    for (const name of ["baseUrl", "apiKey", "headers"]) {
      const value = layer.remote[name];
      if (value === undefined || value === null || value === "") continue;
      found[name] = { value, path: `${path}.remote.${name}`, meantFor: found.baseUrl?.value };
    }
  }
  return found;
}

/** What of `store.postgres` says where the database is, instead of `url`. */
export const DATABASE_PARTS = /** @type {const} */ (["host", "port", "database", "user"]);

/**
 * A secret of `store.postgres` of an agent as it is written, and where.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {"url" | "password" | typeof DATABASE_PARTS[number]} name
 * @returns {{value: unknown, path: string} | undefined}
 */
export function databaseSetting(cfg, agentId, name) {
  return searchLayers(cfg, agentId)
    .map(({ path, layer }) => ({ value: layer.store?.postgres?.[name], path: `${path}.store.postgres.${name}` }))
    .findLast(({ value }) => value !== undefined && value !== null && value !== "");
}

/**
 * `remote` of an agent for people to read: the address without user, password and query, the names of the headers, and
 * where each part that is set is written.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {{settings: {baseUrl?: string, headers?: string[]}, origins: Record<string, string>}}
 */
export function shownRemote(cfg, agentId) {
  const remote = remoteSettings(cfg, agentId);
  const written = String(remote.baseUrl?.value ?? "");
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const settings = {
    baseUrl: url && `${url.protocol}//${url.host}${url.pathname}`,
    headers: isRecord(remote.headers?.value) ? Object.keys(remote.headers.value).sort() : undefined,
  };
  const origins = Object.entries(remote).map(([name, part]) => [`remote.${name}`, part.path]);
  return { settings: dropUndefined(settings), origins: Object.fromEntries(origins) };
}

/**
 * Whether an agent's conversations are indexed for private recall, as the host decides it: unless `memory.search` says
 * something, where all of a person's messages meet in one session. It is of use only while the host's active memory asks.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export function rememberedConversations(cfg, agentId) {
  const own = { ...pluginSettings(cfg), ...agentSettings(cfg, agentId) };
  if (own.privateRecall === "off") return false;
  const asking = cfg.plugins?.entries?.["active-memory"];
  if (asking?.enabled !== true || asking.config?.enabled === false) return false;
  const written = searchLayers(cfg, agentId)
    .map(({ layer }) => layer.rememberAcrossConversations)
    .findLast((value) => typeof value === "boolean");
  if (written !== undefined) return written;
  const isSplit = (/** @type {any} */ part) => part?.session?.dmScope !== undefined;
  const scope = cfg.session?.dmScope;
  return (scope === undefined || scope === "main") && !(Array.isArray(cfg.bindings) ? cfg.bindings : []).some(isSplit);
}

/**
 * What the JavaScript side must know without asking the engine. Values are as written, not clamped.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {SearchOverview}
 */
export function searchOverview(cfg, agentId) {
  const layers = searchLayers(cfg, agentId).map(({ layer }) => layer);
  /** @param {(layer: Record<string, any>) => unknown} pick */
  const last = (pick) => layers.map(pick).findLast((value) => value !== undefined && value !== null);
  // A value of the wrong type counts as not set; the native resolver warns of it.
  /** @param {(layer: Record<string, any>) => unknown} pick @returns {string | undefined} */
  const lastText = (pick) => {
    const value = last(pick);
    return typeof value === "string" ? value.trim() || undefined : undefined;
  };
  const inputTypes = Object.fromEntries(
    ["inputType", "queryInputType", "documentInputType"].map((name) => [name, lastText((layer) => layer[name])]),
  );
  const dimensions = Number(last((layer) => layer.outputDimensionality));
  const citations = last((layer) => layer.citations) ?? cfg.memory?.citations;
  const sources = last((layer) => layer.sources);
  const sessions = last((layer) => layer.experimental?.sessionMemory) === true || rememberedConversations(cfg, agentId);
  return {
    enabled: last((layer) => layer.enabled) !== false,
    sources: (Array.isArray(sources) ? sources : ["memory"]).filter((source) => source !== "sessions" || sessions),
    multimodal: last((layer) => layer.multimodal?.enabled) === true,
    extraPaths: layers.flatMap((layer) => (Array.isArray(layer.extraPaths) ? layer.extraPaths : [])),
    provider: lastText((layer) => layer.provider),
    fallback: lastText((layer) => layer.fallback),
    model: lastText((layer) => layer.model),
    local: Object.assign({}, ...layers.map((layer) => layer.local).filter(isRecord)),
    remote: Object.assign({}, ...layers.map((layer) => layer.remote).filter(isRecord)),
    outputDimensionality: Number.isInteger(dimensions) && dimensions > 0 ? dimensions : undefined,
    inputTypes: dropUndefined(inputTypes),
    citations: citations === "on" || citations === "off" ? citations : "auto",
    maxResults: /** @type {number | undefined} */ (last((layer) => layer.query?.maxResults)),
  };
}

/**
 * What the native resolver reads for one agent: {@link pruneConfig}, with what was found out about its conversations, and
 * whether it is the one that the host means when none is named.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {HostConfig}
 */
export function agentConfig(cfg, agentId) {
  return {
    ...pruneConfig(cfg),
    ...(rememberedConversations(cfg, agentId) ? { remembersConversations: true } : {}),
    ...(agentId === defaultAgentId(cfg) ? { isDefaultAgent: true } : {}),
  };
}

/**
 * The part of the configuration that the native resolver reads, without a single secret: keys are removed, headers keep
 * their names only. Addresses of providers and credentials travel beside it.
 * @param {HostConfig} cfg
 * @returns {HostConfig}
 */
export function pruneConfig(cfg) {
  const agents = isRecord(cfg.agents) ? cfg.agents : {};
  const own = pluginSettings(cfg);
  return dropUndefined({
    agents: dropUndefined({
      ownership: agents.ownership,
      defaults: isRecord(agents.defaults) ? pruneAgent(agents.defaults) : undefined,
      list: Array.isArray(agents.list) ? agents.list.map((agent) => (isRecord(agent) ? pruneAgent(agent) : null)) : undefined,
      entries: isRecord(agents.entries) ? mapValues(agents.entries, pruneAgent) : undefined,
    }),
    memory: isRecord(cfg.memory)
      ? dropUndefined({ citations: cfg.memory.citations, search: withoutSecrets(cfg.memory.search) })
      : undefined,
    plugins: {
      entries: {
        [PLUGIN_ID]: {
          config: { ...withoutSecrets(own), ...(isRecord(own.agents) ? { agents: mapValues(own.agents, withoutSecrets) } : {}) },
        },
      },
    },
  });
}

/** @param {Record<string, any>} agent */
function pruneAgent(agent) {
  return dropUndefined({
    id: agent.id,
    default: agent.default,
    workspace: agent.workspace,
    userTimezone: agent.userTimezone,
    contextLimits: agent.contextLimits,
    memorySearch: withoutSecrets(agent.memorySearch),
    memory: isRecord(agent.memory) ? { search: withoutSecrets(agent.memory.search) } : undefined,
  });
}

/**
 * @param {unknown} search
 * @returns {Record<string, any> | undefined}
 */
function withoutSecrets(search) {
  if (!isRecord(search)) return undefined;
  const plain = { ...search };
  if (isRecord(search.store?.postgres)) {
    const postgres = { ...search.store.postgres };
    for (const name of ["url", "password", ...DATABASE_PARTS]) delete postgres[name];
    plain.store = { ...search.store, postgres };
  }
  if (!isRecord(search.remote)) return plain;
  const { apiKey: _apiKey, headers, ...remote } = search.remote;
  const names = isRecord(headers) ? { headers: mapValues(headers, () => "") } : {};
  return { ...plain, remote: { ...remote, ...names } };
}

/**
 * @param {Record<string, any>} record
 * @param {(value: any) => unknown} change
 */
function mapValues(record, change) {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, change(value)]),
  );
}

/** @template {Record<string, any>} T @param {T} record @returns {T} */
function dropUndefined(record) {
  return /** @type {T} */ (Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));
}
