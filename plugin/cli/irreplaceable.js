// What of ours nobody can make again once it is removed: standing intents, and the list of what was forgotten.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { normalizeAgentId } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { automaticAgent } from "../hooks/agent.js";
import { counted } from "./output.js";

/** @typedef {{intents: number, forgotten: number}} Irreplaceable */

/** Where an agent's folder has its intents. */
const INTENTS = "intents.jsonl";
/** Ends the name of a list of what was forgotten. */
const FORGOTTEN = ".forgotten.jsonl";

/**
 * How much there is of it: intents of all agents, of former ones as well, and entries of all lists.
 * @param {import("../host.js").Host} host
 * @param {import("./index-files.js").Elsewhere[]} elsewhere
 * @returns {Promise<Irreplaceable>}
 */
export async function irreplaceable(host, elsewhere) {
  const own = path.join(host.stateDir(), PLUGIN_ID);
  const inside = await readdir(own, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = inside.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  files.push(...elsewhere.flatMap((index) => index.files.map((file) => file.path)));
  const lists = await Promise.all(files.filter((file) => file.endsWith(FORGOTTEN)).map(linesOf));
  return { intents: await intentsOf(host, own), forgotten: lists.reduce((sum, lines) => sum + lines, 0) };
}

/**
 * In words; empty when there is none.
 * @param {Irreplaceable} found
 */
export function irreplaceableText({ intents, forgotten }) {
  const parts = [
    ...(intents > 0 ? [counted(intents, "standing intent")] : []),
    ...(forgotten > 0 ? [`the list of what was forgotten (${forgotten === 1 ? "1 entry" : `${forgotten} entries`})`] : []),
  ];
  return parts.join(" and ");
}

/** Those of all agents that have a folder. @param {import("../host.js").Host} host @param {string} own */
async function intentsOf(host, own) {
  const cfg = host.config();
  const names = await readdir(own).catch(() => []);
  let count = 0;
  for (const agentId of names.filter((name) => normalizeAgentId(name) === name && existsSync(path.join(own, name, INTENTS)))) {
    try {
      count += (await native().listIntents(automaticAgent(host, cfg, agentId).native)).length;
    } catch (error) {
      console.error(`Standing intents were not counted (${agentId}): ${errorMessage(error)}`);
    }
  }
  return count;
}

/** @param {string} file */
async function linesOf(file) {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line.trim() !== "").length;
}
