// Evidence: what the owner says in private, and what the agent's own searches and reads bring up there. Nothing of
// machines, groups, sub-agents and our own calls counts.

import { sessionAgentId } from "../../lib/config.js";
import { errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { isExcluded } from "../forgetting/policy.js";
import { forgetOldest } from "../hooks/forget-oldest.js";
import { lastMessages } from "../hooks/messages.js";
import { isConversation, isPrivate, isUserTurn, personOf } from "../hooks/session.js";
import { ownTurns } from "../hooks/speakers.js";
import { chosen } from "./agent.js";
import { consolidate } from "./run.js";

/** Conversations whose last message is remembered. */
const MAX_SESSIONS = 200;

/** What was said last in a conversation: some hosts show the message of a turn alone. @type {Map<string, {text: string, at: number}>} */
const lastSaid = new Map();

/**
 * Notes what happened, later and without anybody waiting.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {Record<string, unknown>} observed
 */
function note(host, cfg, agentId, observed) {
  setImmediate(() => {
    consolidate({ host, cfg, agentId }, { op: "observe", observed: [observed] }).catch((error) =>
      host.logger.warn(`${PLUGIN_ID}: consolidation: ${errorText(error)}`),
    );
  });
}

/**
 * Whether something is evidence: it happened in a private conversation of the owner that the policy does not leave out, with
 * consolidation on.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {Record<string, any>} ctx
 */
function counts(host, cfg, agentId, ctx) {
  return chosen(cfg, agentId).mode !== "off" && isOwners(host, cfg, agentId, ctx);
}

/**
 * Whether a conversation is a private one of the owner that the policy does not leave out.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {Record<string, any>} ctx
 */
export function isOwners(host, cfg, agentId, ctx) {
  if (!isConversation(ctx) || !isPrivate(cfg, ctx)) return false;
  if (isExcluded(host, cfg, agentId, ctx)) return false;
  // Where people are kept apart, nobody tells us which of them is the owner; whom the operator has linked is one of his own.
  const person = personOf(cfg, ctx);
  return person === undefined || person.startsWith("linked:");
}

/**
 * The model searched and was given passages.
 * @param {import("../host.js").Host} host
 * @param {import("../tools/context.js").ToolContext} context
 * @param {string} query
 * @param {{path: string, startLine: number, endLine: number, source?: string}[]} hits
 */
export function noteSearch(host, context, query, hits) {
  const { cfg, agentId } = context;
  if (!counts(host, cfg, agentId, context)) return;
  const shown = hits.filter((hit) => hit.source !== "sessions").map(({ path, startLine, endLine }) => ({ path, startLine, endLine }));
  if (shown.length > 0) note(host, cfg, agentId, { kind: "query", query, shown });
}

/**
 * The model read lines of a note.
 * @param {import("../host.js").Host} host
 * @param {import("../tools/context.js").ToolContext} context
 * @param {{path: string, from?: number, text?: string}} read
 */
export function noteRead(host, context, { path, from = 1, text = "" }) {
  const { cfg, agentId } = context;
  if (!text || !counts(host, cfg, agentId, context)) return;
  const endLine = from + text.split("\n").length - 1;
  note(host, cfg, agentId, { kind: "read", shown: [{ path, startLine: from, endLine }] });
}

/**
 * The owner said something.
 * @param {{host: import("../host.js").Host}} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export function noteTurn({ host }, event, ctx) {
  const cfg = host.config();
  const agentId = sessionAgentId(cfg, ctx);
  if (event.success !== true || !isUserTurn(ctx) || !counts(host, cfg, agentId, ctx)) return;
  const said = ownTurns(host, { runId: event.runId, ...ctx }, event.messages, { isEnd: true });
  const [last, shown] = lastMessages(said, 2, "user").reverse();
  if (!last) return;
  const session = String(ctx.sessionId ?? ctx.sessionKey);
  const key = JSON.stringify([host.stateDir(), agentId, session]);
  // "Forget what I just said" means the message before.
  const before = shown ? { text: shown.text, at: shown.at } : lastSaid.get(key);
  lastSaid.delete(key);
  lastSaid.set(key, { text: last.text, at: last.at ?? Date.now() });
  forgetOldest(lastSaid, MAX_SESSIONS);
  note(host, cfg, agentId, { kind: "said", session, texts: [last.text], ...(before ? { before } : {}) });
}
