// `openclaw memory import`

import { takeOver } from "../import/take-over.js";
import { forEachAgent } from "./agents.js";
import { counted, paint, print } from "./output.js";

/**
 * @typedef {{agent?: string, dryRun?: boolean, json?: boolean}} Options
 * @typedef {import("../import/take-over.js").SourceReport} SourceReport
 * @param {import("../host.js").Host} host
 * @param {Options} options
 */
export async function runImport(host, options) {
  // As for a status: the takeover of the first start would leave nothing to report.
  await forEachAgent(host, options, { name: "import", all: true, purpose: "status" }, (manager, { cfg, agentId }) =>
    importAgent(host, cfg, agentId, manager, options),
  );
}

/**
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @param {Options} options
 */
async function importAgent(host, cfg, agentId, manager, { dryRun = false, json }) {
  const sources = await takeOver(host, { cfg, agentId }, manager, { dryRun });
  if (sources.some((source) => source.error)) process.exitCode = 1;
  if (!json) {
    if (sources.length === 0) print(`No index of memory-core found (${agentId}).`);
    const { provider, model } = manager.status();
    for (const source of sources) print(sourceText(agentId, source, { dryRun, wanted: `${provider}, model ${model ?? "none"}` }));
  }
  return { dryRun, sources };
}

/**
 * @param {string} agentId
 * @param {SourceReport} source
 * @param {{dryRun: boolean, wanted: string}} context
 */
export function sourceText(agentId, source, { dryRun, wanted }) {
  const head = `${paint("bold", source.path)} (${agentId})`;
  if (source.error) return `${head}\n  not read: ${source.error}`;
  const made = `${source.provider}, model ${source.model}`;
  if (!source.accepted) return `${head}\n  nothing taken: its vectors are of ${made}; the settings ask for ${wanted}`;
  return [
    head,
    `  ${counted(source.chunks ?? 0, "chunk")} of ${made}`,
    `  ${dryRun ? "would be taken" : "taken"}: ${counted(source.taken, "vector")}`,
    source.known > 0 ? `  there already: ${source.known}` : null,
    source.otherLength > 0 ? `  not taken, of another length: ${source.otherLength}` : null,
    source.unusable > 0 ? `  not taken, without text or vector: ${source.unusable}` : null,
    source.otherModels ? `  not taken, of another model: ${source.otherModels}` : null,
  ]
    .filter((line) => line !== null)
    .join("\n");
}
