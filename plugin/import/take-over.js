// Takes over the vectors that memory-core has paid for, so that changing to us costs nothing, and what it has forgotten.

import { errorMessage, errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { takeOverForgotten } from "./forgotten.js";
import { MemoryCoreIndex, memoryCoreIndexPaths } from "./memory-core-index.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("../../index.d.ts").MemoryIndexManager} MemoryIndexManager
 * @typedef {{taken: number, known: number, otherLength: number, unusable: number}} Outcome
 * @typedef {Outcome & {path: string, provider?: string, model?: string, chunks?: number, otherModels?: number, accepted?: boolean,
 *   error?: string}} SourceReport One index that was found; `chunks` are those of its model.
 */

/** @type {Outcome} */
const NOTHING = { taken: 0, known: 0, otherLength: 0, unusable: 0 };

/**
 * Looks through every index that memory-core left for an agent.
 * @param {Host} host
 * @param {{cfg: HostConfig, agentId: string}} owner
 * @param {MemoryIndexManager} manager
 * @param {{dryRun: boolean, wouldTake?: string[]}} mode `wouldTake` gets the texts that would need no vector any more.
 * @returns {Promise<SourceReport[]>}
 */
export async function takeOver(host, { cfg, agentId }, manager, { dryRun, wouldTake = [] }) {
  const reports = [];
  for (const path of memoryCoreIndexPaths({ stateDir: host.stateDir(), agentDir: host.agentDir(cfg, agentId), agentId })) {
    try {
      const report = await takeOverOne(path, manager, dryRun, wouldTake);
      if (report) reports.push(report);
    } catch (error) {
      reports.push({ path, ...NOTHING, error: errorMessage(error) });
    }
  }
  if (!dryRun && reports.some((report) => report.accepted)) await manager.noteImport({ atMs: Date.now(), sources: reports });
  return reports;
}

/**
 * @param {string} path
 * @param {MemoryIndexManager} manager
 * @param {boolean} dryRun
 * @param {string[]} wouldTake
 * @returns {Promise<SourceReport | null>}
 */
async function takeOverOne(path, manager, dryRun, wouldTake) {
  const index = await MemoryCoreIndex.open(path);
  if (!index) return null;
  try {
    const { provider, model } = index;
    const { own: chunks, others: otherModels } = index.counts();
    const found = { path, provider, model, chunks, otherModels };
    if (!(await manager.acceptsVectors({ provider, model }))) return { ...found, ...NOTHING, accepted: false };
    const sum = { ...NOTHING };
    for await (const { texts, vectors } of index.slices()) {
      const outcome = await manager.importVectors({ provider, model, texts, vectors, dryRun });
      for (const key of /** @type {(keyof Outcome)[]} */ (Object.keys(sum))) sum[key] += outcome[key];
      for (const text of outcome.wouldTake ?? []) wouldTake.push(text);
    }
    return { ...found, ...sum, accepted: true };
  } finally {
    index.close();
  }
}

/**
 * The takeover at a start: of vectors once for each index of ours, of what was forgotten whenever there is more of it. A
 * failure must not keep anybody from searching: it is logged, and the next start tries again.
 * @param {Host} host
 * @param {{cfg: HostConfig, agentId: string}} owner
 * @returns {(manager: MemoryIndexManager) => Promise<void>}
 */
export function takeOverOnce(host, owner) {
  return async (manager) => {
    try {
      const forgotten = await takeOverForgotten(host, owner, manager, { onlyNew: true });
      if (forgotten?.error) host.logger.warn(`${PLUGIN_ID}: what memory-core has forgotten was not read: ${forgotten.error}`);
      else if (forgotten?.taken)
        host.logger.info(`${PLUGIN_ID}: what memory-core has forgotten stays forgotten (conversations: ${forgotten.taken})`);
      if (await manager.lastImport()) return;
      for (const { path, taken, error } of await takeOver(host, owner, manager, { dryRun: false })) {
        if (error) host.logger.warn(`${PLUGIN_ID}: the index of memory-core in ${path} was not taken over: ${error}`);
        else if (taken > 0) host.logger.info(`${PLUGIN_ID}: took over ${taken} vectors of memory-core from ${path}`);
      }
    } catch (error) {
      host.logger.warn(`${PLUGIN_ID}: nothing was taken over from memory-core: ${errorText(error)}`);
    }
  };
}
