// `/active-memory`: pauses it in one conversation or everywhere, and says whether it is on.

import { agentSettings, agentsWithOther, pluginSettings, sessionAgentId } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { automaticAgent } from "../hooks/agent.js";
import { mayChange } from "../owner.js";
import { draftEntry } from "../requirements.js";
import { isPaused, keptOutBy, offBy } from "./gates.js";
import { suspendedModels } from "./model-access.js";
import { sections } from "./sections.js";
import { showLines } from "./status.js";

/** The setting that `--global` changes. */
const KEY = `plugins.entries.${PLUGIN_ID}.config.activeMemory.enabled`;
/** The one that it leaves alone. */
const RECALL_KEY = `plugins.entries.${PLUGIN_ID}.config.autoRecall`;

const HELP = [
  "Active Memory in this conversation:",
  "/active-memory status",
  "/active-memory on",
  "/active-memory off",
  "",
  "Everywhere:",
  "/active-memory status --global",
  "/active-memory on --global",
  "/active-memory off --global",
].join("\n");

/** @type {Record<string, "on" | "off">} */
const SWITCHES = { on: "on", enable: "on", enabled: "on", off: "off", disable: "off", disabled: "off" };

/** @param {boolean} isOn */
const word = (isOn) => (isOn ? "on" : "off");

/**
 * @param {import("./turn.js").Plugin} plugin
 * @param {Record<string, any>} ctx
 * @returns {Promise<{text: string}>}
 */
export async function runCommand(plugin, ctx) {
  const tokens = String(ctx.args ?? "")
    .trim()
    .split(/\s+/)
    // People name the bot behind a command: "status@clawd_bot".
    .map((token) => token.replace(/(?<=\w)@\w+$/, ""))
    .filter(Boolean);
  const isGlobal = tokens.includes("--global");
  const actions = tokens.filter((token) => token !== "--global");
  const action = (actions[0] ?? "status").toLowerCase();
  // Who writes two of them means one of them, and nobody knows which.
  if (actions.length > 1) return { text: `One Active Memory action at a time, not "${actions.join(" ").slice(0, 80)}".\n\n${HELP}` };
  if (action === "help") return { text: HELP };
  const wanted = Object.hasOwn(SWITCHES, action) ? SWITCHES[action] : undefined;
  if (!wanted && action !== "status") return { text: `Unknown Active Memory action: ${action.slice(0, 40)}\n\n${HELP}` };
  // Without its section nothing of it is there that could be asked or switched, but it can be switched on.
  const isThere = sections(pluginSettings(plugin.host.config())).length > 0;
  if (!isThere && !(isGlobal && wanted === "on")) return { text: notThere(wanted, isGlobal) };
  try {
    return { text: isGlobal ? await everywhere(plugin, ctx, wanted) : here(plugin, ctx, wanted) };
  } catch (error) {
    return { text: `Active Memory: ${errorMessage(error)}` };
  }
}

/**
 * @param {"on" | "off" | undefined} wanted
 * @param {boolean} isGlobal
 */
function notThere(wanted, isGlobal) {
  const where = isGlobal ? "globally" : "for this session";
  const why = wanted ? { on: " It has to be on for everybody first.", off: " There is nothing to switch off." }[wanted] : "";
  return `Active Memory: off ${where}.${why}\nSwitch it on: /active-memory on --global, or the setting ${KEY}.`;
}

/**
 * @param {import("./turn.js").Plugin} plugin
 * @param {Record<string, any>} ctx
 * @param {"on" | "off" | undefined} wanted
 */
async function everywhere({ host }, ctx, wanted) {
  const isOn = pluginSettings(host.config()).activeMemory?.enabled === true;
  if (!wanted) return globally(host.config(), isOn);
  // Hosts do not tell every plugin who the owner is: where the configuration names none either, whoever is authorized counts.
  if ((mayChange(host.config(), ctx) ?? ctx.isAuthorizedSender) !== true)
    return "⚠️ /active-memory global enable/disable changes require owner or operator.admin.";
  const assertCurrent = Array.isArray(ctx.gatewayClientScopes) ? undefined : ctx.assertOwnerCurrent;
  await host.editConfig(
    (draft) => {
      const entry = draftEntry(draft);
      entry.config = { ...entry.config, activeMemory: { ...entry.config?.activeMemory, enabled: wanted === "on" } };
    },
    [KEY],
    assertCurrent,
  );
  return globally(host.config(), wanted === "on");
}

/** @param {import("../host.js").HostConfig} cfg @param {boolean} isOn */
function globally(cfg, isOn) {
  return `Active Memory: ${word(isOn)} globally.${exceptFor(cfg, isOn)}${isOn ? "" : recallGoesOn(cfg)}`;
}

/**
 * That memories are shown all the same: a pause in a conversation ends auto-recall there too, and whoever switches it off
 * everywhere expects no less.
 * @param {import("../host.js").HostConfig} cfg
 */
function recallGoesOn(cfg) {
  const isOn = pluginSettings(cfg).autoRecall === true;
  const others = agentsWithOther(cfg, (settings) => settings.autoRecall, isOn).map(([id]) => id);
  if (isOn) return `\nAuto-recall goes on${others.length > 0 ? `, but for agent ${others.join(", ")}` : ""}: the setting ${RECALL_KEY}.`;
  return others.length > 0 ? `\nAuto-recall goes on for agent ${others.join(", ")}: the setting autoRecall there.` : "";
}

/** Agents that have it otherwise than all others. @param {import("../host.js").HostConfig} cfg @param {boolean} isOn */
function exceptFor(cfg, isOn) {
  const other = agentsWithOther(cfg, (settings) => settings.activeMemory?.enabled, isOn);
  return other.map(([id, enabled]) => ` Agent ${id} has a setting of its own: ${word(enabled === true)}.`).join("");
}

/**
 * @param {import("./turn.js").Plugin} plugin
 * @param {Record<string, any>} ctx
 * @param {"on" | "off" | undefined} wanted
 */
function here(plugin, ctx, wanted) {
  const sessionKey = String(ctx.sessionKey ?? "").trim();
  if (!sessionKey) return "Active Memory: this command has no conversation to switch it in.";
  const cfg = plugin.host.config();
  const agent = automaticAgent(plugin.host, cfg, sessionAgentId(cfg, { sessionKey }));
  const setting = offBy(agent);
  if (setting) return notOnFor(cfg, agent, setting, wanted);
  const keptOut = keptOutBy(agent, { sessionKey });
  if (keptOut)
    return `Active Memory: off for this session.\nThe setting ${settingOf(cfg, agent, keptOut)} keeps it out of this conversation.`;
  if (wanted) {
    native().setActiveMemoryOff(agent.native, [sessionKey], wanted === "off");
    if (wanted === "off") void showLines(plugin, agent, { sessionKey }, []);
    return `Active Memory: ${wanted} for this session.`;
  }
  const isOn = !isPaused(agent, { sessionKey });
  return [`Active Memory: ${word(isOn)} for this session.`, ...(isOn ? suspensions(plugin, agent) : [])].join("\n");
}

/**
 * What is said where it is off for the whole agent.
 * @param {import("../host.js").HostConfig} cfg
 * @param {import("../hooks/agent.js").Agent} agent
 * @param {"enabled" | "mode" | "agents"} setting The one that switches it off.
 * @param {"on" | "off" | undefined} wanted
 */
function notOnFor(cfg, agent, setting, wanted) {
  if (pluginSettings(cfg).activeMemory?.enabled !== true) return notThere(wanted, false);
  const why = setting === "agents" ? `does not name agent ${agent.agentId}` : `switches it off for agent ${agent.agentId}`;
  return `Active Memory: off for this session.\nThe setting ${settingOf(cfg, agent, setting)} ${why}.`;
}

/**
 * Where a setting of active memory is written: with the agent, else with the plugin.
 * @param {import("../host.js").HostConfig} cfg
 * @param {import("../hooks/agent.js").Agent} agent
 * @param {string} name
 */
function settingOf(cfg, { agentId }, name) {
  const isOwn = agentSettings(cfg, agentId).activeMemory?.[name] !== undefined;
  return `plugins.entries.${PLUGIN_ID}.config.${isOwn ? `agents.${agentId}.` : ""}activeMemory.${name}`;
}

/**
 * Why a model is not asked although it is on.
 * @param {import("./turn.js").Plugin} plugin
 * @param {import("../hooks/agent.js").Agent} agent
 * @returns {string[]}
 */
function suspensions({ host }, { agentId }) {
  return suspendedModels(host, agentId).map(({ model, untilMs, timedOut }) => {
    const name = model ?? "the agent's model";
    const failure = timedOut ? "it did not answer in time" : "it failed";
    const why = untilMs === null ? "the host does not let this plugin ask it" : `${failure}; asked again in ${secondsUntil(untilMs)} s`;
    return `Not asked now: ${name} (${why}). What the search finds is shown all the same.`;
  });
}

/** @param {number} ms */
const secondsUntil = (ms) => Math.max(1, Math.ceil((ms - Date.now()) / 1000));
