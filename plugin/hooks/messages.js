// The host's messages as plain `{role, text}`, with the instant they were said where the host tells.

import { textOf } from "../message-text.js";

/** Characters of one message that are handed on; what a person types is far shorter. */
const MAX_CHARS = 20_000;

/** @typedef {{role: "user" | "assistant", text: string, at?: number}} Message */

/**
 * The last messages of user and assistant, or of one of them, that hold text, oldest first.
 * @param {unknown} messages
 * @param {number} limit
 * @param {Message["role"]} [only]
 * @returns {Message[]}
 */
export function lastMessages(messages, limit, only) {
  /** @type {Message[]} */
  const found = [];
  if (!Array.isArray(messages)) return found;
  for (let i = messages.length - 1; i >= 0 && found.length < limit; i--) {
    const { role, content, timestamp } = messages[i] ?? {};
    if ((role !== "user" && role !== "assistant") || (only && role !== only)) continue;
    const text = textOf(content).slice(0, MAX_CHARS);
    if (text.trim()) found.push({ role, text, ...(typeof timestamp === "number" ? { at: timestamp } : {}) });
  }
  return found.reverse();
}
