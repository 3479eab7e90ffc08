// Offers the tools to agents that have memory search.

import { describeSources, toolContext } from "./context.js";
import * as memoryGet from "./memory-get.js";
import * as memorySearch from "./memory-search.js";

const TOOLS = [
  { name: "memory_search", label: "Memory Search", tool: memorySearch },
  { name: "memory_get", label: "Memory Get", tool: memoryGet },
];

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function registerTools(api, host) {
  for (const { name, label, tool } of TOOLS) {
    api.registerTool(
      (/** @type {Record<string, any>} */ ctx) => {
        const context = toolContext(ctx);
        if (!context) return null;
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
