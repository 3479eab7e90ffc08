// Recall of earlier private conversations: which of an agent's conversations the host lets one of its private ones see.
//
// The host grants it call by call, in the context of the tool, to the sub-run of its active memory. What it decides by is
// read here again, and whatever is not known counts as not private.

import { isRecord, normalizeAgentId, pluginSettings, rememberedConversations, sessionAgentId } from "../lib/config.js";
import { errorText } from "../lib/errors.js";
import { importSdk } from "./sdk.js";

/**
 * @typedef {import("./host.js").Host} Host
 * @typedef {import("./host.js").HostConfig} HostConfig
 * @typedef {{anchorSessionKey: string, scope: string, corpus: string}} ConversationRecall
 * @typedef {Record<string, any>} SessionEntry
 * @typedef {Record<string, SessionEntry>} SessionStore
 */

/** What the host's active memory adds to the key of the conversation that it recalls for. */
const RECALL_RUN = /^:active-memory:[a-f0-9]{12}$/i;

/** The conversation that a run of active memory recalls for; any other session itself. @param {string} sessionKey */
export function conversationOfRun(sessionKey) {
  const key = sessionKey.trim();
  const at = key.toLowerCase().lastIndexOf(":active-memory:");
  return at > 0 && RECALL_RUN.test(key.slice(at)) ? key.slice(0, at) : key;
}

/** Sessions that no person holds. */
const MACHINE = /:(?:active-memory|cron|heartbeat|hook|node|subagent)(?::|$)/;

/** Whether this plugin offers it at all. @param {unknown} settings Our own settings. */
export function offersPrivateRecall(settings) {
  return !(isRecord(settings) && settings.privateRecall === "off");
}

/**
 * What a tool's call may see of conversations by the host's grant: their ids, and whether files are searched too.
 * Undefined without a grant; no ids where the grant does not hold.
 * @param {Host} host
 * @param {{cfg: HostConfig, agentId: string, sessionKey?: string, sandboxed: boolean, conversationRecall?: ConversationRecall}} context
 * @returns {Promise<{conversations: string[], withFiles: boolean} | undefined>}
 */
export async function recallGrant(host, { cfg, agentId, sessionKey, sandboxed, conversationRecall }) {
  if (!conversationRecall) return undefined;
  const withFiles = conversationRecall.corpus === "configured";
  const nothing = { conversations: [], withFiles };
  const { anchorSessionKey, scope, corpus } = conversationRecall;
  const anchor = String(anchorSessionKey ?? "").trim();
  const isKnown = scope === "same-agent-private" && (corpus === "sessions" || corpus === "configured");
  if (!isKnown || sandboxed || anchor === "" || !offersPrivateRecall(pluginSettings(cfg)) || !rememberedConversations(cfg, agentId)) {
    return nothing;
  }
  if (sessionAgentId(cfg, { sessionKey: anchor }) !== agentId || !isRunOf(anchor, sessionKey)) return nothing;
  try {
    const transcripts = await importSdk("session-transcript-hit");
    if (typeof transcripts?.loadCombinedSessionStoreForGateway !== "function") return nothing;
    const { store } = transcripts.loadCombinedSessionStoreForGateway(cfg, { agentId });
    return { conversations: visibleFrom(cfg, agentId, anchor, store), withFiles };
  } catch (error) {
    host.logger.warn(`memory: earlier conversations are left out: ${errorText(error)}`);
    return nothing;
  }
}

/**
 * Whether a session is the one that is recalled for, or the host's run on its behalf.
 * @param {string} anchor
 * @param {string | undefined} sessionKey
 */
function isRunOf(anchor, sessionKey) {
  const requester = String(sessionKey ?? "").trim();
  return requester === anchor || (requester.startsWith(anchor) && RECALL_RUN.test(requester.slice(anchor.length)));
}

/**
 * The conversations that a private one may see: the agent's other private ones. A transcript that any session uses which is
 * not private is not; nor is the one that asks, which the model has before it.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {string} anchor
 * @param {SessionStore} store
 * @returns {string[]}
 */
export function visibleFrom(cfg, agentId, anchor, store) {
  const anchorId = idOf(store[anchor]);
  const isOpen = (/** @type {string} */ key) =>
    sessionAgentId(cfg, { sessionKey: key }) === normalizeAgentId(agentId) && isPrivateConversation(agentId, key, store[key]);
  if (anchorId === undefined || !isPrivateConversation(agentId, anchor, store[anchor])) return [];
  /** @type {Map<string, boolean>} */
  const open = new Map();
  for (const key of Object.keys(store)) {
    const id = idOf(store[key]);
    if (id !== undefined) open.set(id, (open.get(id) ?? true) && isOpen(key));
  }
  if (!open.get(anchorId)) return [];
  open.delete(anchorId);
  return [...open].filter(([, isVisible]) => isVisible).map(([id]) => id);
}

/** @param {SessionEntry | undefined} entry @returns {string | undefined} */
function idOf(entry) {
  return typeof entry?.sessionId === "string" && entry.sessionId.trim() ? entry.sessionId.trim() : undefined;
}

/**
 * Whether one person talks to the agent alone in a session, as the host decides it.
 * @param {string} agentId
 * @param {string} sessionKey
 * @param {SessionEntry | undefined} entry
 */
export function isPrivateConversation(agentId, sessionKey, entry) {
  if (!isRecord(entry)) return false;
  const key = sessionKey.trim().toLowerCase();
  const prefix = `agent:${agentId}:`;
  const types = [entry.chatType, entry.origin?.chatType, entry.deliveryContext?.chatType].filter((type) => type !== undefined);
  const isDirect = types.every((type) => type === "direct");
  if (!isDirect || RECALL_RUN.test(key.slice(key.lastIndexOf(":active-memory:")))) return false;
  if (key === "global" || key === `${prefix}global` || key.includes(":group:") || key.includes(":channel:")) return false;
  if (key.startsWith(`${prefix}explicit:`)) return types.length > 0;
  if (MACHINE.test(key)) return false;
  return types.length > 0 || key.includes(":direct:") || key.includes(":dm:");
}
