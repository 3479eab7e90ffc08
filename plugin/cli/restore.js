// `openclaw memory restore`

import { listAgentIds } from "../../lib/config.js";
import { codedError } from "../../lib/errors.js";
import { command } from "../command.js";
import { forEachAgent } from "./agents.js";
import { agreed } from "./confirm.js";
import { embeddingText } from "./index-command.js";
import { refuseEmpty } from "./options.js";
import { byteText, counted, failWith, print, shellPath } from "./output.js";
import { withProgress } from "./progress.js";

/**
 * @typedef {{agent?: string, dryRun?: boolean, yes?: boolean, json?: boolean}} Options
 * @typedef {import("../../index.d.ts").MemoryRestoreReport} Report
 */

/**
 * @param {import("../host.js").Host} host
 * @param {string} file
 * @param {Options} options
 */
export async function runRestore(host, file, options) {
  // As for a status: nothing is to be taken over or indexed before.
  await forEachAgent(host, options, { name: "restore", all: false, purpose: "status" }, async (manager, agent) => {
    const { agentId } = agent;
    refuseEmpty(file, "the name of the copy", "Name a copy that `openclaw memory backup` has written");
    const plan = await manager.restore(file, { dryRun: true });
    refuseOthers(plan, agent);
    if (!options.json) print(planText(agentId, plan));
    if (options.dryRun) {
      if (!options.json) print("Nothing done.");
      return { ...plan };
    }
    const told = { not: "Nothing was restored", to: "restore it" };
    if (!(await agreed("Put it back? Your notes stay as they are. [y/N] ", options, told))) return { restored: null };
    const restored = await manager.restore(file);
    if (!options.json) print(doneText(agent, restored));
    // A running gateway compares the disk within a minute; until then its answers would lack what was written since the copy.
    const report = await withProgress("Indexing memory", (progress) => manager.sync({ reason: "cli", progress }));
    if (!options.json) print(`Brought up to date with your notes: ${counted(report.changed + report.removed, "file")}.`);
    if (report.embeddingError) failWith(embeddingText(`Memory restore (${agentId})`, report));
    return { restored, report };
  });
}

/**
 * Agents of one workspace have the same notes, and each its own conversations. A copy of an agent that is no more is anybody's.
 * @param {Report} plan
 * @param {import("./agents.js").OneAgent} agent
 */
function refuseOthers({ path, agent }, { cfg, agentId }) {
  if (agent === undefined || agent === agentId || !listAgentIds(cfg).includes(agent)) return;
  const remedy = `Put it back there: ${command(`restore ${shellPath(path)}`, { cfg, agentId: agent })}`;
  throw codedError("MEM_ARGUMENT", `${path} is a copy of the index of agent ${agent}, not of ${agentId}`, { remedy });
}

/** @param {{files: number, chunks: number, vectors: number}} held */
const heldText = ({ files, chunks, vectors }) => `${counted(files, "file")}, ${counted(chunks, "chunk")}, ${counted(vectors, "vector")}`;

/** @param {string} agentId @param {Report} report */
function planText(agentId, { path, replaced, ...copy }) {
  const present = replaced.files + replaced.vectors > 0 ? `${heldText(replaced)}; ${byteText(replaced.bytes ?? 0)}` : "empty";
  return [
    `The copy ${path} is sound: ${heldText(copy)}.`,
    `It takes the place of the index of ${agentId} (${present}), which is kept beside it; the two newest such copies are kept.`,
  ].join("\n");
}

/** @param {import("./agents.js").OneAgent} agent @param {Report} report */
function doneText(agent, { path, kept, forgotten, ...copy }) {
  const lines = [
    `Restored the index of ${agent.agentId} from ${path} (${heldText(copy)}). Vectors made since then were kept.`,
    kept ? `What was there: ${kept}\nTo go back to it: ${command(`restore ${shellPath(kept)}`, agent)}` : null,
    forgotten > 0 ? `New in the list of what is forgotten: ${forgotten} (${command("forget --list", agent)})` : null,
  ];
  return lines.filter((line) => line !== null).join("\n");
}
