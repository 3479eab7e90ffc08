// Conversations of hosts from 2026.8 on, which keep them in a database of their own. It is never opened here: the host
// lists conversations and reads messages, and the engine keeps what was said. Older hosts write files, which the engine
// reads by itself.

import { isRecord } from "../../lib/config.js";
import { factsOfEntry, hasPolicy } from "../forgetting/policy.js";
import { isPrivate } from "../hooks/session.js";
import { isHostsAnswer, textOf } from "../message-text.js";
import { importSdk } from "../sdk.js";

/**
 * @typedef {import("../../index.d.ts").SessionSource} SessionSource
 * @typedef {import("../../index.d.ts").SessionRequest} SessionRequest
 * @typedef {{sessionKey: string, sessionId: string, updatedAtMs: number, machine: boolean, kind?: string} & import("../forgetting/policy.js").Facts} Session
 */

/** Largest part of a conversation that is read at a time, in bytes; a larger single message is read alone. */
const PAGE_BYTES = 1_000_000;
/** Largest message that is read, in bytes; the host gives none that are larger. */
const MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Answers the engine about the conversations of an agent.
 * @param {string} agentId
 * @param {() => import("../host.js").HostConfig} config
 * @returns {SessionSource}
 */
export function hostSessions(agentId, config) {
  return async (request) => (request.kind === "list" ? await listSessions(agentId, config()) : await readSession(agentId, request));
}

/**
 * @param {string} agentId
 * @param {import("../host.js").HostConfig} cfg
 */
async function listSessions(agentId, cfg) {
  const store = await importSdk("session-store-runtime");
  if (typeof store?.listSessionEntries !== "function") throw new Error("this host does not list its conversations");
  const current = store.listSessionEntries({ agentId, readOnly: true, hydrateSkillPromptRefs: false });
  const retained = await retainedSessions(agentId);
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  for (const session of [...(retained ?? []), ...current.map(sessionOf)]) {
    if (!session?.sessionId) continue;
    const known = sessions.get(session.sessionId);
    sessions.set(session.sessionId, { ...known, ...session, machine: session.machine || known?.machine === true });
  }
  const told = hasPolicy(cfg) ? await metadata(cfg, agentId, [...sessions.keys()]) : new Map();
  const listed = [...sessions.values()].map((session) => ({ ...session, ...told.get(session.sessionId) }));
  return { sessions: listed, complete: retained !== null };
}

/**
 * What a policy asks for, of conversations that were followed by another one too, which have no entry any more.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {string[]} sessionIds
 * @returns {Promise<Map<string, import("../forgetting/policy.js").Facts>>}
 */
async function metadata(cfg, agentId, sessionIds) {
  const resolve = await sessionTargets(cfg, agentId);
  return new Map((resolve?.(sessionIds) ?? []).map((target) => [target.sessionId, factsOfEntry(target)]));
}

/**
 * What the host knows of conversations by their ids: people, times, hooks. Null on hosts before 2026.8, which do not tell.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @returns {Promise<((sessionIds: string[]) => any[]) | null>}
 */
export async function sessionTargets(cfg, agentId) {
  const [sdk, store] = await Promise.all([importSdk("memory-core-host-engine-sessions"), importSdk("session-store-runtime")]);
  if (typeof sdk?.resolveMemorySessionTargets !== "function" || typeof store?.resolveStorePath !== "function") return null;
  const storePath = store.resolveStorePath(cfg.session?.store, { agentId });
  return (sessionIds) => sdk.resolveMemorySessionTargets({ agentId, storePath, sessionIds });
}

/**
 * An entry of the host's list.
 * @param {{sessionKey: string, entry: Record<string, any>}} listed
 * @returns {Session}
 */
function sessionOf({ sessionKey, entry }) {
  return {
    sessionKey,
    sessionId: typeof entry?.sessionId === "string" ? entry.sessionId.trim() : "",
    updatedAtMs: wholeNumber(entry?.updatedAt),
    machine: Boolean(entry?.spawnedBy || entry?.heartbeatIsolatedBaseSessionKey),
    ...factsOfEntry(entry),
  };
}

/**
 * Conversations with those that were followed by another one under the same key; null where the host does not say.
 * @param {string} agentId
 * @returns {Promise<Session[] | null>}
 */
async function retainedSessions(agentId) {
  const sdk = await importSdk("memory-core-host-engine-sessions");
  if (typeof sdk?.listSessionTranscriptCorpusEntriesForAgent !== "function") return null;
  const options = { includeRetainedSqlite: true, includeContentRevision: false, readOnly: true };
  const entries = await sdk.listSessionTranscriptCorpusEntriesForAgent(agentId, options);
  return entries
    .filter((/** @type {any} */ entry) => entry.transcriptSource === "sqlite" && entry.sessionKey)
    .map((/** @type {any} */ entry) => ({
      sessionKey: entry.sessionKey,
      sessionId: String(entry.sessionId),
      updatedAtMs: wholeNumber(entry.updatedAtMs),
      machine: entry.generatedByDreamingNarrative === true,
      ...(typeof entry.sessionKind === "string" ? { kind: entry.sessionKind } : {}),
    }));
}

/**
 * What follows a mark in a conversation.
 * @param {string} agentId
 * @param {Extract<SessionRequest, {kind: "read"}>} request
 */
async function readSession(agentId, { sessionKey, sessionId, cursor }) {
  const sdk = await importSdk("session-transcript-runtime");
  if (typeof sdk?.readSessionTranscriptVisibleMessageDelta !== "function") throw new Error("this host does not show its conversations");
  const target = { agentId, sessionKey, sessionId, ...(cursor ? { cursor } : {}) };
  let page = await sdk.readSessionTranscriptVisibleMessageDelta({ ...target, maxBytes: PAGE_BYTES });
  if (page.kind === "page" && page.entries.length === 0 && page.requiredBytes > PAGE_BYTES) {
    const maxBytes = Math.min(page.requiredBytes, MESSAGE_BYTES);
    page = await sdk.readSessionTranscriptVisibleMessageDelta({ ...target, maxBytes, maxMessages: 1 });
  }
  if (page.kind === "unavailable") return { kind: "unavailable", reason: `the host is at work on it (${page.reason})` };
  if (page.kind !== "page") return { kind: page.kind };
  return { kind: "page", cursor: page.cursor, more: page.hasMore === true, messages: page.entries.flatMap(messageOf(sessionKey)) };
}

/**
 * Reads what somebody said in a conversation; tools, settings and the host's own answers say nothing.
 * @param {string} sessionKey
 * @returns {(entry: {seq: number, message: unknown}) => {line: number, role: string, text: string, atMs?: number, provenance?: string, ofOthers?: boolean}[]}
 */
const messageOf =
  (sessionKey) =>
  ({ seq, message }) => {
    if (!isRecord(message) || (message.role !== "user" && message.role !== "assistant") || isHostsAnswer(message)) return [];
    const text = textOf(message.content);
    if (!text.trim()) return [];
    const provenance = isRecord(message.provenance) && typeof message.provenance.kind === "string" ? message.provenance.kind : undefined;
    return [
      {
        line: Math.max(1, wholeNumber(seq)),
        role: message.role,
        text,
        ...(Number.isFinite(message.timestamp) ? { atMs: message.timestamp } : {}),
        ...(provenance ? { provenance } : {}),
        ...(isOfOthers(sessionKey, message) ? { ofOthers: true } : {}),
      },
    ];
  };

/**
 * Whether somebody else than the agent's person said it, or the model after it has read such words. Who writes without a
 * channel, such as the Control UI, has the owner's token and no name.
 * @param {string} sessionKey
 * @param {Record<string, any>} message
 */
function isOfOthers(sessionKey, message) {
  const mark = isRecord(message.__openclaw) ? message.__openclaw : {};
  if (message.role === "assistant") return mark.turnTainted === true;
  if (mark.senderIsOwner === true) return false;
  return (
    mark.senderIsOwner === false ||
    !isPrivate({}, { sessionKey }) ||
    [mark.senderId, message.senderId].some((id) => typeof id === "string" && id !== "")
  );
}

/** @param {unknown} value */
function wholeNumber(value) {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
}
