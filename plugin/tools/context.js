// Who calls a tool, and with which settings.

import { searchOverview, sessionAgentId } from "../../lib/config.js";

/**
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{cfg: HostConfig, agentId: string, overview: import("../../lib/config.js").SearchOverview, sessionKey?: string,
 *   sandboxed: boolean, purpose: "default" | "cli", activeProjectKeys?: string[],
 *   conversationRecall?: import("../private-recall.js").ConversationRecall}} ToolContext
 */

/**
 * The context of a tool; null when memory search is switched off for the agent, and then there is no tool.
 * @param {Record<string, any>} ctx What the host passes to a tool factory.
 * @returns {ToolContext | null}
 */
export function toolContext(ctx) {
  const cfg = ctx.getRuntimeConfig?.() ?? ctx.runtimeConfig ?? ctx.config;
  if (!cfg) return null;
  const agentId = sessionAgentId(cfg, ctx);
  const overview = searchOverview(cfg, agentId);
  if (!overview.enabled) return null;
  return {
    cfg,
    agentId,
    overview,
    sessionKey: ctx.sessionKey,
    sandboxed: ctx.sandboxed === true,
    ...(ctx.conversationRecall ? { conversationRecall: ctx.conversationRecall } : {}),
    ...(Array.isArray(ctx.activeProjectKeys) ? { activeProjectKeys: ctx.activeProjectKeys.filter((key) => typeof key === "string") } : {}),
    // A single turn from the command line needs no file watcher and gives its manager back.
    purpose: ctx.oneShotCliRun === true ? "cli" : "default",
  };
}

/** The folders and files a tool can see, in words. @param {ToolContext} context */
export function describeSources({ overview }) {
  const files = `MEMORY.md, USER.md and memory/**/*.md${overview.extraPaths.length > 0 ? " and configured extra paths" : ""}`;
  return { files, all: overview.sources.includes("sessions") ? `${files} and session transcripts` : files };
}
