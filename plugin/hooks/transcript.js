// What was said in a session, from whichever store the host keeps its transcripts in: JSON lines in a file before 2026.8,
// a database behind the host's SDK since.

import { open } from "node:fs/promises";
import path from "node:path";
import { importSdk } from "../sdk.js";
import { lastMessages } from "./messages.js";

/** Bytes read from the end of a transcript file; far more than the last messages take. */
const TAIL_BYTES = 4 << 20;

/**
 * @typedef {{agentId: string, sessionKey: string, sessionId: string, sessionFile?: unknown}} SessionRef
 * @typedef {import("./messages.js").Message} Message
 */

/**
 * The last messages of a session, oldest first; empty when its transcript is gone.
 * @param {SessionRef} session
 * @param {number} limit
 * @param {{ended?: boolean}} [options] `ended`: what was said before the session was reset under the same id.
 * @returns {Promise<Message[]>}
 */
export async function sessionMessages(session, limit, { ended = false } = {}) {
  const events = await transcriptEvents(session);
  const current = currentWindow(events, ended);
  return lastMessages(
    current.filter((event) => event?.type === "message").map((event) => event.message),
    limit,
  );
}

/** @param {SessionRef} session @returns {Promise<any[]>} */
async function transcriptEvents({ agentId, sessionKey, sessionId, sessionFile }) {
  if (typeof sessionFile === "string" && path.isAbsolute(sessionFile)) return await fileEvents(sessionFile);
  const sdk = await importSdk("session-transcript-runtime");
  const events = sessionId ? await sdk?.readSessionTranscriptEvents?.({ agentId, sessionKey, sessionId }) : undefined;
  return Array.isArray(events) ? events : [];
}

/** @param {string} file @returns {Promise<any[]>} */
async function fileEvents(file) {
  const handle = await open(file, "r").catch(() => null);
  if (!handle) return [];
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
    // The first line of a tail may be cut, and the last one may still be written.
    return (from > 0 ? lines.slice(1) : lines).flatMap((line) => parsed(line));
  } finally {
    await handle.close();
  }
}

/** @param {string} line @returns {any[]} */
function parsed(line) {
  try {
    return line.trim() ? [JSON.parse(line)] : [];
  } catch {
    return [];
  }
}

/**
 * Newer hosts reset a session by a mark in its transcript: what follows the last mark is the conversation now, what
 * stands before it is the one that has ended.
 * @param {any[]} events
 * @param {boolean} ended
 */
function currentWindow(events, ended) {
  const isMark = (/** @type {any} */ event) => event?.type === "reset";
  const last = events.findLastIndex(isMark);
  if (!ended || last < 0) return events.slice(last + 1);
  const before = events.slice(0, last);
  return before.slice(before.findLastIndex(isMark) + 1);
}
