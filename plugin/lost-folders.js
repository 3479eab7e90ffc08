// Folders of notes that are lost, told in the gateway's log: the passes that find out run in the background.

import { PLUGIN_ID } from "../lib/package-info.js";

/**
 * Managers by agent, with what was told last.
 * @type {Map<string, {manager: Pick<import("../lib/manager.js").MemoryIndexManager, "status">, told?: unknown}>}
 */
const watched = new Map();

/**
 * @param {string} agentId
 * @param {Pick<import("../lib/manager.js").MemoryIndexManager, "status">} manager
 */
export function watchFolders(agentId, manager) {
  watched.set(agentId, { manager });
}

/** Logs what is lost, once as long as it stays the same. @param {{logger: {warn: (text: string) => void}}} host */
export function warnAboutLostFolders(host) {
  for (const [agentId, entry] of watched) {
    const warning = lostWarning(entry.manager);
    if (warning && warning !== entry.told) host.logger.warn(`${PLUGIN_ID}: agent ${agentId}: ${warning}`);
    entry.told = warning;
  }
}

/** @param {Pick<import("../lib/manager.js").MemoryIndexManager, "status">} manager */
function lostWarning(manager) {
  try {
    return manager.status().custom?.lostWarning;
  } catch {
    // Closed for good: nobody asks it any more.
    return undefined;
  }
}
