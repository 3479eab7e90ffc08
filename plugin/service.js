// The gateway's share: bring every agent's index up to date when it starts, and let the engines rest when it stops.

import { listAgentIds, pluginSettings } from "../lib/config.js";
import { errorText } from "../lib/errors.js";
import { closeAllMemoryIndexManagers } from "../lib/manager-registry.js";
import { native } from "../lib/native.js";
import { PLUGIN_ID } from "../lib/package-info.js";
import { startNights, stopNights } from "./consolidation/nights.js";
import { repairSwitch } from "./dreaming-switch.js";
import { agentNow, automaticAgent, differingSettings, hasAutomaticPart } from "./hooks/agent.js";
import { resumeCaptures } from "./hooks/capture.js";
import { noteListening, stopListening } from "./hooks/listening.js";
import { beginWritten, clearOlder, readWritten, tellOlder } from "./hooks/written.js";
import { importIntents } from "./intents/import.js";
import { warnAboutLostFolders, watchFolders } from "./lost-folders.js";
import { lineOf, missingRequirements } from "./requirements.js";
import { getManager } from "./runtime.js";
import { stopWatchingTranscripts, watchTranscripts } from "./sessions/events.js";

/** How often turns are looked for that another process has left, or a model has failed at, in milliseconds. */
const RESUME_EVERY_MS = 60_000;

/** How often the host's Dreams switch is looked at, in milliseconds; a host that reloads a plugin for it starts us anew. */
const SWITCH_EVERY_MS = 2_000;

/**
 * @param {import("./host.js").PluginApi} api
 * @param {import("./host.js").Host} host
 */
export function registerService(api, host) {
  /** @type {NodeJS.Timeout | undefined} */
  let resuming;
  /** @type {NodeJS.Timeout | undefined} */
  let switching;
  api.registerService({
    id: `${PLUGIN_ID}-engine`,
    /** @param {{config?: import("./host.js").HostConfig}} ctx */
    start: (ctx) => {
      const cfg = ctx.config ?? host.config();
      beginWritten(host, { read: true });
      clearOlder(host);
      lookAtFile(host);
      // A turn may have ended after the stop.
      stopListening();
      listenAll(host, cfg);
      // The gateway must not wait for the disk.
      for (const agentId of listAgentIds(cfg)) {
        openAgent({ api, host }, cfg, agentId).catch((error) => host.logger.warn(`${PLUGIN_ID}: agent ${agentId}: ${errorText(error)}`));
      }
      clearInterval(resuming);
      resuming = setInterval(() => {
        resumeAll({ api, host });
        warnAboutLostFolders(host);
      }, RESUME_EVERY_MS);
      resuming.unref();
      clearInterval(switching);
      switching = setInterval(() => {
        lookAtSwitch(host);
        lookAtFile(host);
      }, SWITCH_EVERY_MS);
      switching.unref();
      lookAtSwitch(host);
      startNights(api, host);
      watchTranscripts(api, host);
      importIntents(host, cfg).catch((error) => host.logger.warn(`${PLUGIN_ID}: standing intents: ${errorText(error)}`));
      warnAboutSetup(host).catch((error) => host.logger.warn(`${PLUGIN_ID}: ${errorText(error)}`));
    },
    stop: async () => {
      clearInterval(resuming);
      clearInterval(switching);
      stopListening();
      stopNights();
      stopWatchingTranscripts();
      await closeAllMemoryIndexManagers();
    },
  });
}

/** @param {import("./host.js").Host} host */
function lookAtSwitch(host) {
  repairSwitch(host).catch((error) => host.logger.warn(`${PLUGIN_ID}: ${errorText(error)}`));
}

/**
 * Whether the configuration file says something that the host does not go by.
 * @param {import("./host.js").Host} host
 */
export async function lookAtFile(host) {
  try {
    await readWritten(host);
    tellOlder(host, differingSettings(host, host.config()));
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: ${errorText(error)}`);
  }
}

/** @param {import("./host.js").Host} host */
async function warnAboutSetup(host) {
  const missing = missingRequirements(host, await host.sourceConfig());
  if (missing.length > 0) {
    host.logger.warn(
      `${PLUGIN_ID}: ${missing.map((need) => `${need.reason} (${lineOf(need)})`).join("; ")}. Run: openclaw ${PLUGIN_ID} setup`,
    );
  }
}

/**
 * Settings that change nothing, or not as they are written, would otherwise be told by `status` alone.
 * @param {import("./host.js").Host} host
 * @param {string} agentId
 * @param {import("../lib/manager.js").MemoryIndexManager} manager
 */
function warnAboutSettings(host, agentId, manager) {
  const warnings = /** @type {string[]} */ (manager.status().custom?.warnings ?? []);
  if (warnings.length > 0) host.logger.warn(`${PLUGIN_ID}: agent ${agentId}: settings: ${warnings.join("; ")}`);
}

/**
 * Notes for which agents capture is on: where nothing else is, no turn tells.
 * @param {import("./host.js").Host} host
 * @param {import("./host.js").HostConfig} cfg
 */
function listenAll(host, cfg) {
  try {
    for (const agentId of listAgentIds(cfg)) noteListening(agentNow(host, cfg, agentId), "now");
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: capture: ${errorText(error)}`);
  }
}

/** @param {import("./hooks/capture.js").Plugin} plugin */
function resumeAll(plugin) {
  try {
    const cfg = plugin.host.config();
    for (const agentId of listAgentIds(cfg)) tendPrompts(plugin.host, cfg, agentId);
    listenAll(plugin.host, cfg);
    if (!hasAutomaticPart(pluginSettings(cfg))) return;
    for (const agentId of listAgentIds(cfg)) resumeCaptures(plugin, cfg, agentId);
  } catch (error) {
    plugin.host.logger.warn(`${PLUGIN_ID}: capture: ${errorText(error)}`);
  }
}

/**
 * Lets go of what was put into prompts longer ago than the settings say.
 * @param {import("./host.js").Host} host
 * @param {import("./host.js").HostConfig} cfg
 * @param {string} agentId
 */
function tendPrompts(host, cfg, agentId) {
  const failed = (/** @type {unknown} */ error) => host.logger.warn(`${PLUGIN_ID}: what was put into prompts: ${errorText(error)}`);
  native()
    .tendPrompts(automaticAgent(host, cfg, agentId).native)
    .catch(failed);
}

/**
 * Opening is enough for the index: an engine with background work looks for changes by itself. Turns that an earlier
 * process could not look at are looked at now.
 * @param {import("./hooks/capture.js").Plugin} plugin
 * @param {import("./host.js").HostConfig} cfg
 * @param {string} agentId
 */
async function openAgent(plugin, cfg, agentId) {
  const { manager, cause } = await getManager(plugin.host, { cfg, agentId, purpose: "default" });
  if (cause) throw cause;
  if (manager) {
    watchFolders(agentId, manager);
    warnAboutSettings(plugin.host, agentId, manager);
  }
  if (manager && hasAutomaticPart(pluginSettings(cfg))) resumeCaptures(plugin, cfg, agentId);
}
