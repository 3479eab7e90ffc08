// For whom standing intents are switched on.

import { agentSettings, pluginSettings } from "../../lib/config.js";

/**
 * Whether an agent has them. Asked at every turn, so without the native resolver.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 */
export function hasIntents(cfg, agentId) {
  return (agentSettings(cfg, agentId).standingIntents?.enabled ?? pluginSettings(cfg).standingIntents?.enabled) !== false;
}
