// Further corpora that other plugins add beside ours, such as a compiled wiki.

import { errorMessage } from "../lib/errors.js";
import { importSdk } from "./sdk.js";

/**
 * @typedef {{pluginId: string, supplement: {search(request: object): Promise<any[]>, get(request: object): Promise<any>}}} Supplement
 * @typedef {{query: string, maxResults?: number, agentId: string, agentSessionKey?: string, sandboxed?: boolean}} SupplementQuery
 * @typedef {{lookup: string, fromLine?: number, lineCount?: number, agentId: string, agentSessionKey?: string, sandboxed?: boolean}} SupplementLookup
 */

/** Name under which models ask for them. */
export const SUPPLEMENT_CORPUS = "wiki";

/** @returns {Promise<Supplement[]>} */
async function supplements() {
  const sdk = await importSdk("memory-core-host-runtime-core");
  const registered = sdk?.listMemoryCorpusSupplements?.() ?? [];
  return registered.toSorted((/** @type {Supplement} */ a, /** @type {Supplement} */ b) => a.pluginId.localeCompare(b.pluginId));
}

/**
 * Their results, best first; one that fails costs only its own.
 * @param {SupplementQuery} query
 * @returns {Promise<{results: any[], warnings: string[]}>}
 */
export async function searchSupplements(query) {
  const registered = await supplements();
  if (registered.length === 0) return { results: [], warnings: ["No wiki is installed, so only memory could be searched."] };
  const settled = await Promise.allSettled(registered.map(({ supplement }) => supplement.search(query)));
  const results = settled.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  return {
    results: results.toSorted((a, b) => b.score - a.score || String(a.path).localeCompare(String(b.path))),
    warnings: failures(registered, settled),
  };
}

/**
 * The first that has the document.
 * @param {SupplementLookup} lookup
 * @returns {Promise<{result: Record<string, any> | null, warnings: string[]}>}
 */
export async function readSupplements(lookup) {
  const registered = await supplements();
  const settled = await Promise.allSettled(registered.map(({ supplement }) => supplement.get(lookup)));
  const found = settled.flatMap((outcome) => (outcome.status === "fulfilled" && outcome.value ? [outcome.value] : []))[0];
  if (!found) return { result: null, warnings: failures(registered, settled) };
  const { content, ...rest } = found;
  return { result: { status: "ok", ...rest, text: content }, warnings: failures(registered, settled) };
}

/**
 * @param {Supplement[]} registered
 * @param {PromiseSettledResult<unknown>[]} settled
 */
function failures(registered, settled) {
  return settled.flatMap((outcome, i) =>
    outcome.status === "rejected" ? [`The wiki of ${registered[i].pluginId} is unavailable: ${errorMessage(outcome.reason)}.`] : [],
  );
}
