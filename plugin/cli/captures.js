// `openclaw memory captures`

import { codedError } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { leftText } from "../consolidation/text.js";
import { automaticAgent, nativeOnly } from "../hooks/agent.js";
import { forOneAgent, withSearch } from "./agents.js";
import { counted, paint, print, printJson, timeText } from "./output.js";
import { table } from "./table.js";

/**
 * @typedef {{agent?: string, limit?: number, undo?: string, json?: boolean}} Options
 * @typedef {{id: string, ts: string, status: "stored" | "skipped" | "undone", text: string, reason?: string, category?: string, path?: string}} Capture
 */

/** Captures shown when no number is given. */
const DEFAULT_LIMIT = 20;

/**
 * @param {import("../host.js").Host} host
 * @param {Options} options
 */
export async function runCaptures(host, options) {
  await forOneAgent(host, options, { name: "memory captures", doing: "Memory captures" }, async ({ cfg, agentId }) => {
    if (options.undo !== undefined) return await undo(host, automaticAgent(host, cfg, agentId), options.undo, options.json);
    // What was captured is there whether or not the settings are right.
    const { captures, waiting } = await native().listCaptures(nativeOnly(host, cfg, agentId), options.limit ?? DEFAULT_LIMIT);
    if (options.json) return printJson({ agentId, captures, waiting });
    if (captures.length === 0) print("Nothing was captured yet.");
    else printTable(captures);
    if (waiting > 0) print(`${counted(waiting, "turn")} waiting.`);
  });
}

/**
 * @param {import("../host.js").Host} host
 * @param {import("../hooks/agent.js").Agent} agent
 * @param {string} id
 * @param {boolean} [json]
 */
async function undo(host, { cfg, agentId, native: agent }, id, json) {
  if (!id.trim()) throw codedError("MEM_ARGUMENT", "there is no id", { remedy: "`openclaw memory captures` shows those of all captures" });
  await withSearch(host, { cfg, agentId }, async (manager) => {
    const { removed, ...unlearned } = await manager.undoCapture(agent, id);
    if (json) return printJson({ agentId, id, removed, ...unlearned });
    print(removed ? `Took ${id} out of its note.` : `The note no longer holds ${id}; it will not be captured again.`);
    if (unlearned.learned > 0) print("Took out of MEMORY.md what consolidation had made of it.");
    for (const line of leftText(unlearned)) print(line);
  });
}

/** @param {Capture[]} captures */
function printTable(captures) {
  const rows = captures.map(({ id, ts, status, text, reason, category, path }) => [
    id,
    timeText(ts),
    paint(status === "stored" ? "green" : status === "undone" ? "yellow" : "gray", status),
    category ?? "",
    paint("cyan", path ?? ""),
    reason ?? "",
    text,
  ]);
  print(table(["ID", "WHEN", "STATE", "KIND", "NOTE", "WHY", "TEXT"], rows));
}
