// What every command needs: the configuration with its secrets, the agents it is about, and a manager for each.

import { defaultAgentId, isRecord, listAgentIds, normalizeAgentId } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { MemoryIndexManager } from "../../lib/manager.js";
import { importSdk } from "../sdk.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
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
export async function commandConfig(host, commandName) {
  const config = host.config();
  if (!holdsSecretReference([config.memory?.search, config.agents])) return config;
  const sdk = await importSdk("memory-core-host-runtime-cli");
  if (typeof sdk?.resolveCommandSecretRefsViaGateway !== "function") return config;
  const targetIds = sdk.getMemoryEmbeddingCommandSecretTargetIds?.() ?? new Set(FORMER_SECRET_TARGETS);
  try {
    const { resolvedConfig, diagnostics } = await sdk.resolveCommandSecretRefsViaGateway({ config, commandName, targetIds });
    for (const line of diagnostics ?? []) console.error(`[secrets] ${line}`);
    return resolvedConfig;
  } catch (error) {
    // Keyword search needs no secret, and a status must be shown just then.
    console.error(`[secrets] ${errorMessage(error)}; going on without the secrets of the memory settings`);
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
  throw new Error(`There is no agent "${wanted}". Configured: ${known.join(", ")}.`);
}

/**
 * Lends a manager; null means that memory search is switched off for the agent.
 * @template T
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {string} agentId
 * @param {(manager: MemoryIndexManager | null) => Promise<T>} use
 * @param {"status" | "cli"} [purpose]
 * @returns {Promise<T>}
 */
export async function withManager(host, cfg, agentId, use, purpose = "cli") {
  const manager = await MemoryIndexManager.get(host.managerRequest({ cfg, agentId, purpose }));
  try {
    return await use(manager);
  } finally {
    await manager?.close();
  }
}
