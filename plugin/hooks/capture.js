// After a turn: record it, queue it, and let the work on the queue begin without anyone waiting for it.

import { randomUUID } from "node:crypto";
import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { isExcluded } from "../forgetting/policy.js";
import { getManager } from "../runtime.js";
import { agentNow, hookAgent, recordOf } from "./agent.js";
import { settleAtExit } from "./at-exit.js";
import { countCaptured, noteCaptured } from "./flush-progress.js";
import { heard, noteListening, noteUnheard } from "./listening.js";
import { lastMessages, lastWords } from "./messages.js";
import { outsideHooks } from "./model.js";
import { isPrivate, isUserTurn } from "./session.js";
import { ownTurns } from "./speakers.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("./agent.js").Agent} Agent
 * @typedef {{api: PluginApi, host: Host}} Plugin
 */

/** Agents whose queue is being worked off in this process, and whether more came in meanwhile. @type {Map<string, {again: boolean}>} */
const running = new Map();

/** What the last attempt at an agent's queue failed with. @type {Map<string, string>} */
const failures = new Map();

/**
 * Everything up to the first `await` is done before the host goes on, and some hosts end the process soon after.
 * @param {Plugin} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function captureTurn(plugin, event, ctx) {
  if (event.success !== true || !isUserTurn(ctx) || !isPrivate(plugin.host.config(), ctx)) return;
  const agent = hookAgent(plugin.host, ctx);
  if (isExcluded(plugin.host, agent.cfg, agent.agentId, ctx)) return;
  const said = ownTurns(plugin.host, { runId: event.runId, ...ctx }, event.messages, { isEnd: true });
  if (agent.settings.shortTerm.enabled) recordTurn(plugin.host, agent, said, ctx);
  const last = lastMessages(said, agent.settings.autoCaptureMaxMessages);
  const { turns } = noteListening(agent, "end", last.findLast(({ role }) => role === "user")?.at);
  if (!agent.settings.autoCapture) {
    noteUnheard(ctx, event.messages);
    return;
  }
  const messages = heard(turns, ctx, last, { isEnd: true });
  const seen = countCaptured(messages);
  if (!messages.slice(seen).some((message) => message.role === "user")) return;
  native().queueCapture(agent.native, {
    id: String(event.runId ?? ctx.runId ?? randomUUID()),
    sessionKey: ctx.sessionKey,
    ...(typeof ctx.sessionId === "string" && ctx.sessionId ? { sessionId: ctx.sessionId } : {}),
    provider: ctx.modelProviderId,
    model: ctx.modelId,
    seen,
    messages,
  });
  noteCaptured(messages);
  // In a turn of its own: whatever is done here holds the gateway's event loop in one piece.
  setImmediate(() => workOff(plugin, agent));
}

/**
 * @param {Host} host
 * @param {Agent} agent
 * @param {any[]} said Of the host's messages those of the person's turns.
 * @param {Record<string, any>} ctx
 */
function recordTurn(host, agent, said, ctx) {
  const [user] = lastMessages(said, 1, "user");
  const [assistant] = lastMessages(said, 1, "assistant");
  if (!user || !assistant) return;
  try {
    native().recordTurn(agent.native, user.text, assistant.text, recordOf(agent, ctx), lastWords(said, 1));
    settleAtExit();
    tellNotices(host);
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: short-term memory: ${errorText(error)}`);
  }
}

/**
 * Files that were found damaged, and lines that had to wait and could not be written.
 * @param {Host} host
 */
function tellNotices(host) {
  for (const notice of native().takeAutomaticNotices()) host.logger.warn(`${PLUGIN_ID}: ${notice}`);
}

/**
 * Works off what an earlier process left behind.
 * @param {Plugin} plugin
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 */
export function resumeCaptures(plugin, cfg, agentId) {
  const agent = agentNow(plugin.host, cfg, agentId);
  if (agent.settings.autoCapture || agent.settings.captureOnCompaction) workOff(plugin, agent);
}

/**
 * Starts work on an agent's queue unless it is going on already.
 * @param {Plugin} plugin
 * @param {Agent} agent
 */
export function workOff(plugin, agent) {
  const key = JSON.stringify([agent.native.stateDir, agent.agentId]);
  const current = running.get(key);
  if (current) {
    current.again = true;
    return;
  }
  const state = { again: false };
  running.set(key, state);
  const work = async () => {
    do {
      state.again = false;
      await drain(plugin, agent);
    } while (state.again);
  };
  // What could not be done stays in the queue, and is tried again before long: the same failure is said once.
  outsideHooks(work)
    .then(() => failures.delete(key))
    .catch((error) => {
      const message = errorText(error);
      if (failures.get(key) !== message) plugin.host.logger.warn(`${PLUGIN_ID}: capture: ${message}`);
      failures.set(key, message);
    })
    .finally(() => {
      running.delete(key);
      tellNotices(plugin.host);
    });
}

/**
 * @param {Plugin} plugin
 * @param {Agent} agent
 */
async function drain(plugin, agent) {
  const { cfg, agentId } = agent;
  const { manager, cause } = await getManager(plugin.host, { cfg, agentId, purpose: "default" });
  if (cause) throw cause;
  await manager?.capture(agent.native);
}
