// Before a prompt is built: the memories that belong to the user's new message, next to it. Everything before the message
// stays as the provider has it cached.

import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { addition, mayAdd } from "../hooks/addition.js";
import { hookAgent } from "../hooks/agent.js";
import { noteShown } from "../hooks/shown.js";
import { bundledServes } from "./bundled.js";
import { isPaused, isServed, lacksAuthority } from "./gates.js";
import { makeReady } from "./model-access.js";
import { showLines, statusLines } from "./status.js";
import { activeTurn } from "./turn.js";

/**
 * @param {import("./turn.js").Plugin} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function activeContext(plugin, event, ctx) {
  const began = performance.now();
  const { host } = plugin;
  const agent = hookAgent(host, ctx);
  if (bundledServes(host, agent.cfg, agent.agentId) || !isServed(agent, ctx) || isPaused(agent, ctx) || !mayAdd(host, event, ctx)) {
    void showLines(plugin, agent, ctx, []);
    return undefined;
  }
  const own = agent.settings.activeMemory;
  if (lacksAuthority(host, ctx)) {
    void showLines(plugin, agent, ctx, [`🧩 Active Memory: status=policy-disabled elapsed=0ms query=${own.queryMode}`]);
    return undefined;
  }
  if (own.mode !== "native") makeReady(plugin, agent, ctx);
  const { outcome, asked } = await activeTurn(plugin, agent, event, ctx);
  const ms = performance.now() - began;
  noteShown(host, agent, ctx, { part: "active-memory", ms, text: outcome.block ?? "" });
  const lines = statusLines(host, { ...outcome, asked: asked !== undefined }, ms, own.queryMode);
  void showLines(plugin, agent, ctx, lines);
  if (own.logging) host.logger.info(`${PLUGIN_ID}: ${lines[0]} agent=${agent.agentId}`);
  if (own.persistTranscripts && asked) setImmediate(() => keepCall(plugin, agent, outcome, asked, ms));
  if (!outcome.block) return undefined;
  return addition(host, outcome.block);
}

/**
 * @param {import("./turn.js").Plugin} plugin
 * @param {import("../hooks/agent.js").Agent} agent
 * @param {import("./turn.js").Outcome} outcome
 * @param {import("./turn.js").Asked} asked
 * @param {number} ms
 */
function keepCall({ host }, agent, { lane, shown, status }, asked, ms) {
  const { promptStyle, queryMode } = agent.settings.activeMemory;
  const { system, prompt, answer, model } = asked;
  const style =
    promptStyle ?? { message: "strict", recent: "balanced", full: "contextual" }[/** @type {"message" | "recent" | "full"} */ (queryMode)];
  try {
    native().keepActiveMemoryCall(agent.native, {
      lane,
      style,
      model,
      prompt: `${system}\n\n${prompt}`,
      answer,
      shown,
      ms: Math.round(ms),
      status,
    });
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: active memory: a call was not kept: ${errorText(error)}`);
  }
}
