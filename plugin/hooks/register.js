// Automatic memory: what happens around a turn without anyone asking. The logic is native; here is who calls it when.

import { pluginSettings } from "../../lib/config.js";
import { noteTurn } from "../consolidation/evidence.js";
import { hasAutomaticPart } from "./agent.js";
import { captureTurn } from "./capture.js";
import { saveBeforeCompaction } from "./compaction.js";
import { noteFlushEnd, noteFlushStart } from "./flush-progress.js";
import { noteForwarded } from "./forwarded.js";
import { noteWrite } from "./group-words.js";
import { guarded } from "./guarded.js";
import { noteBeginning } from "./listening.js";
import { promptContext } from "./prompt.js";
import { noteAutomaticEnd, noteReset } from "./session-notes.js";
import { noteRun } from "./speakers.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {Record<string, any>} HookContext
 */

/**
 * @param {PluginApi} api
 * @param {Host} host
 */
export function registerHooks(api, host) {
  // Newer hosts report hooks that lack the operator's permission; nobody should read that who switched nothing on.
  if (typeof api.on !== "function" || !hasAutomaticPart(api.pluginConfig ?? pluginSettings(api.config ?? {}))) return;
  /** @type {[string, (plugin: {api: PluginApi, host: Host}, event: Record<string, any>, ctx: HookContext) => unknown][]} */
  const hooks = [
    ["reply_dispatch", noteForwarded],
    ["before_prompt_build", promptContext],
    ["before_prompt_build", noteRun],
    ["before_prompt_build", noteBeginning],
    ["before_prompt_build", noteFlushStart],
    ["llm_output", noteFlushEnd],
    ["agent_end", captureTurn],
    ["agent_end", noteTurn],
    ["before_compaction", saveBeforeCompaction],
    ["before_reset", noteReset],
    ["session_end", noteAutomaticEnd],
    ["after_tool_call", noteWrite],
  ];
  for (const [name, handler] of hooks) {
    api.on(
      name,
      guarded(host, name, (event, ctx) => handler({ api, host }, event, ctx)),
    );
  }
}
