// What every command needs: the configuration with its secrets, the agents it is about, and a manager for each.

import { defaultAgentId, isRecord, listAgentIds, normalizeAgentId, userTimeZone } from "../../lib/config.js";
import { codedError, errorMessage, switchedOff } from "../../lib/errors.js";
import { MemoryIndexManager } from "../../lib/manager.js";
import { importSdk } from "../sdk.js";
import { errorJson, fail, failOnly, print, printError, printJson, tellTimesIn } from "./output.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{cfg: HostConfig, agentId: string}} OneAgent
 * @typedef {(agent: OneAgent, error: unknown) => Promise<Record<string, any> | undefined>} Instead What a command has to say of
 *   an agent where its work failed; undefined = nothing but the failure.
 */

/** Secret references of the memory settings before 2026.8; newer hosts list them themselves. */
const FORMER_SECRET_TARGETS = ["agents.defaults.memorySearch.remote.apiKey", "agents.list[].memorySearch.remote.apiKey"];

/**
 * The configuration for a command. Commands see secret references where agents see text: the running gateway resolves
 * them for us where it can.
 * @param {Host} host
 * @param {string} commandName
 * @returns {Promise<HostConfig>}
 */
async function commandConfig(host, commandName) {
  const config = host.config();
  tellTimesIn(userTimeZone(config));
  if (!holdsSecretReference([config.memory?.search, config.agents])) return config;
  const sdk = await importSdk("memory-core-host-runtime-cli");
  if (typeof sdk?.resolveCommandSecretRefsViaGateway !== "function") return config;
  const targetIds = sdk.getMemoryEmbeddingCommandSecretTargetIds?.() ?? new Set(FORMER_SECRET_TARGETS);
  try {
    const { resolvedConfig, diagnostics } = await sdk.resolveCommandSecretRefsViaGateway({ config, commandName, targetIds });
    for (const line of diagnostics ?? []) printError(`[secrets] ${line}`);
    return resolvedConfig;
  } catch (error) {
    // Keyword search needs no secret, and a status must be shown just then.
    printError(`[secrets] ${errorMessage(error)}; going on without the secrets of the memory settings`);
    return config;
  }
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function holdsSecretReference(value) {
  if (Array.isArray(value)) return value.some(holdsSecretReference);
  if (!isRecord(value)) return false;
  return (typeof value.source === "string" && typeof value.id === "string") || Object.values(value).some(holdsSecretReference);
}

/**
 * The agents a command is about.
 * @param {HostConfig} cfg
 * @param {string | undefined} wanted
 * @param {{all: boolean}} scope Whether no wish means every agent or the default one.
 */
export function commandAgents(cfg, wanted, { all }) {
  const known = listAgentIds(cfg);
  if (wanted === undefined) return all ? known : [defaultAgentId(cfg)];
  const id = normalizeAgentId(wanted);
  if (wanted.trim() && known.includes(id)) return [id];
  throw codedError("MEM_ARGUMENT", `there is no agent "${wanted}"`, { remedy: `Name one that is configured: ${known.join(", ")}` });
}

/**
 * Lends a manager; null means that memory search is switched off for the agent.
 * @template T
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {(manager: MemoryIndexManager | null) => Promise<T>} use
 * @param {"status" | "cli"} [purpose]
 * @param {Partial<import("../../index.d.ts").ManagerRequest>} [more] What this command wants differently.
 * @returns {Promise<T>}
 */
export async function withManager(host, cfg, agentId, use, purpose = "cli", more = {}) {
  const manager = await MemoryIndexManager.get({ ...host.managerRequest({ cfg, agentId, purpose }), ...more });
  try {
    return await use(manager);
  } finally {
    await manager?.close();
  }
}

/**
 * What a command has to say about each agent. One that fails does not keep the others from their turn.
 * @template {Record<string, any>} T
 * @param {Host} host
 * @param {{agent?: string}} options
 * @param {{name: string, all: boolean, purpose?: "status" | "cli", instead?: Instead}} command
 * @param {(manager: MemoryIndexManager | null, agent: OneAgent) => Promise<T>} work
 */
export async function outcomesOfAgents(host, options, { name, all, purpose, instead }, work) {
  const cfg = await commandConfig(host, `memory ${name}`);
  /** @type {(T | {agentId: string, error: ReturnType<typeof errorJson>})[]} */
  const outcomes = [];
  /** @type {string[]} */
  let agents = [];
  try {
    agents = commandAgents(cfg, options.agent, { all });
  } catch (error) {
    fail(`Memory ${name}`, error);
    outcomes.push({ agentId: String(options.agent), error: errorJson(error) });
  }
  for (const agentId of agents) {
    try {
      outcomes.push(await withManager(host, cfg, agentId, (manager) => work(manager, { cfg, agentId }), purpose));
    } catch (error) {
      const told = /** @type {any} */ (await instead?.({ cfg, agentId }, error));
      outcomes.push(told ?? { agentId, error: errorJson(error) });
      if (told) continue;
      fail(`Memory ${name} (${agentId})`, error);
    }
  }
  return outcomes;
}

/**
 * Runs a command for each agent that has memory search; prints JSON of all at the end.
 * @param {Host} host
 * @param {{agent?: string, json?: boolean}} options
 * @param {{name: string, all: boolean, purpose?: "status" | "cli", instead?: Instead}} command
 * @param {(manager: MemoryIndexManager, agent: OneAgent) => Promise<Record<string, unknown>>} work
 */
export async function forEachAgent(host, options, command, work) {
  const outcomes = await outcomesOfAgents(host, options, command, async (manager, agent) => {
    const { agentId } = agent;
    if (manager) return { agentId, ...(await work(manager, agent)) };
    if (!options.json) print(`Memory search disabled (${agentId}).`);
    return { agentId, status: "disabled" };
  });
  if (options.json) printJson(outcomes);
}

/**
 * Runs a command for the one agent it is about, and reports its failure.
 * @param {Host} host
 * @param {{agent?: string, json?: boolean}} options
 * @param {{name: string, doing: string}} command
 * @param {(agent: OneAgent) => Promise<void>} work
 */
export async function forOneAgent(host, options, { name, doing }, work) {
  const cfg = await commandConfig(host, name);
  /** @type {string | undefined} */
  let agentId;
  try {
    [agentId] = commandAgents(cfg, options.agent, { all: false });
    await work({ cfg, agentId });
  } catch (error) {
    failOnly(doing, error, { json: options.json, agentId });
  }
}

/**
 * Lends the manager of an agent that must have memory search.
 * @template T
 * @param {Host} host
 * @param {OneAgent} agent
 * @param {(manager: MemoryIndexManager) => Promise<T>} use
 */
export async function withSearch(host, { cfg, agentId }, use) {
  return await withManager(host, cfg, agentId, async (manager) => {
    if (!manager) throw switchedOff(agentId);
    return await use(manager);
  });
}
