// The host's messages as plain `{role, text}`, with the instant they were said where the host tells.

import { native } from "../../lib/native.js";
import { isHostsAnswer, textOf } from "../message-text.js";

/** Characters of one message that are handed on; what a person types is far shorter. */
const MAX_CHARS = 20_000;

/** Characters of a reply that recall is given: it looks at the beginning. */
const MAX_REPLY = 2000;

/** Messages looked at for the last that is no command. */
const COMMANDS = 4;

/** Messages looked at for the first that a person has written: commands and the host's own may stand before it. */
const FIRST = 4;

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
    const message = plain(messages[i]);
    if (message && (!only || message.role === only) && !isSentOnceMore(message, found.at(-1))) found.push(message);
  }
  return found.reverse();
}

/**
 * The user's message before one and the answer to it, if there was any, as recall asks with them.
 * @param {unknown} messages The messages before it.
 */
export function saidBefore(messages) {
  const [last] = lastMessages(messages, 1);
  const replied = last?.role === "assistant" ? last.text.slice(0, MAX_REPLY) : undefined;
  return { before: lastWords(messages), replied };
}

/**
 * What the user said last, behind commands.
 * @param {unknown} messages
 * @param {number} [skipped] The newest messages of the user that are not meant.
 */
export function lastWords(messages, skipped = 0) {
  const said = lastMessages(messages, COMMANDS + skipped, "user").slice(0, -skipped || undefined);
  return said.findLast(({ text }) => !native().isBetween(text))?.text;
}

/**
 * Whether a reply and the message after it are the same: hosts write what they sent to a channel once more behind the reply.
 * @param {Message} message
 * @param {Message | undefined} next
 */
function isSentOnceMore({ role, text }, next) {
  return role === "assistant" && next?.role === "assistant" && next.text.trim() === text.trim();
}

/**
 * Whether a turn has ended with a reply. Hosts call one a success too whose model answered with an error: only the last
 * message tells.
 * @param {Record<string, any>} event Of `agent_end`.
 */
export function wasAnswered({ success, messages }) {
  const last = Array.isArray(messages) ? messages.findLast((message) => message?.role === "assistant") : undefined;
  return success === true && last?.stopReason !== "error" && last?.stopReason !== "aborted";
}

/**
 * The first messages of the user, and the last ones of both, oldest first.
 * @param {Message[]} messages
 * @param {number} limit How many of the last ones.
 */
export function firstAndLast(messages, limit) {
  const first = messages.slice(0, -limit).filter(({ role }) => role === "user");
  return [...first.slice(0, FIRST), ...messages.slice(-limit)];
}

/**
 * A message of user or assistant that holds text, and is not the host's own: a cron job's prompt is no message before the user's next.
 * @param {any} message
 * @returns {Message | undefined}
 */
function plain(message) {
  const { role, content, timestamp } = message ?? {};
  if ((role !== "user" && role !== "assistant") || isHostsAnswer(message)) return undefined;
  const text = textOf(content).slice(0, MAX_CHARS);
  if (role === "user" && native().isMachinePrompt(text)) return undefined;
  return text.trim() ? { role, text, ...(typeof timestamp === "number" ? { at: timestamp } : {}) } : undefined;
}
