// Standing intents at the host: the tool, and the hooks around a turn.

import { pluginSettings } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { isPrivate } from "../hooks/session.js";
import { mayHearConversations } from "../requirements.js";
import { toolContext } from "../tools/context.js";
import { hasIntents } from "./agent.js";
import { settleIntents, showIntents } from "./hooks.js";
import { describe, execute, parameters } from "./tool.js";

/**
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("../host.js").Host} Host
 */

/**
 * @param {PluginApi} api
 * @param {Host} host
 */
export function registerIntents(api, host) {
  const create = (/** @type {Record<string, any>} */ ctx) => {
    const context = toolContext(ctx);
    // What is armed and never shown would be a promise that nobody keeps.
    if (!context || !hasIntents(context.cfg, context.agentId) || !mayHearConversations(host, context.cfg)) return null;
    // In a room only the owner's word counts; alone with the agent it is the person's own.
    if (ctx.senderIsOwner !== true && !isPrivate(context.cfg, ctx)) return null;
    return {
      name: "intent",
      label: "Standing Intent",
      description: describe(),
      parameters,
      execute: (/** @type {string} */ _callId, /** @type {unknown} */ params) => execute(host, ctx, params),
    };
  };
  api.registerTool(create, { names: ["intent"] });

  const settings = api.pluginConfig ?? pluginSettings(api.config ?? {});
  // Newer hosts report hooks that lack the operator's permission.
  if (typeof api.on !== "function" || settings?.standingIntents?.enabled === false || !mayHearConversations(host, api.config ?? {})) return;
  const hooks = { before_prompt_build: showIntents, agent_end: settleIntents };
  for (const [name, handler] of Object.entries(hooks)) {
    api.on(name, async (/** @type {Record<string, any>} */ event, /** @type {Record<string, any>} */ ctx) => {
      try {
        return await handler(host, event ?? {}, ctx ?? {});
      } catch (error) {
        host.logger.warn(`${PLUGIN_ID}: standing intents: ${errorMessage(error)}`);
        return undefined;
      }
    });
  }
}
