// The indexes that `store.path` puts outside of our own folder, for `openclaw memory reset --everything`.

import { lstat, rmdir } from "node:fs/promises";
import path from "node:path";
import { listAgentIds } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { prepare } from "../../lib/request.js";
import { printError } from "./output.js";
import { removeTree } from "./remove-tree.js";

/** @typedef {Awaited<ReturnType<typeof prepare>>} Prepared */
/** @typedef {{agentId: string, files: {path: string, bytes: number}[], folders: string[]}} Elsewhere */

/**
 * Does something for the index of every agent. Settings that cannot be used keep nobody from leaving: that it was not done is said.
 * @param {import("../host.js").Host} host
 * @param {string} undone What is said then.
 * @param {(request: Prepared["nativeRequest"], agentId: string, password: Prepared["databasePassword"]) => Promise<void>} work
 */
export async function forEveryIndex(host, undone, work) {
  const cfg = host.config();
  for (const agentId of listAgentIds(cfg)) {
    try {
      const { nativeRequest, databasePassword } = await prepare(host.managerRequest({ cfg, agentId, purpose: "status" }));
      await work(nativeRequest, agentId, databasePassword);
    } catch (error) {
      printError(`${undone} (${agentId}): ${errorMessage(error)}`);
    }
  }
}

/**
 * The files of every agent's index that are not below our own folder, and what has the name of one and is none of ours, wherever it
 * is; a link below our own folder is of that folder. Each is named once: agents may share a folder.
 * @param {import("../host.js").Host} host
 * @returns {Promise<{indexes: Elsewhere[], foreign: string[]}>}
 */
export async function indexesElsewhere(host) {
  const own = path.join(host.stateDir(), PLUGIN_ID) + path.sep;
  /** @type {Set<string>} */
  const named = new Set();
  const isOutside = (/** @type {string} */ file) => !file.startsWith(own);
  const isNew = (/** @type {string} */ file) => !named.has(file) && named.add(file);
  /** @type {Elsewhere[]} */
  const indexes = [];
  /** @type {string[]} */
  const foreign = [];
  await forEveryIndex(host, "An index outside of our own folder was not looked for", async (request, agentId) => {
    const found = await native().indexFiles(request);
    const files = found.files.filter((file) => isOutside(file.path) && isNew(file.path));
    if (files.length > 0) indexes.push({ agentId, files, folders: found.folders });
    for (const file of found.foreign) if ((isOutside(file) || !(await isLink(file))) && isNew(file)) foreign.push(file);
  });
  return { indexes, foreign };
}

/** @param {string} file */
async function isLink(file) {
  const found = await lstat(file).catch(() => undefined);
  return found?.isSymbolicLink() ?? false;
}

/**
 * Removes the files, and folders of ours that are empty then.
 * @param {Elsewhere[]} indexes
 * @returns {Promise<unknown[]>} why something could not be removed
 */
export async function removeIndexes(indexes) {
  /** @type {unknown[]} */
  const faults = [];
  for (const { files, folders } of indexes) {
    for (const file of files) faults.push(...(await removeTree(file.path)));
    // What somebody else has put there stays.
    for (const folder of folders) await rmdir(folder).catch(() => {});
  }
  return faults;
}
