// Whose consolidation: the settings of an agent, and what its workspace must respect.

import { realpathSync } from "node:fs";
import { agentEntry, agentSettings, isRecord, listAgentIds, pluginSettings } from "../../lib/config.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("../../index.d.ts").ConsolidationAgent} NativeAgent
 * @typedef {{mode: "off" | "plan" | "apply", writer: "extractive" | "abstractive", model: string}} Chosen
 */

/** What the host shows of a file at the start of a conversation when nothing is set, in characters. */
const BOOTSTRAP_CHARS = 20_000;

/**
 * The settings that decide what happens by itself; everything else is read by the engine.
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {Chosen}
 */
export function chosen(cfg, agentId) {
  const layers = [pluginSettings(cfg).consolidation, agentSettings(cfg, agentId).consolidation].filter(isRecord);
  return Object.assign({ mode: "off", writer: "extractive", model: "" }, ...layers);
}

/** Whether anybody's consolidation is on. @param {HostConfig} cfg */
export function isAnyOn(cfg) {
  return listAgentIds(cfg).some((agentId) => chosen(cfg, agentId).mode !== "off");
}

/**
 * The agents that share each workspace, by its real path: a workspace has one run.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @returns {string[][]}
 */
export function sharedWorkspaces(host, cfg) {
  /** @type {Map<string, string[]>} */
  const agentsByDir = new Map();
  for (const [dir, agents] of host.workspaces(cfg)) {
    const real = realPath(dir);
    agentsByDir.set(real, [...(agentsByDir.get(real) ?? []), ...agents]);
  }
  return [...agentsByDir.values()];
}

/** @param {string} dir */
function realPath(dir) {
  try {
    return realpathSync(dir);
  } catch {
    // A workspace that is not there yet is shared by whoever names it so.
    return dir;
  }
}

/**
 * The agents of a workspace, itself among them.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
export function coAgents(host, cfg, agentId) {
  return sharedWorkspaces(host, cfg).find((agents) => agents.includes(agentId)) ?? [agentId];
}

/**
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @returns {NativeAgent}
 */
export function nativeAgent(host, cfg, agentId) {
  const own = pluginSettings(cfg);
  const agents = isRecord(own.agents) ? Object.entries(own.agents) : [];
  return {
    config: {
      ...(own.consolidation === undefined ? {} : { consolidation: own.consolidation }),
      agents: Object.fromEntries(
        agents
          .filter(([, settings]) => isRecord(settings) && settings.consolidation !== undefined)
          .map(([id, settings]) => [id, { consolidation: settings.consolidation }]),
      ),
    },
    agentId,
    bootstrapChars: Math.min(...coAgents(host, cfg, agentId).map((id) => bootstrapChars(cfg, id))),
  };
}

/**
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
function bootstrapChars(cfg, agentId) {
  const set = agentEntry(cfg, agentId)?.bootstrapMaxChars ?? cfg.agents?.defaults?.bootstrapMaxChars;
  return Number.isFinite(set) && set > 0 ? Math.floor(set) : BOOTSTRAP_CHARS;
}
