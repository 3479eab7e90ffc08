// What a hook adds to a prompt, and whether it may: the one rule for everything that we put there.
//
// Hosts from 2026.6 append after the message and keep their transcript clean, so that everything before it stays as the
// provider has it cached. Older ones know only "before the message" and keep it in the transcript, which is as stable, but is
// read again in every later turn, whoever speaks then.

import { native } from "../../lib/native.js";
import { isSharedSession } from "./speakers.js";

/**
 * Whether what is added to a turn stays with those who may see it. In a room everybody sees it anyway.
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function mayAdd(host, event, ctx) {
  if (host.has("appendedContext") || native().readSessionKey(String(ctx.sessionKey ?? "")).isShared) return true;
  return !isSharedSession(host, host.config(), ctx, event.messages);
}

/**
 * A text as the host adds it to a prompt.
 * @param {import("../host.js").Host} host
 * @param {string} text
 */
export const addition = (host, text) => (host.has("appendedContext") ? { appendContext: text } : { prependContext: text });
