// The safety net below the pre-compaction flush: when the host compacts a conversation, the messages that neither a flush
// nor auto-capture has seen go to the capture queue before they are gone.

import { randomUUID } from "node:crypto";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { isExcluded } from "../forgetting/policy.js";
import { hookAgent } from "./agent.js";
import { workOff } from "./capture.js";
import { unseen } from "./flush-progress.js";
import { heard, noteListening } from "./listening.js";
import { lastMessages } from "./messages.js";
import { isConversation, isPrivateSession } from "./session.js";
import { sessionEntry } from "./session-entry.js";
import { ownTurns } from "./speakers.js";
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
  if (!isConversation(ctx) || !isPrivateSession(plugin.host.config(), ctx)) return;
  const agent = hookAgent(plugin.host, ctx);
  if (!agent.settings.captureOnCompaction || isExcluded(plugin.host, agent.cfg, agent.agentId, ctx)) return;
  const sessionKey = String(ctx.sessionKey);
  const { sessionId, compactions, sessionFile } = recorded(plugin, agent, event, ctx);
  const session = { agentId: agent.agentId, sessionKey, sessionId, sessionFile };
  const own = (/** @type {any[]} */ said) => ownTurns(plugin.host, ctx, said);
  const { compactions: spans } = noteListening(agent, "end");
  const messages = heard(
    spans,
    ctx,
    unseen(
      Array.isArray(event.messages)
        ? lastMessages(own(event.messages), MAX_MESSAGES)
        : await sessionMessages(session, MAX_MESSAGES, { uncompacted: true, own }),
    ),
  );
  if (!messages.some((message) => message.role === "user")) return;
  // The same compaction, tried again, is one. A session that is reset keeps its id and counts from zero again.
  const last = messages.at(-1)?.at ?? "";
  const id = sessionId && compactions !== undefined ? `compaction-${sessionId}-${compactions}-${last}` : `compaction-${randomUUID()}`;
  for (let from = 0; from < messages.length; from += MESSAGES_PER_JOB) {
    // Each entry is cleaned before it is written, which holds the event loop; not for all of them at once.
    if (from > 0) await nextTurn();
    native().queueCapture(agent.native, {
      id: `${id}-${from}`,
      sessionKey,
      ...(sessionId ? { sessionId } : {}),
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
 * What the host has written down about a session, as far as it tells.
 * @param {import("./capture.js").Plugin} plugin
 * @param {import("./agent.js").Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 * @returns {{sessionId: string, compactions?: number, sessionFile?: unknown}}
 */
function recorded({ api }, { cfg, agentId }, { sessionFile }, { sessionKey, sessionId = "" }) {
  const sessions = api.runtime.agent?.session;
  try {
    const { entry, store } = sessionEntry(sessions, cfg, agentId, sessionKey);
    const id = sessionId || (entry?.sessionId ?? "");
    // Older hosts do not name the transcript's file when a person asked for the compaction.
    const file = store
      ? (sessionFile ?? sessions.resolveSessionFilePath(id, entry, { sessionsDir: path.dirname(store), agentId }))
      : sessionFile;
    return { sessionId: id, compactions: entry?.compactionCount ?? 0, sessionFile: file };
  } catch {
    // A host that tells nothing of its sessions.
    return { sessionId, sessionFile };
  }
}
