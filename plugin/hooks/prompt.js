// Before a prompt is built: the last turns and what memory has to say, next to the user's new message.

import { setImmediate as nextTurn } from "node:timers/promises";
import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { leavesRecall } from "../active-memory/gates.js";
import { getManager } from "../runtime.js";
import { addition, mayAdd } from "./addition.js";
import { hookAgent, recordOf } from "./agent.js";
import { filesNotRecalled } from "./host-files.js";
import { lastMessages, saidBefore } from "./messages.js";
import { isPrivate, isUserTurn } from "./session.js";
import { noteShown } from "./shown.js";
import { ownTurns } from "./speakers.js";
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
  if (!isUserTurn(ctx) || !isPrivate(host.config(), ctx) || !mayAdd(host, event, ctx)) return undefined;
  const agent = hookAgent(host, ctx);
  const { shortTerm, autoRecall } = agent.settings;
  const limit = agent.settings.autoRecallTimeoutMs;
  const searching = autoRecall ? beginRecall(host, agent, event, ctx) : undefined;
  const recalled =
    searching &&
    noted(host, agent, ctx, "recall", () =>
      withinTime(
        limit,
        searching.then((search) => search?.block),
      ),
    );
  // The file is read while a worker searches, and not before it has begun to.
  const begun = Promise.race([searching, recalled]).then(
    () => nextTurn(),
    () => nextTurn(),
  );
  const parts = [
    shortTerm.enabled && noted(host, agent, ctx, "short-term-memory", () => begun.then(() => lastTurns(agent, event, ctx))),
    recalled,
  ];
  const blocks = (await Promise.all(parts)).filter(Boolean);
  if (blocks.length === 0) return undefined;
  return addition(host, blocks.join("\n\n"));
}

/**
 * What a part gives; nothing, and a line in the log, when it fails: no other part depends on it.
 * @param {import("../host.js").Host} host
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 * @param {"short-term-memory" | "recall"} part
 * @param {() => Promise<string | null | undefined>} work Gives undefined where the part does not take place in this turn.
 */
async function noted(host, agent, ctx, part, work) {
  const began = performance.now();
  try {
    const text = await work();
    if (text !== undefined) noteShown(host, agent, ctx, { part, ms: performance.now() - began, text: text ?? "" });
    return text;
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: ${part}: ${errorText(error)}`);
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
  const said = lastMessages(event.messages, MAX_MESSAGES);
  return native().shortTermBlock(agent.native, recordOf(agent, ctx), said, said.length === MAX_MESSAGES);
}

/**
 * Has a worker search, and gives what the search will give; nothing where recall does not take place in this turn.
 * @param {import("../host.js").Host} host
 * @param {Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 * @returns {Promise<{block: Promise<string | null> | null} | undefined>}
 */
async function beginRecall(host, agent, event, ctx) {
  // One block in a prompt, whoever puts it there.
  if (typeof event.prompt !== "string" || leavesRecall(host, agent, ctx)) return undefined;
  const { cfg, agentId } = agent;
  const workspaceDir = host.workspaceDir(cfg, agentId) ?? ctx.workspaceDir;
  const [without, { manager, cause }] = await Promise.all([
    filesNotRecalled(cfg, agentId, ctx, workspaceDir),
    getManager(host, { cfg, agentId, purpose: "default" }),
  ]);
  if (cause) throw cause;
  const question = {
    prompt: event.prompt,
    ...saidBefore(ownTurns(host, ctx, event.messages)),
    without,
    ...(Array.isArray(ctx.activeProjectKeys) ? { projects: ctx.activeProjectKeys.map(String) } : {}),
  };
  return { block: manager?.recallBlock(agent.native, question) ?? null };
}
