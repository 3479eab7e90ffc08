// Which messages the host's flushes and auto-capture have seen, and a compaction need not keep. The host's own record
// counts a flush that was given up after failures as done, and does not tell how far one reached; so a flush counts here
// when its model was seen to answer, for the messages that were in front of it. After a restart nothing is known, and what
// is captured twice is dropped as a duplicate.

import { forgetOldest } from "./forget-oldest.js";

/** Messages that are remembered of a flush, counted from the end: the last ones tell how far it reached. */
const LAST_MESSAGES = 20;
/** Messages that are remembered in all, of flushes and of auto-capture each. */
const MAX_KNOWN = 2000;
/** Flushes under way that are remembered; one that fails is never told of. */
const MAX_RUNNING = 20;

/** Flushes under way: when they began and which messages they have seen. @type {Map<string, {began: number, seen: number[]}>} */
const running = new Map();

/** The instants of the messages that flushes have seen, oldest first. @type {Set<number>} */
const flushed = new Set();

/** The instants of the messages that went to the capture queue with their turn, oldest first. @type {Set<number>} */
const captured = new Set();

/** @param {Set<number>} known @returns {(message: import("./messages.js").Message) => boolean} */
const isIn =
  (known) =>
  ({ at }) =>
    at !== undefined && known.has(at);

/** @param {Record<string, any>} ctx */
const isFlush = (ctx) => ctx.trigger === "memory" && typeof ctx.runId === "string";

/**
 * A flush begins.
 * @param {unknown} _
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function noteFlushStart(_, event, ctx) {
  if (!isFlush(ctx) || !Array.isArray(event.messages)) return;
  const seen = event.messages
    .slice(-LAST_MESSAGES)
    .map((message) => message?.timestamp)
    .filter((at) => typeof at === "number");
  running.set(ctx.runId, { began: Date.now(), seen });
  forgetOldest(running, MAX_RUNNING);
}

/**
 * The model of a flush has answered, or failed.
 * @param {unknown} _
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function noteFlushEnd(_, event, ctx) {
  const flush = isFlush(ctx) ? running.get(ctx.runId) : undefined;
  if (!flush) return;
  const { stopReason, timestamp } = event.lastAssistant ?? {};
  // Where the model said nothing, the last answer is the one before the flush.
  const hasAnswered = typeof timestamp === "number" && timestamp >= flush.began && stopReason !== "error" && stopReason !== "aborted";
  if (!hasAnswered) return;
  running.delete(ctx.runId);
  for (const at of flush.seen) flushed.add(at);
  forgetOldest(flushed, MAX_KNOWN);
}

/**
 * Auto-capture has queued these messages.
 * @param {import("./messages.js").Message[]} messages
 */
export function noteCaptured(messages) {
  for (const { at } of messages) if (at !== undefined) captured.add(at);
  forgetOldest(captured, MAX_KNOWN);
}

/**
 * How many of the messages, counted from the first, were queued with a turn before.
 * @param {import("./messages.js").Message[]} messages
 */
export function countCaptured(messages) {
  return messages.findLastIndex(isIn(captured)) + 1;
}

/**
 * The messages after the last one that a flush has seen, without those that were captured with their turn: a model would
 * put the same facts into other words.
 * @param {import("./messages.js").Message[]} messages
 */
export function unseen(messages) {
  return messages.slice(messages.findLastIndex(isIn(flushed)) + 1).filter((message) => !isIn(captured)(message));
}
