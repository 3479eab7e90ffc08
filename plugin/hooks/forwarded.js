// Messages that somebody passes on: the words are another's, and hosts from 2026.8 write nothing of that down with them. They tell
// it once, while the message comes in.

import { createHash } from "node:crypto";
import { isRecord } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { isHostsAnswer, textOf } from "../message-text.js";
import { hookAgent } from "./agent.js";

/** @typedef {{print: string, id?: string, at: number}} Known */

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
  const [byId, byWords] = [grouped(known, ({ id }) => id), grouped(known, ({ print }) => print)];
  // In which turn each was found: later ones with its words are the owner's. In the same turn they are not, because hosts write a
  // message down again where they ask a model again.
  /** @type {Map<Known, number>} */
  const foundIn = new Map();
  let [turn, isAnswered] = [0, false];
  return messages.map((message) => {
    if (!isRecord(message)) return message;
    if (message.role === "assistant" && !isHostsAnswer(message)) isAnswered = endsTurn(message);
    if (message.role !== "user") return message;
    if (isAnswered) [turn, isAnswered] = [turn + 1, false];
    const text = textOf(message.content);
    const print = printOf(text);
    const mark = isRecord(message.__openclaw) ? message.__openclaw : {};
    const id = isRecord(mark.transport) ? word(mark.transport.messageId) : "";
    // By its id where the host has written it down, else by its words and its time.
    const isHere = (/** @type {Known} */ one) => (foundIn.get(one) ?? turn) === turn;
    const named = (id && byId.get(id)?.filter(({ at }) => Math.abs(message.timestamp - at) <= WAITS_MS)) || [];
    const alike = byWords.get(print)?.find((one) => !(id && one.id) && isInTime(message.timestamp, one.at) && isHere(one));
    const one = named.find((other) => other.print === print) ?? named[0] ?? alike;
    if (!one) return message;
    // One without a time, or a little before that of the channel, may be the owner's own: the next may be it still.
    const isSure = one.print === print && ((id && one.id === id) || message.timestamp >= one.at);
    if (isSure && !foundIn.has(one)) foundIn.set(one, turn);
    return /** @type {T} */ ({ ...message, content: MARK + text });
  });
}

/**
 * Whether a message of the assistant ends a turn: the host does not ask a model for it once more.
 * @param {Record<string, any>} message
 */
const endsTurn = ({ stopReason, content }) => !["error", "aborted", "toolUse"].includes(stopReason) && textOf(content).trim() !== "";

/** By a part of each. `Map.groupBy` is younger than the oldest Node. @param {Known[]} known @param {(one: Known) => string | undefined} part */
function grouped(known, part) {
  /** @type {Map<string | undefined, Known[]>} */
  const groups = new Map();
  for (const one of known) groups.set(part(one), [...(groups.get(part(one)) ?? []), one]);
  return groups;
}

/** Whether a message that was sent then may have been given a time. @param {unknown} timestamp @param {number} at */
const isInTime = (timestamp, at) => typeof timestamp !== "number" || (timestamp >= at - AHEAD_MS && timestamp <= at + WAITS_MS);
