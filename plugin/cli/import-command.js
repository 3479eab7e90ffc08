// `openclaw memory import`

import { takeOver } from "../takeover.js";
import { commandAgents, commandConfig, withManager } from "./agents.js";
import { counted, errorJson, fail, paint, print, printJson } from "./output.js";

/**
 * @typedef {{agent?: string, dryRun?: boolean, json?: boolean}} Options
 * @typedef {import("../takeover.js").SourceReport} SourceReport
 * @param {import("../host.js").Host} host
 * @param {Options} options
 */
export async function runImport(host, options) {
  const cfg = await commandConfig(host, "memory import");
  const outcomes = [];
  for (const agentId of commandAgents(cfg, options.agent, { all: true })) {
    try {
      outcomes.push(
        // As for a status: the takeover of the first start would leave nothing to report.
        await withManager(host, cfg, agentId, (manager) => importAgent(host, cfg, agentId, manager, options), "status"),
      );
    } catch (error) {
      outcomes.push({ agentId, error: errorJson(error) });
      fail(`Memory import (${agentId})`, error);
    }
  }
  if (options.json) printJson(outcomes);
}

/**
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {import("../../lib/manager.js").MemoryIndexManager | null} manager
 * @param {Options} options
 */
async function importAgent(host, cfg, agentId, manager, { dryRun = false, json }) {
  if (!manager) {
    if (!json) print(`Memory search disabled (${agentId}).`);
    return { agentId, status: "disabled" };
  }
  const sources = await takeOver(host, { cfg, agentId }, manager, { dryRun });
  if (sources.some((source) => source.error)) process.exitCode = 1;
  if (!json) {
    if (sources.length === 0) print(`No index of memory-core found (${agentId}).`);
    const { provider, model } = manager.status();
    for (const source of sources) print(sourceText(agentId, source, { dryRun, wanted: `${provider}, model ${model ?? "none"}` }));
  }
  return { agentId, dryRun, sources };
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
