// The slash command `/dreaming`. memory-core's of this name writes its own entry, which has no effect while another
// plugin is in the memory slot; ours tells and switches our consolidation.

import { agentSettings, agentsWithOther, isRecord, pluginSettings, sessionAgentId } from "../../lib/config.js";
import { codedError, errorMessage } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { mayChange } from "../owner.js";
import { draftEntry } from "../requirements.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {Record<string, any>} CommandContext
 * @typedef {{help: string, changes: boolean, run: (host: Host, ctx: CommandContext, words: string[]) => string | Promise<string>}} Action
 */

/** The setting that the command switches. */
const MODE_KEY = `plugins.entries.${PLUGIN_ID}.config.consolidation.mode`;

/** @type {Record<string, Action>} */
const ACTIONS = {
  status: { help: "what is switched on", changes: false, run: (host, ctx) => statusText(ctx.config ?? host.config(), ctx) },
  on: {
    help: "plan every night what is worth keeping; `on apply` also writes it",
    changes: true,
    run: async (host, ctx, words) => await switchMode(host, ctx, modeOf(words)),
  },
  off: { help: "neither plan nor write", changes: true, run: async (host, ctx) => await switchMode(host, ctx, "off") },
  help: { help: "this", changes: false, run: (host, ctx) => `${usage()}\n\n${statusText(ctx.config ?? host.config(), ctx)}` },
};

/**
 * Adds a word after `/dreaming`.
 * @param {string} word
 * @param {Action} action
 */
export function addDreamingAction(word, action) {
  ACTIONS[word] = action;
}

/**
 * @param {import("../host.js").PluginApi} api
 * @param {Host} host
 */
export function registerDreamingCommand(api, host) {
  api.registerCommand?.({
    name: "dreaming",
    description: "Show or switch consolidation: what memory makes of past days by itself.",
    acceptsArgs: true,
    exposeSenderIsOwner: true,
    handler: async (/** @type {CommandContext} */ ctx) => ({ text: await answer(host, ctx) }),
  });
}

/**
 * @param {Host} host
 * @param {CommandContext} ctx
 */
async function answer(host, ctx) {
  const [word = "help", ...words] = String(ctx.args ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const action = (Object.hasOwn(ACTIONS, word) && ACTIONS[word]) || ACTIONS.help;
  if (action.changes && mayChange(host.config(), ctx) !== true) {
    return `⚠️ /dreaming ${word} is for the owner in a channel (commands.ownerAllowFrom names them), and for clients of the gateway with operator.admin.`;
  }
  try {
    return await action.run(host, ctx, words);
  } catch (error) {
    return `⚠️ /dreaming ${word} failed: ${errorMessage(error)}`;
  }
}

/**
 * @param {Host} host
 * @param {CommandContext} ctx
 * @param {"off" | "plan" | "apply"} mode
 */
async function switchMode(host, ctx, mode) {
  // An owner who is not one any more when it is written has no say; the host checks at that moment.
  const assertCurrent = Array.isArray(ctx.gatewayClientScopes) ? undefined : ctx.assertOwnerCurrent;
  await host.editConfig(
    (draft) => {
      const entry = draftEntry(draft);
      entry.config = { ...entry.config, consolidation: { ...entry.config?.consolidation, mode } };
    },
    [MODE_KEY],
    assertCurrent,
  );
  const other = agentsWithOther(host.config(), (settings) => settings.consolidation?.mode, mode);
  const except = other.map(
    ([id, own]) => ` Agent ${id} has a setting of its own (agents.${id}.consolidation.mode): ${modeText(String(own))}.`,
  );
  return `Consolidation is ${modeText(mode)} now.${except.join("")}`;
}

/** What follows `on`. @param {string[]} words */
function modeOf([mode = "plan"]) {
  if (mode === "plan" || mode === "apply") return mode;
  throw codedError("MEM_ARGUMENT", `there is no mode "${mode.slice(0, 40)}": \`on\` plans, and \`on apply\` also writes`);
}

/** @param {HostConfig} cfg @param {CommandContext} ctx */
function statusText(cfg, ctx) {
  const own = /** @type {Record<string, any>} */ (pluginSettings(cfg)).consolidation;
  const ofAgent = agentSettings(cfg, sessionAgentId(cfg, ctx)).consolidation;
  const { mode = "off", schedule } = { ...(isRecord(own) ? own : {}), ...(isRecord(ofAgent) ? ofAgent : {}) };
  const when = mode !== "off" && typeof schedule === "string" ? `\n- schedule: ${schedule}` : "";
  return `Consolidation (${PLUGIN_ID}):\n- ${modeText(mode)}${when}\n- the Dreams switch of the Control UI loads memory-core and stays off`;
}

/** @param {string} mode */
function modeText(mode) {
  if (mode === "plan") return "planning: it writes nothing by itself";
  return mode === "apply" ? "on: it writes what it plans" : "off";
}

function usage() {
  return Object.entries(ACTIONS)
    .map(([word, { help }]) => `/dreaming ${word} – ${help}`)
    .join("\n");
}
