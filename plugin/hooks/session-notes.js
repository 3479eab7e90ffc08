// When a conversation ends: its last messages as a note, unless the host's own hook writes one.
//
// The note is written at once, named after the time. Where a model is to name it, that happens afterwards, and a model
// that fails leaves the name as it is.

import { userTimeZone } from "../../lib/config.js";
import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { isExcluded } from "../forgetting/policy.js";
import { getManager } from "../runtime.js";
import { hookAgent } from "./agent.js";
import { hostWritesNotes } from "./host-notes.js";
import { firstAndLast, lastMessages } from "./messages.js";
import { isConversation, isPrivateSession } from "./session.js";
import { channelOf } from "./session-entry.js";
import { ownTurns } from "./speakers.js";
import { nameOf, sessionMessages, withoutEarlier } from "./transcript.js";

/**
 * @typedef {import("./capture.js").Plugin} Plugin
 * @typedef {import("./agent.js").Agent} Agent
 * @typedef {import("./messages.js").Message} Message
 */

/** Commands and silent replies are left out later, so more messages are looked at than are kept. */
const SPARE = 4;

/** Ends of a session that nobody asked for; the others come with `before_reset`. */
const AUTOMATIC = new Set(["idle", "daily"]);

/**
 * `/new` and `/reset`.
 * @param {Plugin} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function noteReset(plugin, event, ctx) {
  await note(plugin, ctx, async ({ agentId }) => {
    const own = lastMessages(ownTurns(plugin.host, ctx, event.messages), Number.POSITIVE_INFINITY);
    if (!plugin.host.has("conversationDatabase")) return own;
    const said = lastMessages(event.messages, Number.POSITIVE_INFINITY);
    const session = { agentId, sessionKey: String(ctx.sessionKey), sessionId: String(ctx.sessionId ?? "") };
    const names = new Set(own.map(nameOf));
    // A note of too much is better than none.
    const ended = await withoutEarlier(said, session).catch(() => said);
    return ended.filter((message) => names.has(nameOf(message)));
  });
}

/**
 * The host began a new session by itself, at night or after a pause.
 * @param {Plugin} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function noteAutomaticEnd(plugin, event, ctx) {
  if (!AUTOMATIC.has(event.reason)) return;
  const session = { ...ctx, sessionKey: ctx.sessionKey ?? event.sessionKey, sessionId: event.sessionId ?? ctx.sessionId };
  await note(plugin, session, ({ agentId }) =>
    sessionMessages(
      { agentId, sessionKey: String(session.sessionKey), sessionId: String(session.sessionId ?? ""), sessionFile: event.sessionFile },
      Number.POSITIVE_INFINITY,
      { ended: event.nextSessionId === session.sessionId, own: (messages) => ownTurns(plugin.host, session, messages) },
    ),
  );
}

/**
 * @param {Plugin} plugin
 * @param {Record<string, any>} ctx
 * @param {(agent: Agent) => Promise<Message[]>} read
 */
async function note(plugin, ctx, read) {
  const { host } = plugin;
  if (!isConversation(ctx) || !isPrivateSession(host.config(), ctx)) return;
  const agent = hookAgent(host, ctx);
  const { cfg, agentId, settings } = agent;
  if (!settings.sessionNotes.enabled || hostWritesNotes(host, cfg) || isExcluded(host, cfg, agentId, ctx)) return;
  const workspaceDir = host.workspaceDir(cfg, agentId) ?? ctx.workspaceDir;
  if (!workspaceDir) return;
  const { path, messages } = await written(plugin, agent, workspaceDir, ctx, read).catch((error) => {
    host.logger.warn(`${PLUGIN_ID}: the note of this conversation was not written, and will not be: ${errorText(error)}`);
    return { path: null, messages: [] };
  });
  if (!path || settings.sessionNotes.slug !== "model") return;
  nameNote(plugin, agent, path, messages).catch((error) => host.logger.warn(`${PLUGIN_ID}: the name of ${path}: ${errorText(error)}`));
}

/**
 * Writes the note.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {string} workspaceDir
 * @param {Record<string, any>} ctx
 * @param {(agent: Agent) => Promise<Message[]>} read
 */
async function written(plugin, agent, workspaceDir, ctx, read) {
  const messages = firstAndLast(await read(agent), agent.settings.sessionNotes.messages * SPARE);
  const path = native().writeSessionNote(agent.native, workspaceDir, {
    sessionKey: String(ctx.sessionKey ?? ""),
    sessionId: String(ctx.sessionId ?? ""),
    source: channelOf(plugin, agent, ctx),
    timeZone: userTimeZone(agent.cfg, agent.agentId),
    messages,
  });
  return { path, messages };
}

/**
 * The engine asks, and not we: what a hook begins is refused the model once the hook is over.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {string} path
 * @param {Message[]} messages
 */
async function nameNote({ host }, { cfg, agentId, native: own }, path, messages) {
  const { manager, cause } = await getManager(host, { cfg, agentId, purpose: "default" });
  if (cause) throw cause;
  await manager?.run((engine) => engine.nameSessionNote(own, path, messages));
}
