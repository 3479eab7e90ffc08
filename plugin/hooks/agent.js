// Whose automatic memory a hook is about, and what is switched on for it.

import { agentSettings, defaultAgentId, isRecord, listAgentIds, pluginSettings, sessionAgentId, userTimeZone } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { ownerKey } from "../../lib/request.js";
import { personOf } from "./session.js";
import { withoutSwitchedOff, writtenConfig } from "./written.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("../../index.d.ts").AutomaticAgent} NativeAgent
 * @typedef {{cfg: HostConfig, agentId: string, native: NativeAgent, settings: Record<string, any>}} Agent
 */

/** Our settings that the automatic memory reads; the rest stays here, some of it is secret. */
const AUTOMATIC = /^(?:auto[A-Z]\w*|triggerRecall|captureOnCompaction|shortTerm|promptHistory|sessionNotes|storedFacts|activeMemory)$/;

/** @param {Record<string, any>} settings */
function automaticSettings(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => AUTOMATIC.test(name)));
}

/**
 * Whether anything automatic is switched on, for any agent.
 * @param {unknown} settings The plugin's own settings.
 */
export function hasAutomaticPart(settings) {
  if (!isRecord(settings)) return false;
  const layers = [settings, ...Object.values(isRecord(settings.agents) ? settings.agents : {})].filter(isRecord);
  return layers.some(
    (layer) =>
      layer.autoRecall === true ||
      layer.autoCapture === true ||
      layer.captureOnCompaction === true ||
      layer.shortTerm?.enabled === true ||
      layer.sessionNotes?.enabled === true ||
      (layer.consolidation?.mode ?? "off") !== "off",
  );
}

/**
 * Whether the tools of stored facts are switched on for an agent.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export const hasStoredFacts = (cfg, agentId) => enabled(cfg, agentId, "storedFacts") === true;

/**
 * Whether standing intents are, which is so until somebody says otherwise.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export const hasIntents = (cfg, agentId) => enabled(cfg, agentId, "standingIntents") !== false;

/**
 * What an agent's settings, or those of all, say of a part. Asked at every turn, so without the native resolver.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {"storedFacts" | "standingIntents"} part
 */
const enabled = (cfg, agentId, part) => agentSettings(cfg, agentId)[part]?.enabled ?? pluginSettings(cfg)[part]?.enabled;

/**
 * The agents of a configuration, by state directory and id: a reply waits for the hook that asks. Hosts never change a
 * configuration in place.
 * @type {WeakMap<HostConfig, Map<string, Agent>>}
 */
const known = new WeakMap();

/**
 * The agent by its id.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {Agent}
 */
export function automaticAgent(host, cfg, agentId) {
  const stateDir = host.stateDir();
  const key = ownerKey(stateDir, agentId);
  const agents = known.get(cfg) ?? new Map();
  known.set(cfg, agents);
  const agent = agents.get(key) ?? resolveAgent(cfg, agentId, stateDir);
  agents.set(key, agent);
  return agent;
}

/**
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {string} stateDir
 * @returns {Agent}
 */
function resolveAgent(cfg, agentId, stateDir) {
  const agent = nativeOf(cfg, agentId, stateDir);
  return { cfg, agentId, native: agent, settings: native().automaticSettings(agent) };
}

/**
 * The agent for what needs none of its settings, which may be wrong.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export const nativeOnly = (host, cfg, agentId) => nativeOf(cfg, agentId, host.stateDir());

/**
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {string} stateDir
 * @returns {NativeAgent}
 */
function nativeOf(cfg, agentId, stateDir) {
  const own = pluginSettings(cfg);
  const agents = isRecord(own.agents) ? own.agents : {};
  const config = {
    ...automaticSettings(own),
    agents: Object.fromEntries(
      Object.entries(agents)
        .filter(([, settings]) => isRecord(settings))
        .map(([id, settings]) => [id, automaticSettings(settings)]),
    ),
  };
  const timeZone = userTimeZone(cfg, agentId);
  return { config, agentId, isDefaultAgent: agentId === defaultAgentId(cfg), stateDir, ...(timeZone ? { timeZone } : {}) };
}

/**
 * The agent that a hook's session belongs to.
 * @param {Host} host
 * @param {Record<string, any>} ctx
 */
export function hookAgent(host, ctx) {
  const cfg = host.config();
  return agentNow(host, cfg, sessionAgentId(cfg, ctx));
}

/**
 * The agent by its id, without what the file has switched off since the host last took its settings over.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {Agent}
 */
export function agentNow(host, cfg, agentId) {
  const agent = automaticAgent(host, cfg, agentId);
  const written = writtenSettings(host, agentId);
  const settings = written ? withoutSwitchedOff(agent.settings, written) : agent.settings;
  return settings === agent.settings ? agent : { ...agent, settings };
}

/**
 * The settings of automatic memory by the file that was written since; undefined where they cannot be understood, as the host
 * would not take them over either.
 * @param {Host} host
 * @param {string} agentId
 */
function writtenSettings(host, agentId) {
  const written = writtenConfig(host);
  try {
    return written && automaticAgent(host, written, agentId).settings;
  } catch {
    return undefined;
  }
}

/**
 * Names the settings of automatic memory that the file says otherwise than the host, of all agents.
 * @param {Host} host
 * @param {HostConfig} cfg
 */
export function differingSettings(host, cfg) {
  const differing = listAgentIds(cfg).flatMap((agentId) => {
    const [now, written] = [automaticAgent(host, cfg, agentId).settings, writtenSettings(host, agentId)];
    return written ? Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(written[name])) : [];
  });
  return [...new Set(differing)];
}

/**
 * Whose last turns a session is shown and adds to; nothing for those that everybody shares.
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 */
export function recordOf({ cfg, settings }, ctx) {
  return settings.shortTerm.acrossPeople ? undefined : personOf(cfg, ctx);
}
