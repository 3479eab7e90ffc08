// `openclaw memory index`

import { errorCause } from "../../lib/errors.js";
import { forEachAgent } from "./agents.js";
import { counted, failWith, inOneLine, print, printError } from "./output.js";
import { withProgress } from "./progress.js";

/**
 * @typedef {{agent?: string, force?: boolean, rebuild?: boolean, dryRun?: boolean, cancelBatches?: boolean, json?: boolean, verbose?: boolean}} Options
 * @typedef {{plan: {files: number, changed: string[], removed: string[], restored?: string[], rebuild?: string, texts: number, tokens: number},
 *   paid: boolean, local: boolean, cost?: number | null, provider: string, model?: string, address?: string}} Cost
 * @param {import("../host.js").Host} host
 * @param {Options} options
 */
export async function runIndex(host, options) {
  await forEachAgent(host, options, { name: "index", all: true }, (manager, { agentId }) => indexAgent(agentId, manager, options));
}

/**
 * @param {string} agentId
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @param {Options} options
 */
async function indexAgent(agentId, manager, { force, rebuild, dryRun, cancelBatches, json, verbose }) {
  if (cancelBatches) {
    const cancelled = await manager.cancelBatches();
    if (!json) print(`Stopped ${counted(cancelled, "batch job")} (${agentId}). Texts that were finished are paid for and used.`);
    return { cancelled };
  }
  // Nobody reads the cost in JSON of a run that goes ahead anyway, and finding it out means reading every changed file.
  const cost = dryRun || !json ? await costOf(manager, { force: force === true, rebuild: rebuild === true }) : undefined;
  if (dryRun && cost) {
    if (!json) print(`${changesText(cost.plan)} (${agentId}).\n${costText(cost)}`);
    return { dryRun, ...cost };
  }
  if (cost && !cost.local && cost.plan.texts > 0) print(costText(cost));
  if (rebuild) {
    const begun = await manager.rebuildVectors();
    if (!begun && !json) print(`Vectors of a model in this process are never another model's; nothing to rebuild (${agentId}).`);
  }
  const report = await withProgress("Indexing memory", (progress) => manager.sync({ reason: "cli", force: force === true, progress }));
  const status = manager.status();
  if (!json) {
    const files = status.files ?? 0;
    print(
      files === 0
        ? `No memory files found in ${status.workspaceDir}; nothing indexed (${agentId}).`
        : `Memory index updated (${agentId}): ${counted(files, "file")}, ${counted(status.chunks ?? 0, "chunk")} indexed.`,
    );
    const { skipped } = verbose || report.skipped > 0 ? await manager.inspect() : { skipped: [] };
    for (const { path, reason } of verbose ? skipped : []) print(`  skipped ${inOneLine(path)}: ${reason}`);
    const unread = verbose ? undefined : unreadText(skipped);
    if (unread) print(unread);
    if (report.warning) printError(report.warning);
    // A pass of the gateway may have found them, and told nobody.
    const kept = status.custom?.notes?.conflicts ?? [];
    if (kept.length > 0)
      print(
        `${counted(kept.length, "text")} kept beside another (\`openclaw memory status\` names them): bring together what is needed, and delete the file.`,
      );
    if (report.refused > 0) print(`The provider refused ${counted(report.refused, "text")}; these are found by their words only.`);
  }
  if (report.embeddingError) failWith(embeddingText(`Memory index (${agentId})`, report));
  return { report, status };
}

/** Files that are named where not all are. */
const NAMED = 3;

/**
 * That files could not be read, and so are not found; nothing where all could. What else is left out was meant to be, or is told
 * with `--verbose`.
 * @param {{path: string, code: string, reason: string}[]} skipped
 */
export function unreadText(skipped) {
  const unread = skipped.filter(({ code }) => code === "unreadable");
  if (unread.length === 0) return undefined;
  const named = unread.slice(0, NAMED).map(({ path, reason }) => `${inOneLine(path)} (${reason})`);
  const more = unread.length > NAMED ? `, and ${unread.length - NAMED} more (--verbose names all)` : "";
  return `${counted(unread.length, "file")} could not be read: ${named.join(", ")}${more}.`;
}

/**
 * That notes could not be embedded: what is missing and why, what works meanwhile, and what to do.
 * @param {string} doing
 * @param {import("../../index.d.ts").MemorySyncReport} report with an `embeddingError`
 */
export function embeddingText(doing, { embeddingError, pending }) {
  const { code, remedy } = /** @type {import("../../index.d.ts").MemoryFailure} */ (embeddingError);
  const cause = `${errorCause(embeddingError)} [${code}]`;
  return [
    `${doing}: ${pending > 0 ? counted(pending, "chunk") : "some texts"} could not be embedded: ${cause}`,
    "The notes are indexed by their words, and search finds them by words meanwhile.",
    ...(remedy ? [`What to do: ${remedy}.`] : []),
    "What is missing is embedded by the next `openclaw memory index`.",
  ].join("\n");
}

/**
 * What an update would do and cost.
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @param {{force?: boolean, rebuild?: boolean, taken?: string[]}} [options] As of `plan`.
 * @returns {Promise<Cost>}
 */
export async function costOf(manager, options) {
  const { plan, paid, local, cost } = await manager.plan(options);
  const { provider, model, custom } = manager.status();
  const endpoint = /** @type {{address?: string} | null | undefined} */ (custom?.endpoint);
  return {
    plan,
    paid,
    local,
    ...(typeof cost === "number" ? { cost } : {}),
    provider,
    model: model ?? undefined,
    address: endpoint?.address,
  };
}

/** @param {Cost["plan"]} plan */
function changesText({ files, changed, removed, restored = [], rebuild }) {
  const changes = [`${changed.length} of ${counted(files, "file")} to read`, `${removed.length} to remove`];
  if (restored.length > 0) changes.push(`${counted(restored.length, "note")} to restore from the database`);
  return `Nothing done. Would update the index: ${changes.join(", ")}${rebuild ? `; ${rebuild}` : ""}`;
}

/** Providers that run models themselves: on this machine, their texts stay there. */
const RUN_MODELS = new Set(["ollama", "lmstudio", "llama-server"]);

/** @param {Cost} cost */
export function costText({ plan, paid, local, cost, provider, model, address }) {
  if (plan.texts === 0) return "No text needs to be embedded.";
  const what = `${counted(plan.texts, "text")}, about ${plan.tokens} tokens`;
  if (local) return `To embed in this process, at no cost: ${what}.`;
  // A server here may hand texts on to somebody who is paid for it.
  const here = RUN_MODELS.has(provider) ? "on this machine" : `through ${address ?? "a server on this machine"}`;
  const price = paid && typeof cost === "number" ? `, about ${cost.toFixed(cost < 1 ? 4 : 2)} at pricePerMillionTokens` : "";
  return `To send to ${provider} (${model ?? "its default model"}, ${paid ? "paid by the token" : here}): ${what}${price}.`;
}
