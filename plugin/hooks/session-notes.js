// When a conversation ends: its last messages as a note, unless the host's own hook writes one.

import { native } from "../../lib/native.js";
import { hookAgent } from "./agent.js";
import { lastMessages } from "./messages.js";
import { isPrivate } from "./session.js";

/** Commands and silent replies are left out later, so more messages are looked at than are kept. */
const SPARE = 4;

/** First host that writes no session note by itself. */
const OPT_IN_SINCE = "2026.8.1";

/**
 * @param {import("./capture.js").Plugin} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function noteSession({ host }, event, ctx) {
  if (!isPrivate(ctx)) return;
  const agent = hookAgent(host, ctx);
  const { cfg, agentId, settings } = agent;
  if (!settings.sessionNotes.enabled || hostWritesNotes(host, cfg)) return;
  const workspaceDir = host.workspaceDir(cfg, agentId) ?? ctx.workspaceDir;
  if (!workspaceDir) return;
  native().writeSessionNote(agent.native, workspaceDir, {
    sessionKey: String(ctx.sessionKey ?? ""),
    sessionId: String(ctx.sessionId ?? ""),
    source: String(event.reason ?? "reset"),
    timeZone: cfg.agents?.defaults?.userTimezone,
    messages: lastMessages(event.messages, settings.sessionNotes.messages * SPARE),
  });
}

/**
 * Whether the host's session-memory hook is on: opt-in on newer hosts, opt-out before.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 */
export function hostWritesNotes(host, cfg) {
  const internal = cfg.hooks?.internal;
  if (internal?.enabled === false) return false;
  const wanted = internal?.entries?.["session-memory"]?.enabled;
  return typeof wanted === "boolean" ? wanted : !host.atLeast(OPT_IN_SINCE);
}
