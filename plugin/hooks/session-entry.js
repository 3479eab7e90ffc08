// What the host has written down about a session.

import { native } from "../../lib/native.js";

/** Sessions of the host's own surfaces say no channel in their key. */
const UNKNOWN = "unknown";

/**
 * The host's entry of a session, and the file of older hosts that it stands in. Throws where a host has neither.
 * @param {any} sessions The host's `runtime.agent.session`.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {string} sessionKey
 * @returns {{entry: any, store?: string}}
 */
export function sessionEntry(sessions, cfg, agentId, sessionKey) {
  if (typeof sessions?.getSessionEntry === "function") return { entry: sessions.getSessionEntry({ agentId, sessionKey }) };
  const store = sessions.resolveStorePath(cfg.session?.store, { agentId });
  return { entry: sessions.loadSessionStore(store)?.[sessionKey], store };
}

/**
 * The channel that a session is held on, such as `telegram`.
 * @param {import("./capture.js").Plugin} plugin
 * @param {import("./agent.js").Agent} agent
 * @param {Record<string, any>} ctx
 * @returns {string}
 */
export function channelOf({ host }, { cfg, agentId }, ctx) {
  const told = ctx.messageProvider ?? ctx.channel;
  if (typeof told === "string" && told) return told;
  const { channel } = native().readSessionKey(String(ctx.sessionKey ?? ""));
  if (channel) return channel;
  const entry = host.sessionEntry(cfg, agentId, ctx.sessionKey);
  const known = entry?.origin?.provider ?? entry?.lastChannel ?? entry?.deliveryContext?.channel ?? entry?.channel;
  return typeof known === "string" && known ? known : UNKNOWN;
}
