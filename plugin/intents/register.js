// The hooks of standing intents.

import { pluginSettings } from "../../lib/config.js";
import { guarded } from "../hooks/guarded.js";
import { mayHearConversations } from "../requirements.js";
import { settleIntents, showIntents } from "./hooks.js";

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function registerIntents(api, host) {
  const settings = api.pluginConfig ?? pluginSettings(api.config ?? {});
  // Newer hosts report hooks that lack the operator's permission.
  if (typeof api.on !== "function" || settings?.standingIntents?.enabled === false || !mayHearConversations(host, api.config ?? {})) return;
  for (const [name, handler] of Object.entries({ before_prompt_build: showIntents, agent_end: settleIntents })) {
    api.on(
      name,
      guarded(host, "standing intents", (event, ctx) => handler(host, event, ctx)),
    );
  }
}
