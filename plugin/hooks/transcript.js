// What was said in a session, from whichever store the host keeps its transcripts in: JSON lines in a file before 2026.8,
// a database behind the host's SDK since.

import path from "node:path";
import { withRegularFile } from "../regular-file.js";
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
 * @param {{ended?: boolean, uncompacted?: boolean, own?: (messages: any[]) => any[]}} [options] `ended`: what was said before the session was reset under the
 *   same id. `uncompacted`: only what was said since the last compaction. `own`: which of the host's messages count.
 * @returns {Promise<Message[]>}
 */
export async function sessionMessages(session, limit, { ended = false, uncompacted = false, own } = {}) {
  const [before, current] = conversations(await transcriptEvents(session)).slice(-2);
  const events = ended && current ? before : (current ?? before);
  const from = uncompacted ? events.findLastIndex((event) => event?.type === "compaction") + 1 : 0;
  return messagesIn(events.slice(from), limit, own);
}

/**
 * Of the messages that a host hands over when a session is reset, those of the conversation that ends: newer hosts hand
 * over what was ever said under the session's id, which a reset does not change.
 * @param {Message[]} said
 * @param {SessionRef} session
 */
export async function withoutEarlier(said, session) {
  const [before, current] = conversations(await transcriptEvents(session)).slice(-2);
  const last = said.at(-1);
  // Never reset before; or not kept where we can look.
  if (!current || !last) return said;
  const [ended, now] = [before, current].map((events) => new Set(messagesIn(events, Number.POSITIVE_INFINITY).map(nameOf)));
  // Hosts mark the reset before they tell of it, but none promises to.
  const conversation = now.has(nameOf(last)) ? now : ended;
  return said.filter((message) => conversation.has(nameOf(message)));
}

/** What tells a message from others. @param {Message} message */
export const nameOf = ({ at, role, text }) => JSON.stringify([at, role, text]);

/** @param {any[]} events @param {number} limit @param {(messages: any[]) => any[]} [own] */
function messagesIn(events, limit, own = (messages) => messages) {
  return lastMessages(own(events.filter((event) => event?.type === "message").map((event) => event.message)), limit);
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
  const events = await withRegularFile(file, async (handle, size) => {
    const from = Math.max(0, size - TAIL_BYTES);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
    // The first line of a tail may be cut, and the last one may still be written.
    return (from > 0 ? lines.slice(1) : lines).flatMap((line) => parsed(line));
  });
  return events ?? [];
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
 * The conversations of a session, the present one last: newer hosts reset a session by a mark in its transcript.
 * @param {any[]} events
 */
function conversations(events) {
  /** @type {any[][]} */
  const found = [[]];
  for (const event of events) {
    if (event?.type === "reset") found.push([]);
    else found.at(-1)?.push(event);
  }
  return found;
}
