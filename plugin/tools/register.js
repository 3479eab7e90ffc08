// Offers the tools to agents that have memory search, those of stored facts and standing intents where they are switched on.

import { hasIntents, hasStoredFacts } from "../hooks/agent.js";
import { isConversation, isPrivate } from "../hooks/session.js";
import * as intent from "../intents/tool.js";
import { conversationOfRun } from "../private-recall.js";
import { mayHearConversations } from "../requirements.js";
import { describeSources, toolContext } from "./context.js";
import * as memoryForget from "./memory-forget.js";
import * as memoryGet from "./memory-get.js";
import * as memoryRecall from "./memory-recall.js";
import * as memorySearch from "./memory-search.js";
import * as memoryStore from "./memory-store.js";

/** @typedef {(context: import("./context.js").ToolContext, ctx: Record<string, any>, host: import("../host.js").Host) => boolean} Offer */

/**
 * Facts are private, and what a stranger in a group has stored would be recalled later as if it were the user's. A sub-agent, a
 * scheduled run or a hook's may be a stranger's errand, and no host tells its tools whose: it has none. The key of a run of
 * active memory names the conversation that it recalls for.
 * @type {Offer}
 */
function offersFacts({ cfg, agentId }, ctx) {
  const asker = { ...ctx, sessionKey: conversationOfRun(String(ctx.sessionKey ?? "")) };
  return hasStoredFacts(cfg, agentId) && isConversation(asker) && isPrivate(cfg, asker);
}

/**
 * What is armed and never shown would be a promise that nobody keeps. Only the owner's word counts, as in memory-core: an intent
 * speaks in other conversations, and lists those of others. A host that does not tell is asked who talks to the agent alone. What
 * an external hook or a sub-agent says is nobody's word, though hosts call those who may start one an owner.
 * @type {Offer}
 */
const offersIntents = ({ cfg, agentId }, ctx, host) =>
  hasIntents(cfg, agentId) && mayHearConversations(host, cfg) && isConversation(ctx) && (ctx.senderIsOwner ?? isPrivate(cfg, ctx)) === true;

/** @type {Offer} */
const offersAlways = () => true;

const TOOLS = [
  { name: "memory_search", label: "Memory Search", tool: memorySearch },
  { name: "memory_get", label: "Memory Get", tool: memoryGet },
  { name: "memory_recall", label: "Memory Recall", tool: memoryRecall, isOffered: offersFacts },
  { name: "memory_store", label: "Memory Store", tool: memoryStore, isOffered: offersFacts },
  { name: "memory_forget", label: "Memory Forget", tool: memoryForget, isOffered: offersFacts },
  { name: "intent", label: "Standing Intent", tool: intent, isOffered: offersIntents },
];

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function registerTools(api, host) {
  for (const { name, label, tool, isOffered = offersAlways } of TOOLS) {
    api.registerTool(
      (/** @type {Record<string, any>} */ ctx) => {
        const context = toolContext(ctx);
        if (!context || !isOffered(context, ctx, host)) return null;
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
