// What a user's message brings up, beside it in the prompt; and the end of the turn, which counts or gives back.

import { randomUUID } from "node:crypto";
import { sessionAgentId } from "../../lib/config.js";
import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { addition, mayAdd } from "../hooks/addition.js";
import { automaticAgent, hasIntents } from "../hooks/agent.js";
import { forgetOldest } from "../hooks/forget-oldest.js";
import { wasAnswered } from "../hooks/messages.js";
import { isConversation, isUserTurn } from "../hooks/session.js";
import { noteShown } from "../hooks/shown.js";
import { withinTime } from "../hooks/within-time.js";
import { speakerOfTurn } from "./speaker.js";

/** @typedef {import("../hooks/agent.js").Agent} Agent */

/** Longest a reply waits for it, in milliseconds; a local file is read in less than one. */
const PATIENCE_MS = 1000;

/** Turns that show something, by session: where the end of a turn does not name its run. @type {Map<string, string>} */
const turns = new Map();
/** Turns that are remembered; one whose end is never told is given back by itself. */
const MAX_TURNS = 1000;

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function showIntents(host, event, ctx) {
  // Another agent's message is nobody's mention.
  if (!isUserTurn(ctx) || !isConversation(ctx) || event.inputProvenance?.kind === "inter_session") return undefined;
  if (ctx.inputProvenance?.kind === "inter_session" || typeof event.prompt !== "string") return undefined;
  const agent = agentOf(host, ctx);
  if (!agent || !mayAdd(host, event, ctx)) return undefined;
  ctx.hookInvocation?.assertActive?.();
  const session = String(ctx.sessionKey ?? ctx.sessionId);
  const turn = String(ctx.runId ?? event.runId ?? randomUUID());
  const began = performance.now();
  const reserved = native().reserveIntents(agent.native, turn, event.prompt, speakerOfTurn(ctx));
  const block = await withinTime(PATIENCE_MS, reserved);
  if (!block) {
    // What comes too late is shown to nobody.
    reserved.then((late) => (late ? giveBack(host, agent, turn, performance.now() - began) : undefined)).catch(() => {});
    return undefined;
  }
  noteShown(host, agent, ctx, { part: "intents", ms: performance.now() - began, text: block });
  turns.delete(session);
  turns.set(session, turn);
  forgetOldest(turns, MAX_TURNS);
  return addition(host, block);
}

/**
 * @param {import("../host.js").Host} host
 * @param {Agent} agent
 * @param {string} turn
 * @param {number} ms
 */
async function giveBack(host, agent, turn, ms) {
  host.logger.warn(
    `${PLUGIN_ID}: standing intents of agent ${agent.agentId} were not shown: they took ${Math.round(ms)} ms, and a reply waits ` +
      `${PATIENCE_MS}. The next message brings them up; if this goes on, cancel some: openclaw memory intents list`,
  );
  await settle(host, agent, turn, false);
}

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function settleIntents(host, event, ctx) {
  const session = String(ctx.sessionKey ?? ctx.sessionId);
  const turn = turns.get(session);
  if (turn === undefined || (ctx.runId && ctx.runId !== turn && event.runId !== turn)) return;
  turns.delete(session);
  const agent = agentOf(host, ctx);
  if (agent) await settle(host, agent, turn, wasAnswered(event));
}

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @returns {Agent | undefined}
 */
function agentOf(host, ctx) {
  const cfg = host.config();
  const agentId = sessionAgentId(cfg, ctx);
  return hasIntents(cfg, agentId) ? automaticAgent(host, cfg, agentId) : undefined;
}

/**
 * @param {import("../host.js").Host} host
 * @param {Agent} agent
 * @param {string} turn
 * @param {boolean} succeeded
 */
async function settle(host, agent, turn, succeeded) {
  try {
    await native().settleIntents(agent.native, turn, succeeded);
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: standing intents: ${errorText(error)}`);
  }
}
