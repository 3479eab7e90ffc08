// What was said while capture was off, or before the plugin was there, stays unheard once it is switched on. The engine keeps
// the times in which it was on; of messages without a time only this process knows.

import { createHash } from "node:crypto";
import { native } from "../../lib/native.js";
import { textOf } from "../message-text.js";
import { hookAgent } from "./agent.js";
import { forgetOldest } from "./forget-oldest.js";

/**
 * @typedef {import("./agent.js").Agent} Agent
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("../../index.d.ts").HeardSpan} HeardSpan
 */

/** Messages without a time that are looked at, counted from the end, and that are remembered in all. */
const LAST_MESSAGES = 20;
const MAX_UNHEARD = 2000;
/** Conversations that are remembered. */
const MAX_SESSIONS = 1000;

/** Fingerprints of messages without a time that were said while it was off, or may have been. @type {Set<string>} */
const unheard = new Set();
/** Conversations that this process has seen a turn of. @type {Set<string>} */
const sessions = new Set();

/** @param {unknown} session @param {string} role @param {string} text */
const printOf = (session, role, text) =>
  createHash("sha256")
    .update(JSON.stringify([session, role, text.trim()]))
    .digest("base64");

/** @param {Agent} agent */
const isOn = ({ settings }) => settings.autoCapture || settings.captureOnCompaction;

/**
 * Notes whether capture is on.
 * @param {Agent} agent
 * @param {"now" | "begin" | "end"} moment
 * @param {number} [said] At the end of a turn, when its message was.
 */
export function noteListening({ native: agent, settings }, moment, said) {
  return native().noteListening(agent, settings.autoCapture, settings.captureOnCompaction, moment, said);
}

/**
 * Nothing is heard until it is looked at again: the plugin stops, or starts in a process in which it ran before, and nobody has
 * told it what was said meanwhile.
 */
export function stopListening() {
  native().stopListening();
  sessions.clear();
}

/**
 * A turn begins.
 * @param {{host: import("../host.js").Host}} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function noteBeginning({ host }, event, ctx) {
  const agent = hookAgent(host, ctx);
  noteListening(agent, "begin");
  const session = String(ctx.sessionKey);
  // Nobody knows when that was said which a conversation begins with.
  if (!isOn(agent) || !sessions.has(session)) noteUnheard(ctx, event.messages);
  sessions.delete(session);
  sessions.add(session);
  forgetOldest(sessions, MAX_SESSIONS);
}

/**
 * Messages without a time are not heard.
 * @param {Record<string, any>} ctx
 * @param {unknown} messages As the host has them.
 */
export function noteUnheard(ctx, messages) {
  if (!Array.isArray(messages)) return;
  for (const message of messages.slice(-LAST_MESSAGES)) {
    const { role, content, timestamp } = message ?? {};
    if (typeof role === "string" && typeof timestamp !== "number") unheard.add(printOf(ctx.sessionKey, role, textOf(content)));
  }
  forgetOldest(unheard, MAX_UNHEARD);
}

/**
 * Of the messages of a conversation those that were said while capture was on. Those without a time count from the last that
 * was unheard; the same words said again in the turn that ends now are new.
 * @param {HeardSpan[]} spans
 * @param {Record<string, any>} ctx
 * @param {Message[]} messages
 * @param {{isEnd?: boolean}} [options] Whether a turn ends with them.
 */
export function heard(spans, ctx, messages, { isEnd = false } = {}) {
  const own = isEnd ? messages.findLastIndex(({ role }) => role === "user") : messages.length;
  const isUnheard = (/** @type {Message} */ { role, text, at }, /** @type {number} */ index) =>
    at === undefined && index < own && unheard.has(printOf(ctx.sessionKey, role, text));
  const last = messages.findLastIndex(isUnheard);
  return messages.filter(({ at }, index) => (at === undefined ? index > last : spans.some(({ from, to }) => from <= at && at <= to)));
}
