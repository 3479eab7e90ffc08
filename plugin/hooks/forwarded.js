// Messages that somebody passes on: the words are another's, and hosts from 2026.8 write nothing of that down with them. They tell
// it once, while the message comes in.

import { createHash } from "node:crypto";
import { isRecord } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { textOf } from "../message-text.js";
import { hookAgent } from "./agent.js";

/** How long after it was sent a message may be answered, in milliseconds: until then its turn gives it a time of its own. */
const WAITS_MS = 60 * 60 * 1000;
/** A channel counts whole seconds, and its clock may be ahead by some. */
const AHEAD_MS = 10_000;
/** What the engine knows the words of others by. */
const MARK = "[Forwarded message]\n";

/** @param {unknown} value */
const word = (value) => (typeof value === "string" ? value.trim() : "");

/** @param {string} text */
const printOf = (text) => createHash("sha256").update(text.trim()).digest("hex").slice(0, 32);

/**
 * A message comes in.
 * @param {{host: import("../host.js").Host}} plugin
 * @param {Record<string, any>} event Of `reply_dispatch`, with what the channel says of the message.
 */
export function noteForwarded({ host }, event) {
  const told = isRecord(event.ctx) ? event.ctx : {};
  if (!word(told.ForwardedFrom)) return;
  const sessionKey = word(event.sessionKey) || word(told.SessionKey);
  const agent = hookAgent(host, { ...(word(told.AgentId) ? { agentId: told.AgentId } : {}), sessionKey });
  const id = word(told.MessageSidFull) || word(told.MessageSid);
  const at = typeof told.Timestamp === "number" ? Math.round(told.Timestamp) : Date.now();
  const texts = new Set([told.BodyForAgent, told.RawBody].map(word).filter(Boolean));
  for (const text of texts) native().noteForwarded(agent.native, { print: printOf(text), ...(id ? { id } : {}), at });
}

/**
 * Those that are known of an agent. Where its folder cannot be read nothing was noted there, and the rest of a turn goes on.
 * @param {import("./agent.js").Agent} agent
 */
function knownOf(agent) {
  try {
    return native().listForwarded(agent.native);
  } catch {
    return [];
  }
}

/**
 * The host's messages, where each that was passed on says so.
 * @template {any} T
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {T[]} messages
 * @returns {T[]}
 */
export function withForwarded(host, ctx, messages) {
  const known = knownOf(hookAgent(host, ctx));
  if (known.length === 0) return messages;
  return messages.map((message) => {
    if (!isRecord(message) || message.role !== "user") return message;
    const text = textOf(message.content);
    return known.some((one) => isThat(one, message, text)) ? /** @type {T} */ ({ ...message, content: MARK + text }) : message;
  });
}

/**
 * Whether a message is one that was passed on: by its id where the host has written it down, else by its words and its time.
 * @param {{print: string, id?: string, at: number}} one
 * @param {Record<string, any>} message
 * @param {string} text
 */
function isThat({ print, id, at }, message, text) {
  const mark = isRecord(message.__openclaw) ? message.__openclaw : {};
  const told = isRecord(mark.transport) ? word(mark.transport.messageId) : "";
  if (told && id) return told === id && Math.abs(message.timestamp - at) <= WAITS_MS;
  if (print !== printOf(text)) return false;
  const { timestamp } = message;
  return typeof timestamp !== "number" || (timestamp >= at - AHEAD_MS && timestamp <= at + WAITS_MS);
}
