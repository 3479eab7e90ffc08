// `openclaw ltm list|search|stats|import`

import { readFile } from "node:fs/promises";
import { isRecord } from "../../lib/config.js";
import { codedError } from "../../lib/errors.js";
import { forOneAgent, withSearch } from "./agents.js";
import { refuseEmpty } from "./options.js";
import { counted, dayText, paint, print, printError, printJson } from "./output.js";
import { table } from "./table.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../../lib/manager.js").MemoryIndexManager} MemoryIndexManager
 * @typedef {import("../../index.d.ts").StoredFact} StoredFact
 */

/** Facts that a search prints when no number is given, and their lowest score (M7). */
const DEFAULT_LIMIT = 5;
const MIN_SCORE = 0.3;

/**
 * People at a terminal read a table; everything else reads JSON, as memory-lancedb printed it.
 * @param {{json?: boolean}} options
 */
const isTable = ({ json }) => !json && process.stdout.isTTY === true;

/** @param {StoredFact} fact */
const row = ({ id, text, category, importance, createdAt, path }) => ({ id, text, category, importance, createdAt, path });

/**
 * Runs a command with the manager of the agent it is about.
 * @param {Host} host
 * @param {string} name
 * @param {{agent?: string, json?: boolean}} options
 * @param {(manager: MemoryIndexManager) => Promise<void>} run
 */
async function withAgent(host, name, options, run) {
  await forOneAgent(host, options, { name, doing: `Command ${name}` }, (agent) => withSearch(host, agent, run));
}

/**
 * @param {Host} host
 * @param {{agent?: string, limit?: number, orderByCreatedAt?: boolean, json?: boolean}} options
 */
export async function runList(host, options) {
  await withAgent(host, "ltm list", options, async (manager) => {
    const facts = await manager.run((engine) => engine.facts());
    const sorted = options.orderByCreatedAt ? facts.toReversed().toSorted((a, b) => b.createdAt - a.createdAt) : facts;
    const shown = sorted.slice(0, options.limit ?? sorted.length);
    if (!isTable(options)) return printJson(shown.map(row));
    if (shown.length === 0) return print("No facts are stored.");
    const rows = shown.map(({ id, createdAt, category, importance, text }) => [
      id,
      dayText(createdAt),
      category,
      importance.toFixed(1),
      text,
    ]);
    print(table(["ID", "DAY", "KIND", "WEIGHT", "TEXT"], rows));
    if (shown.length < facts.length) print(paint("gray", `${shown.length} of ${counted(facts.length, "fact")}`));
  });
}

/**
 * @param {Host} host
 * @param {string} query
 * @param {{agent?: string, limit?: number, json?: boolean}} options
 */
export async function runFind(host, query, options) {
  await withAgent(host, "ltm search", options, async (manager) => {
    refuseEmpty(query, "the query", 'Give one: openclaw ltm search "…"');
    const { matches, warning } = await manager.run((engine) => engine.searchFacts(query, options.limit ?? DEFAULT_LIMIT, MIN_SCORE));
    if (warning) printError(warning);
    if (!isTable(options)) {
      return printJson(matches.map(({ id, text, category, importance, score }) => ({ id, text, category, importance, score })));
    }
    if (matches.length === 0) return print("No fact matches.");
    print(
      table(
        ["SCORE", "ID", "KIND", "TEXT"],
        matches.map(({ id, text, category, score }) => [score.toFixed(2), id, category, text]),
      ),
    );
  });
}

/**
 * @param {Host} host
 * @param {{agent?: string, json?: boolean}} options
 */
export async function runStats(host, options) {
  await withAgent(host, "ltm stats", options, async (manager) => {
    const facts = await manager.run((engine) => engine.facts());
    /** @type {Record<string, number>} */
    const categories = {};
    for (const { category } of facts) categories[category] = (categories[category] ?? 0) + 1;
    if (options.json) return printJson({ total: facts.length, categories });
    print(`Total memories: ${facts.length}`);
    for (const [name, count] of Object.entries(categories).toSorted()) print(`  ${name}: ${count}`);
  });
}

/**
 * @param {Host} host
 * @param {string} file
 * @param {{agent?: string, dryRun?: boolean, json?: boolean}} options
 */
export async function runFactImport(host, file, options) {
  await withAgent(host, "ltm import", options, async (manager) => {
    refuseEmpty(file, "the name of the file", "Name a file with the JSON of `openclaw ltm list`");
    const rows = exportedRows(await readFile(file, "utf8"));
    const dryRun = options.dryRun === true;
    const outcome = await manager.run((engine) => engine.importFacts(rows, dryRun));
    if (options.json) return printJson({ ...outcome, dryRun });
    print(`${dryRun ? "Would take" : "Took"} ${counted(outcome.taken, "fact")}.`);
    if (outcome.known > 0) print(`There already, or twice: ${outcome.known}.`);
    if (outcome.refused > 0) print(refusedFactsText(outcome.refused));
  });
}

/** Facts that were not taken over, and why. @param {number} count */
export const refusedFactsText = (count) => `Not taken, because empty, too long, with a secret, an instruction, or forgotten: ${count}.`;

/**
 * The rows of an export: a JSON array, an object that holds one, or a row a line.
 * @param {string} text
 */
export function exportedRows(text) {
  const rows = parseRows(text).filter((entry) => isRecord(entry) && typeof entry.text === "string");
  if (rows.length === 0 && text.trim())
    throw codedError("MEM_ARGUMENT", "the file holds no rows with a text", { remedy: "It must be JSON as `openclaw ltm list` prints it" });
  return rows.map(({ text: words, importance, category, createdAt }) => ({
    text: words,
    importance: typeof importance === "number" ? importance : null,
    category: typeof category === "string" ? category : null,
    createdAt: milliseconds(createdAt),
  }));
}

/** @param {string} text @returns {any[]} */
function parseRows(text) {
  const lines = text.split(/\r?\n/);
  const end = lines.findLastIndex((line) => /[\]}]\s*$/.test(line)) + 1;
  // The command line of a host may print lines of its own around the JSON, some of which begin like an array.
  for (const [at, line] of lines.entries()) {
    if (!/^\s*[[{]/.test(line)) continue;
    // A row a line.
    if (isRecord(parsed(line)) && at + 1 < end) break;
    const value = parsed(lines.slice(at, end).join("\n"));
    if (Array.isArray(value)) return value;
    if (isRecord(value)) return Object.values(value).find(isRows) ?? [value];
  }
  return lines.map(parsed).filter(isRecord);
}

/** @param {unknown} value @returns {value is any[]} */
function isRows(value) {
  return Array.isArray(value) && value.some(isRecord);
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Milliseconds, or a date in words. @param {unknown} value */
function milliseconds(value) {
  if (typeof value === "number") return value;
  const parsed = typeof value === "string" ? (/^\d+$/.test(value) ? Number(value) : Date.parse(value)) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : null;
}
