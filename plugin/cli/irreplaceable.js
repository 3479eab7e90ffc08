// What of ours nobody can make again once it is removed: standing intents, the list of what was forgotten, and what the
// configuration was before setup.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { normalizeAgentId } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { automaticAgent } from "../hooks/agent.js";
import { rememberedChanges } from "../setup/changes.js";
import { counted, printError } from "./output.js";

/** @typedef {{intents: number, forgotten: number, setup: number}} Irreplaceable `setup`: settings that its undoing puts back. */

/** Where an agent's folder has its intents. */
const INTENTS = "intents.jsonl";
/** A list of what was forgotten: that of an index, and the copy in the agent's folder. */
const FORGOTTEN = /(?:^|[./\\])forgotten(?:\.ws-\w+)?\.jsonl$/;

/**
 * How much there is of it: intents of all agents, of former ones as well, acts of forgetting, and settings that setup changed.
 * @param {import("../host.js").Host} host
 * @param {import("./index-files.js").Elsewhere[]} elsewhere
 * @param {string[]} [kept] Agents whose list of what was forgotten stays in a database, and comes back from there.
 * @returns {Promise<Irreplaceable>}
 */
export async function irreplaceable(host, elsewhere, kept = []) {
  const own = path.join(host.stateDir(), PLUGIN_ID);
  const inside = await readdir(own, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = inside.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const isKept = (/** @type {string} */ file) => kept.includes(path.relative(own, file).split(path.sep)[0] ?? "");
  const lists = [
    ...files.filter((file) => !isKept(file)),
    ...elsewhere.flatMap((index) => (kept.includes(index.agentId) ? [] : index.files.map((file) => file.path))),
  ];
  // An act has several entries, and the agent's folder a copy of the list.
  const acts = await Promise.all(lists.filter((file) => FORGOTTEN.test(file)).map(actsOf));
  // A record that cannot be read undoes nothing.
  const changes = await rememberedChanges(host.stateDir()).catch(() => null);
  return { intents: await intentsOf(host, own), forgotten: new Set(acts.flat()).size, setup: changes?.length ?? 0 };
}

/**
 * In words; empty when there is none.
 * @param {Irreplaceable} found
 */
export function irreplaceableText({ intents, forgotten, setup }) {
  const parts = [
    ...(intents > 0 ? [counted(intents, "standing intent")] : []),
    ...(forgotten > 0 ? [`the list of what was forgotten (${forgotten === 1 ? "once" : `${forgotten} times`})`] : []),
    ...(setup > 0 ? [`setup's record of ${counted(setup, "setting")} that it changed`] : []),
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
      printError(`Standing intents were not counted (${agentId}): ${errorMessage(error)}`);
    }
  }
  return count;
}

/** The ids of the acts of forgetting on a list. @param {string} file */
async function actsOf(file) {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => /"id"\s*:\s*"([^"]+)"/.exec(line)?.[1] ?? []);
}
