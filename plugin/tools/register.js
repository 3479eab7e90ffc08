// Offers the tools to agents that have memory search, and those of stored facts where they are switched on.

import { hasStoredFacts } from "../hooks/agent.js";
import { isPrivate } from "../hooks/session.js";
import { describeSources, toolContext } from "./context.js";
import * as memoryForget from "./memory-forget.js";
import * as memoryGet from "./memory-get.js";
import * as memoryRecall from "./memory-recall.js";
import * as memorySearch from "./memory-search.js";
import * as memoryStore from "./memory-store.js";

const TOOLS = [
  { name: "memory_search", label: "Memory Search", tool: memorySearch },
  { name: "memory_get", label: "Memory Get", tool: memoryGet },
  { name: "memory_recall", label: "Memory Recall", tool: memoryRecall, facts: true },
  { name: "memory_store", label: "Memory Store", tool: memoryStore, facts: true },
  { name: "memory_forget", label: "Memory Forget", tool: memoryForget, facts: true },
];

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function registerTools(api, host) {
  for (const { name, label, tool, facts = false } of TOOLS) {
    api.registerTool(
      (/** @type {Record<string, any>} */ ctx) => {
        const context = toolContext(ctx);
        if (!context) return null;
        // Facts are private, and what a stranger in a group has stored would be recalled later as if it were the user's.
        if (facts && !(hasStoredFacts(context.cfg, context.agentId) && isPrivate(context.cfg, ctx))) return null;
        return {
          name,
          label,
          description: tool.describe(describeSources(context)),
          parameters: tool.parameters,
          execute: (/** @type {string} */ _callId, /** @type {unknown} */ params, /** @type {AbortSignal | undefined} */ signal) =>
            tool.execute(host, ctx, params, signal),
        };
      },
      { names: [name] },
    );
  }
}
