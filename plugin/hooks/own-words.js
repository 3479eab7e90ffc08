// Which files hold the words of the user or the agent. What came from elsewhere is only shown to a model that asks for it.

import { isForeign, originOf } from "../origins.js";

/** @typedef {{path: string, state?: string, modifiedMs?: number}} AskedFile */

/**
 * Whether files are the user's or the agent's, one after the other.
 * @param {string} workspaceDir
 * @param {AskedFile[]} files
 */
export async function originsOf(workspaceDir, files) {
  /** @type {("own" | "other")[]} */
  const origins = [];
  for (const { path, state, modifiedMs = 0 } of files) {
    const origin = await originOf(workspaceDir, path, state === undefined ? undefined : { state, modifiedMs });
    origins.push(isForeign(origin) ? "other" : "own");
  }
  return origins;
}
