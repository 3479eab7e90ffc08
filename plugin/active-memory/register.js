// What active memory registers: its command alone until its section is in the configuration.

import { pluginSettings } from "../../lib/config.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { guarded } from "../hooks/guarded.js";
import { BUNDLED_ID, bundledIsLoaded, bundledIsOn } from "./bundled.js";
import { runCommand } from "./command.js";
import { activeContext } from "./hook.js";
import { sections } from "./sections.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 */

/** Time that a host gives the hook beyond our own limit, in milliseconds. */
const SPARE_MS = 250;
/** Longest limit that the settings allow. */
const LONGEST_MS = 150_000;
/** Limits where the settings say nothing: of one answer, and of an agent that searches. */
const USUAL_MS = { single: 2500, agent: 15_000 };

/** Whether the log has been told; hosts register many times. */
let isTold = false;

/**
 * How long any agent lets a reply wait, at most. One setting of an agent may stand in its own section and the next in that of
 * all, so the longest of each count together.
 * @param {Record<string, any>[]} found
 */
function longest(found) {
  const most = (/** @type {string} */ name) => Math.max(0, ...found.map((section) => Number(section[name]) || 0));
  const usual = found.some(({ engine }) => engine === "agent") ? USUAL_MS.agent : USUAL_MS.single;
  return Math.min(LONGEST_MS, Math.max(usual, most("timeoutMs")) + most("setupGraceTimeoutMs"));
}

/**
 * @param {PluginApi} api
 * @param {Host} host
 */
export function registerActiveMemory(api, host) {
  const found = sections(api.pluginConfig ?? pluginSettings(api.config ?? {}));
  const isOn = found.some((section) => section.enabled === true);
  const plugin = { api, host };
  if (isOn && bundledIsOn(api.config ?? {}) && !isTold) {
    isTold = true;
    const remedy = "openclaw memory setup --import-active-memory";
    host.logger.warn(`${PLUGIN_ID}: ${BUNDLED_ID} is on too, and serves its agents alone. Run: ${remedy}`);
  }
  // Whoever asks is told that it is off, and not answered by the model; somebody who pauses it goes on with it by the same
  // command. Of two with one name the host takes one.
  if (!bundledIsLoaded(api.config ?? {})) {
    api.registerCommand?.({
      name: BUNDLED_ID,
      description: "Pause, continue or inspect Active Memory.",
      acceptsArgs: true,
      exposeSenderIsOwner: true,
      handler: (/** @type {Record<string, any>} */ ctx) => runCommand(plugin, ctx ?? {}),
    });
  }
  if (!isOn || typeof api.on !== "function") return;
  const run = guarded(host, "active memory", (event, ctx) => activeContext(plugin, event, ctx));
  api.on("before_prompt_build", run, { timeoutMs: longest(found) + SPARE_MS, ...guardOf(host) });
}

/**
 * Newer hosts run a hook after they know which tools the turn may use; older ones would take no notice of the wish.
 * @param {Host} host
 */
function guardOf(host) {
  try {
    return host.has("toolAuthority") ? { requiresToolAuthority: true } : {};
  } catch {
    // While the command line is described there is no runtime to ask, and no turn.
    return {};
  }
}
