// The memory runtime the host asks for managers, and for what it may show to whom.

import { normalizeAgentId } from "../lib/config.js";
import { errorMessage } from "../lib/errors.js";
import { MemoryIndexManager } from "../lib/manager.js";
import { closeAllMemoryIndexManagers, suspendManagers } from "../lib/manager-registry.js";
import { classifyPaths } from "./provenance/paths.js";
import { authorizeHits } from "./session-visibility.js";

/**
 * @typedef {import("./host.js").Host} Host
 * @typedef {import("./host.js").HostConfig} HostConfig
 * @typedef {{manager: MemoryIndexManager | null, error?: string, cause?: unknown, debug?: {backend: "builtin", purpose: string, managerMs: number}}} ManagerAnswer
 */

/**
 * The manager of an agent in this host; null without an error when memory search is switched off. `cause` is
 * what was thrown, with its code and remedy; hosts read `error`.
 * @param {Host} host
 * @param {{cfg: HostConfig, agentId: string, purpose?: "default" | "status" | "cli"}} request
 * @returns {Promise<ManagerAnswer>}
 */
export async function getManager(host, request) {
  const started = Date.now();
  try {
    const manager = await MemoryIndexManager.get(host.managerRequest(request));
    return { manager, debug: { backend: "builtin", purpose: request.purpose ?? "default", managerMs: Date.now() - started } };
  } catch (error) {
    return { manager: null, error: errorMessage(error), cause: error };
  }
}

/** @param {Host} host */
export function createRuntime(host) {
  return {
    /** @param {{cfg: HostConfig, agentId: string, purpose?: "default" | "status" | "cli"}} request */
    getMemorySearchManager: (request) => getManager(host, request),
    resolveMemoryBackendConfig: () => ({ backend: /** @type {const} */ ("builtin") }),
    closeAllMemorySearchManagers: closeAllMemoryIndexManagers,
    /** @param {{cfg: HostConfig, agentId: string}} request */
    closeMemorySearchManager: ({ agentId }) => suspendManagers({ stateDir: host.stateDir(), agentId: normalizeAgentId(agentId) }),
    supportsWorkspaceMemoryReadSources: /** @type {const} */ (true),
    classifyWorkspaceMemoryPaths: classifyPaths,
    /** @param {Parameters<typeof authorizeHits>[1]} request */
    authorizeSearchHits: (request) => authorizeHits(host, request),
    prepareReload,
  };
}

/** Newer hosts replace a registration while it runs: let what is open come to rest; the next call opens it again. */
function prepareReload() {
  return { drain: closeAllMemoryIndexManagers, resume() {} };
}
