// The active memory that comes with the host. Two of them would show the model two blocks and ask it twice, so where that
// one is on for an agent ours is silent, auto-recall included.

import { isRecord, normalizeAgentId, rememberedConversations } from "../../lib/config.js";

/** @typedef {import("../host.js").HostConfig} HostConfig */

/** Its id. */
export const BUNDLED_ID = "active-memory";

/** @param {unknown} value @returns {string[]} */
const names = (value) => (Array.isArray(value) ? value.map((name) => String(name).trim()) : []);

/**
 * The bundled plugin's entry when the host loads it, paused or not. It does so only where the operator named it.
 * @param {HostConfig} cfg
 * @returns {Record<string, any> | undefined}
 */
function loadedEntry(cfg) {
  const plugins = isRecord(cfg.plugins) ? cfg.plugins : {};
  if (plugins.enabled === false || names(plugins.deny).includes(BUNDLED_ID)) return undefined;
  const allowed = names(plugins.allow);
  if (allowed.length > 0 && !allowed.includes(BUNDLED_ID)) return undefined;
  const entry = isRecord(plugins.entries) ? plugins.entries[BUNDLED_ID] : undefined;
  return isRecord(entry) && entry.enabled === true ? entry : undefined;
}

/** The same when it is not paused. @param {HostConfig} cfg */
function liveEntry(cfg) {
  const entry = loadedEntry(cfg);
  return entry?.config?.enabled === false ? undefined : entry;
}

/**
 * Whether it serves an agent: one that it lists, and on newer hosts one whose earlier conversations it may recall, which we
 * offer it.
 * @param {import("../host.js").Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export function bundledServes(host, cfg, agentId) {
  const entry = liveEntry(cfg);
  if (entry === undefined) return false;
  if (names(entry.config?.agents).some((id) => normalizeAgentId(id) === agentId)) return true;
  return host.has("escalatingRecall") && rememberedConversations(cfg, agentId);
}

/** Whether it is loaded and not paused. @param {HostConfig} cfg */
export const bundledIsOn = (cfg) => liveEntry(cfg) !== undefined;

/** Whether it is loaded at all, and has the command, by which a paused one is continued. @param {HostConfig} cfg */
export const bundledIsLoaded = (cfg) => loadedEntry(cfg) !== undefined;
