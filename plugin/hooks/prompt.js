// Before a prompt is built: the last turns and what memory has to say, next to the user's new message.
//
// Hosts from 2026.6 append after the message and keep their transcript clean, so that everything before it stays as the
// provider has it cached. Older ones know only "before the message" and keep it in the transcript, which is as stable.

import { setImmediate as nextTurn } from "node:timers/promises";
import { errorMessage } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { leavesRecall } from "../active-memory/gates.js";
import { getManager } from "../runtime.js";
import { hookAgent, recordOf } from "./agent.js";
import { filesNotRecalled } from "./host-files.js";
import { lastMessages } from "./messages.js";
import { isPrivate, isUserTurn } from "./session.js";
import { withinTime } from "./within-time.js";

/** @typedef {import("./agent.js").Agent} Agent */

/** Messages of the conversation that are compared with the recorded turns. */
const MAX_MESSAGES = 120;

/**
 * @param {{host: import("../host.js").Host}} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function promptContext({ host }, event, ctx) {
  if (!isUserTurn(ctx) || !isPrivate(host.config(), ctx)) return undefined;
  const agent = hookAgent(host, ctx);
  const parts = [
    // The file is read while a worker searches.
    orNothing(host, "short-term memory", () => nextTurn().then(() => lastTurns(agent, event, ctx))),
    orNothing(host, "recall", () => recallBlock(host, agent, event, ctx)),
  ];
  const blocks = (await Promise.all(parts)).filter(Boolean);
  if (blocks.length === 0) return undefined;
  const text = blocks.join("\n\n");
  return host.has("appendedContext") ? { appendContext: text } : { prependContext: text };
}

/**
 * What a part gives; nothing, and a line in the log, when it fails: no other part depends on it.
 * @param {import("../host.js").Host} host
 * @param {string} part
 * @param {() => Promise<string | null>} work
 */
async function orNothing(host, part, work) {
  try {
    return await work();
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: ${part}: ${errorMessage(error)}`);
    return null;
  }
}

/**
 * The last turns of other conversations, and of this one what was compacted away.
 * @param {Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
function lastTurns(agent, event, ctx) {
  if (!agent.settings.shortTerm.enabled) return null;
  const said = lastMessages(event.messages, MAX_MESSAGES);
  return native().shortTermBlock(agent.native, recordOf(agent, ctx), said, said.length === MAX_MESSAGES);
}

/**
 * @param {import("../host.js").Host} host
 * @param {Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
async function recallBlock(host, agent, event, ctx) {
  if (!agent.settings.autoRecall || typeof event.prompt !== "string") return null;
  // One block in a prompt, whoever puts it there.
  if (leavesRecall(host, agent, ctx)) return null;
  const limit = agent.settings.autoRecallTimeoutMs;
  return await withinTime(limit, recall(host, agent, event, ctx));
}

/**
 * @param {import("../host.js").Host} host
 * @param {Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
async function recall(host, agent, event, ctx) {
  const { cfg, agentId } = agent;
  const workspaceDir = host.workspaceDir(cfg, agentId) ?? ctx.workspaceDir;
  const question = {
    prompt: event.prompt,
    before: lastMessages(event.messages, 1, "user")[0]?.text,
    without: await filesNotRecalled(cfg, agentId, ctx, workspaceDir),
    ...(Array.isArray(ctx.activeProjectKeys) ? { projects: ctx.activeProjectKeys.map(String) } : {}),
  };
  const { manager, cause } = await getManager(host, { cfg, agentId, purpose: "default" });
  if (cause) throw cause;
  return (await manager?.recallBlock(agent.native, question)) ?? null;
}
