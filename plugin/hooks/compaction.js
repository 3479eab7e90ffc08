// The safety net below the pre-compaction flush: when the host compacts a conversation that it has not flushed, the
// messages go to the capture queue before they are gone.

import { randomUUID } from "node:crypto";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { hookAgent } from "./agent.js";
import { workOff } from "./capture.js";
import { lastMessages } from "./messages.js";
import { isConversation, isPrivate } from "./session.js";
import { sessionMessages } from "./transcript.js";

/** Messages of a compaction that are looked at, counted from the end. */
const MAX_MESSAGES = 400;
/** Messages in one entry of the queue: a model must be able to read them. */
const MESSAGES_PER_JOB = 40;
/** Most facts kept from one entry of the queue. */
const FACTS_PER_JOB = 20;

/**
 * @param {import("./capture.js").Plugin} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function saveBeforeCompaction(plugin, event, ctx) {
  if (!isConversation(ctx) || !isPrivate(ctx)) return;
  const agent = hookAgent(plugin.host, ctx);
  if (!agent.settings.captureOnCompaction) return;
  const sessionKey = String(ctx.sessionKey);
  const entry = sessionEntry(plugin, agent, sessionKey);
  if (wasFlushed(entry)) return;
  const sessionId = String(ctx.sessionId ?? entry?.sessionId ?? "");
  const session = { agentId: agent.agentId, sessionKey, sessionId, sessionFile: event.sessionFile };
  const messages = Array.isArray(event.messages)
    ? lastMessages(event.messages, MAX_MESSAGES)
    : await sessionMessages(session, MAX_MESSAGES);
  if (!messages.some((message) => message.role === "user")) return;
  // The same compaction, tried again, is one.
  const id = entry && sessionId ? `compaction-${sessionId}-${entry.compactionCount ?? 0}` : `compaction-${randomUUID()}`;
  for (let from = 0; from < messages.length; from += MESSAGES_PER_JOB) {
    native().queueCapture(agent.native, {
      id: `${id}-${from}`,
      sessionKey,
      provider: ctx.modelProviderId,
      model: ctx.modelId,
      maxFacts: FACTS_PER_JOB,
      messages: messages.slice(from, from + MESSAGES_PER_JOB),
    });
  }
  plugin.host.logger.info(`${PLUGIN_ID}: a compaction without a flush; captured from ${messages.length} messages of ${sessionKey}`);
  workOff(plugin, agent);
}

/**
 * What the host has written down about a session; nothing where it does not tell.
 * @param {import("./capture.js").Plugin} plugin
 * @param {import("./agent.js").Agent} agent
 * @param {string} sessionKey
 * @returns {Record<string, any> | undefined}
 */
function sessionEntry({ api }, { cfg, agentId }, sessionKey) {
  const sessions = api.runtime.agent?.session;
  try {
    if (typeof sessions?.getSessionEntry === "function") return sessions.getSessionEntry({ agentId, sessionKey });
    const store = sessions?.resolveStorePath?.(cfg.session?.store, { agentId });
    return store ? sessions.loadSessionStore?.(store)?.[sessionKey] : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the host flushed since its last compaction. Before 2026.8 the record was flat. @param {Record<string, any> | undefined} entry */
function wasFlushed(entry) {
  const flushedAt = entry?.memoryFlush ? entry.memoryFlush.compactionCount : entry?.memoryFlushCompactionCount;
  return typeof flushedAt === "number" && entry?.memoryFlush?.kind !== "failed" && flushedAt === (entry?.compactionCount ?? 0);
}
