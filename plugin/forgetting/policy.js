// Conversations that nothing is taken from: `memoryPolicy.excludeSessions` of our settings, for the hooks. What the index reads
// by itself, it judges by itself.

import { isRecord, pluginSettings } from "../../lib/config.js";
import { native } from "../../lib/native.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{key?: string, hookSource?: string, channel?: string, chatType?: string}} Facts
 */

/** Lists of the policy that name something, by configuration; a turn waits for this. @type {WeakMap<HostConfig, boolean>} */
const known = new WeakMap();

/** Whether anything is left out, for any agent. @param {HostConfig} cfg */
export function hasPolicy(cfg) {
  const found = known.get(cfg);
  if (found !== undefined) return found;
  const own = pluginSettings(cfg);
  const layers = [own, ...Object.values(isRecord(own.agents) ? own.agents : {})].filter(isRecord);
  const has = layers.some(
    ({ memoryPolicy }) =>
      isRecord(memoryPolicy) &&
      isRecord(memoryPolicy.excludeSessions) &&
      Object.values(memoryPolicy.excludeSessions).some((list) => Array.isArray(list) && list.length > 0),
  );
  known.set(cfg, has);
  return has;
}

/**
 * What a session's entry says of it, on any host.
 * @param {any} entry
 * @returns {Facts}
 */
export function factsOfEntry(entry) {
  if (!isRecord(entry)) return {};
  const hookSource = text(entry.hookExternalContentSource);
  const channel = text(entry.channel, entry.lastChannel, entry.origin?.provider, entry.deliveryContext?.channel);
  const chatType = text(entry.chatType, entry.origin?.chatType);
  return { ...(hookSource ? { hookSource } : {}), ...(channel ? { channel } : {}), ...(chatType ? { chatType } : {}) };
}

/**
 * Whether nothing is to be taken from the conversation of a hook or a tool.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {Record<string, any>} ctx
 */
export function isExcluded(host, cfg, agentId, ctx) {
  return exclusionOf(host, cfg, agentId, ctx) !== null;
}

/**
 * Why nothing is taken from it, such as `channel:telegram`; null when it is not left out.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {Record<string, any>} ctx
 * @returns {string | null}
 */
export function exclusionOf(host, cfg, agentId, ctx) {
  if (!hasPolicy(cfg)) return null;
  const key = text(ctx.sessionKey);
  const channel = text(ctx.messageProvider, ctx.channel);
  const facts = { ...factsOfEntry(key ? host.sessionEntry(cfg, agentId, key) : undefined), ...(key ? { key } : {}) };
  return reasonOf(cfg, agentId, channel && !facts.channel ? { ...facts, channel } : facts);
}

/**
 * Why nothing is taken from a conversation of which this is known; null when it is not left out.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {Facts} facts
 * @returns {string | null}
 */
export function reasonOf(cfg, agentId, facts) {
  const own = pluginSettings(cfg);
  const agents = isRecord(own.agents) ? own.agents : {};
  const policies = Object.entries(agents).filter(([, settings]) => isRecord(settings));
  const config = {
    memoryPolicy: own.memoryPolicy,
    agents: Object.fromEntries(policies.map(([id, { memoryPolicy }]) => [id, { memoryPolicy }])),
  };
  return native().excludedSession(config, agentId, facts);
}

/** The first text that is one. @param {...unknown} values @returns {string | undefined} */
function text(...values) {
  return values.filter((value) => typeof value === "string").find((value) => value.trim() !== "");
}
