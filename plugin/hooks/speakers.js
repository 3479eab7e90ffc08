// Who has said what in a session that several people may share, by what each host writes down of it: around the words before
// 2026.6, nothing until 2026.8, beside the words since. What is somebody else's, or may be, never becomes the owner's memory.

import { isRecord } from "../../lib/config.js";
import { textOf } from "../message-text.js";
import { isOfSomebodyElse } from "../owner.js";
import { isReachedByOthers } from "../reach.js";
import { forgetOldest } from "./forget-oldest.js";
import { withForwarded } from "./forwarded.js";

/**
 * @typedef {{channel: string, senderId?: string, senderIsOwner?: boolean}} Sender
 * @typedef {{role?: unknown, content?: unknown, __openclaw?: unknown}} RawMessage
 * @typedef {"own" | "others" | "untold" | "unknown"} Whose `untold`: nothing is written of it; `unknown`: what is written does not tell.
 */

/** What older hosts write around the words of a message that came over a channel. */
const HEADER = /^Conversation info[^\n]*:[ \t]*\n```json\n([\s\S]*?)\n```/gm;

/** The messages that runs under way have begun with. @type {Map<string, string>} */
const begun = new Map();
/** Runs that are remembered; the end of one is not always told. */
const MAX_RUNS = 1000;

/** @param {unknown} value */
const word = (value) => (typeof value === "string" ? value.trim() : "");

/**
 * Notes which message a run begins with: others may write while it goes on.
 * @param {unknown} _
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function noteRun(_, event, ctx) {
  const runId = word(ctx.runId);
  if (!runId) return;
  begun.delete(runId);
  begun.set(runId, word(event.currentUserMessage) || word(event.prompt));
  forgetOldest(begun, MAX_RUNS);
}

/**
 * The senders that stand around the words of a message: several where messages waited for a busy agent. One that came over a
 * channel without its sender's id has an empty one. A person may write such a header too, which only adds a name.
 * @param {string} text
 * @returns {string[]}
 */
function sendersAround(text) {
  if (!text.includes("Conversation info")) return [];
  const ids = [...text.matchAll(HEADER)].flatMap(([, json]) => {
    const info = parsed(json);
    return "message_id" in info || "sender_id" in info ? [word(info.sender_id)] : [];
  });
  return [...new Set(ids)];
}

/** @param {string} json @returns {Record<string, unknown>} */
function parsed(json) {
  try {
    const value = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** @param {unknown} messages */
const lastOfUser = (messages) =>
  Array.isArray(messages) ? textOf(messages.findLast((/** @type {any} */ message) => message?.role === "user")?.content) : "";

/**
 * A hook's context with who writes, where the host tells it in the message alone. Several are nobody's name.
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function withSender(event, ctx) {
  if (word(ctx.senderId)) return ctx;
  const prompt = word(event.prompt) || begun.get(word(ctx.runId));
  const ids = sendersAround(prompt ?? (ctx.trigger === "user" ? lastOfUser(event.messages) : ""));
  return ids.some(Boolean) ? { ...ctx, senderId: ids.join(" ") } : ctx;
}

/**
 * Who has sent a message, as the host has written it down.
 * @param {RawMessage} message
 * @returns {Sender[]}
 */
function sendersOf(message) {
  const mark = isRecord(message.__openclaw) ? message.__openclaw : {};
  const senderId = word(mark.senderId);
  const senderIsOwner = typeof mark.senderIsOwner === "boolean" ? mark.senderIsOwner : undefined;
  if (!senderId && senderIsOwner === undefined) return sendersAround(textOf(message.content)).map((id) => ({ channel: "", senderId: id }));
  const told = [mark.transport, mark.senderIdentity].filter(isRecord);
  const channel = told.map((part) => word(part.channel) || word(part.pluginId)).find(Boolean) ?? "";
  return [{ channel: channel.toLowerCase(), senderId, ...(senderIsOwner === undefined ? {} : { senderIsOwner }) }];
}

/**
 * Whether a message of a session is somebody else's beyond doubt.
 * @param {import("../host.js").HostConfig} cfg
 * @param {unknown} sessionKey
 * @param {RawMessage} message
 */
const isOthers = (cfg, sessionKey, message) =>
  message?.role === "user" && sendersOf(message).some((sender) => isOfSomebodyElse(cfg, sessionKey, sender) === true);

/**
 * Whether somebody else than the agent's own person has a part in a session, or may have one.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 * @param {unknown} messages
 */
export function isSharedSession(host, cfg, ctx, messages) {
  if (isReachedByOthers(cfg, host.stateDir(), ctx)) return true;
  return Array.isArray(messages) && messages.some((message) => isOthers(cfg, ctx.sessionKey, message));
}

/**
 * Whose a message is.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 * @param {RawMessage} message
 * @returns {Whose}
 */
function whoseIs(cfg, ctx, message) {
  const senders = sendersOf(message);
  if (senders.length === 0) return "untold";
  const answers = senders.map((sender) =>
    sender.senderId || sender.senderIsOwner !== undefined ? isOfSomebodyElse(cfg, ctx.sessionKey, sender) : undefined,
  );
  if (answers.includes(true)) return "others";
  return answers.includes(undefined) ? "unknown" : "own";
}

/**
 * Whether two people have written over one channel.
 * @param {RawMessage[]} messages
 */
function haveSeveralWritten(messages) {
  /** @type {Map<string, string>} */
  const known = new Map();
  return messages.some((message) =>
    (message?.role === "user" ? sendersOf(message) : []).some(({ channel, senderId = "" }) => {
      if (!channel || !senderId) return false;
      const first = known.get(channel) ?? senderId;
      known.set(channel, first);
      return first !== senderId;
    }),
  );
}

/**
 * Of the host's messages of a session, those of the turns that the agent's own person began. In a session that others reach,
 * what may be theirs is left out too: what nobody can tell, and what came in while a run was under way. What was passed on says so.
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {unknown} messages
 * @param {{isEnd?: boolean}} [options] Whether they are told of at the end of a run, whose own message has no sender yet.
 * @returns {any[]}
 */
export function ownTurns(host, ctx, messages, { isEnd = false } = {}) {
  return Array.isArray(messages) ? withForwarded(host, ctx, turnsOf(host, ctx, messages, isEnd)) : [];
}

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {any[]} messages
 * @param {boolean} isEnd
 */
function turnsOf(host, ctx, messages, isEnd) {
  const cfg = host.config();
  const isShared = isSharedSession(host, cfg, ctx, messages) || haveSeveralWritten(messages);
  if (!isShared) return messages;
  const run = isEnd ? currentMessage(host, ctx, messages) : messages.length;
  const tells = host.has("namedSenders") || !host.has("appendedContext");
  let keeps = false;
  return messages.filter((message, at) => {
    if (message?.role === "user") {
      const whose = whoseIs(cfg, ctx, message);
      // Who writes without a channel has the gateway's token.
      keeps = whose === "own" || (whose === "untold" && (at < run ? tells : at === run));
    }
    return keeps;
  });
}

/**
 * Where the message that began a run stands among those at its end; after all of them where nothing tells.
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {RawMessage[]} messages
 */
function currentMessage(host, ctx, messages) {
  const runId = word(ctx.runId);
  const isUsers = (/** @type {RawMessage} */ message) => message?.role === "user" && sendersOf(message).length === 0;
  let at = -1;
  if (host.has("namedSenders")) {
    // What was said in earlier runs has been written down by now, with the run.
    const isEarlier = (/** @type {RawMessage} */ { role, __openclaw: mark }) =>
      role === "assistant" && isRecord(mark) && word(mark.runId) !== "" && mark.runId !== runId;
    const last = messages.findLastIndex((message) => isRecord(message) && isEarlier(message));
    at = messages.findIndex((message, index) => index > last && isUsers(message));
  } else if (host.has("appendedContext")) {
    const prompt = begun.get(runId);
    at = messages.findLastIndex((message) => isUsers(message) && prompt && textOf(message.content).trim() === prompt);
  }
  return at < 0 ? messages.length : at;
}
