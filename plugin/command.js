// Commands as they are printed, for their user to run.

import { defaultAgentId } from "../lib/config.js";

/**
 * A command about one agent, which a command without `--agent` is about only where the agent is the default one.
 * @param {string} words What follows `openclaw memory`.
 * @param {{cfg: import("./host.js").HostConfig, agentId: string}} agent
 */
export function command(words, { cfg, agentId }) {
  return `openclaw memory ${words}${agentId === defaultAgentId(cfg) ? "" : ` --agent ${agentId}`}`;
}
