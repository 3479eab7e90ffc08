// The host's messages as plain `{role, text}`, with the instant they were said where the host tells.

import { textOf } from "../message-text.js";

/** Characters of one message that are handed on; what a person types is far shorter. */
const MAX_CHARS = 20_000;

/** @typedef {{role: "user" | "assistant", text: string, at?: number}} Message */

/**
 * The last words of a role among the last `limit` messages.
 * @param {unknown} messages
 * @param {"user" | "assistant"} role
 * @param {number} limit
 */
export function lastWords(messages, role, limit) {
  if (!Array.isArray(messages)) return undefined;
  for (let i = messages.length - 1; i >= Math.max(0, messages.length - limit); i--) {
    const text = messages[i]?.role === role ? textOf(messages[i].content).slice(0, MAX_CHARS) : "";
    if (text.trim()) return text;
  }
  return undefined;
}

/**
 * The last messages of user and assistant that hold text, oldest first.
 * @param {unknown} messages
 * @param {number} limit
 * @returns {Message[]}
 */
export function lastMessages(messages, limit) {
  /** @type {Message[]} */
  const found = [];
  if (!Array.isArray(messages)) return found;
  for (let i = messages.length - 1; i >= 0 && found.length < limit; i--) {
    const { role, content, timestamp } = messages[i] ?? {};
    if (role !== "user" && role !== "assistant") continue;
    const text = textOf(content).slice(0, MAX_CHARS);
    if (text.trim()) found.push({ role, text, ...(typeof timestamp === "number" ? { at: timestamp } : {}) });
  }
  return found.reverse();
}
