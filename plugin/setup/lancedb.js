// The facts of memory-lancedb, read from its table by the library that it brought along. Nothing in it is changed.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isRecord, normalizeAgentId } from "../../lib/config.js";

/** @typedef {{text: string, importance: number | null, category: string | null, createdAt: number | null}} FactRow */

const LIBRARY = "@lancedb/lancedb";
const TABLE = "memories";
/** Rows that are read; more facts than this nobody stated. */
const MOST_ROWS = 100_000;

/**
 * Where memory-lancedb keeps its table. Undefined where there is none in its default folder: it may never have been used. One
 * that is configured was, and may be in a cloud or on a disk that is not mounted.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} stateDir
 * @returns {{path: string, error?: string} | undefined}
 */
export function lancedbFolder(cfg, stateDir) {
  const dbPath = cfg.plugins?.entries?.["memory-lancedb"]?.config?.dbPath;
  const configured = typeof dbPath === "string" && dbPath.trim() ? expanded(dbPath.trim()) : undefined;
  const folder = configured ?? path.join(stateDir, "memory", "lancedb");
  if (existsSync(path.join(folder, `${TABLE}.lance`))) return { path: folder };
  if (!configured) return undefined;
  return { path: withoutSecrets(configured), error: "no table of memory-lancedb was found there that setup can read" };
}

/** An address that may hold a name, a password or a signature shows its scheme alone. @param {string} name */
const withoutSecrets = (name) => name.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^@?#]*[@?#].*$/is, "$1…");

/** @param {string} name */
const expanded = (name) => (/^~(?=\/|$)/.test(name) ? path.join(os.homedir(), name.slice(1)) : name);

/**
 * The facts of an agent: newer versions say whose a row is.
 * @param {string} folder
 * @param {string} stateDir
 * @param {{agentId: string, isDefaultAgent: boolean}} owner
 * @returns {Promise<FactRow[]>}
 */
export async function readFacts(folder, stateDir, { agentId, isDefaultAgent }) {
  const lancedb = await library(stateDir);
  const database = await lancedb.connect(folder);
  const table = await database.openTable(TABLE);
  const rows = await table.query().limit(MOST_ROWS).toArray();
  return rows
    .map((/** @type {any} */ row) => (typeof row?.toJSON === "function" ? row.toJSON() : row))
    .flatMap((/** @type {any} */ row) => {
      if (!isRecord(row) || typeof row.text !== "string" || !row.text.trim()) return [];
      const whose = row.agentId ?? row.agent_id;
      if (typeof whose === "string" && whose ? normalizeAgentId(whose) !== agentId : !isDefaultAgent) return [];
      return [{ text: row.text, importance: numberOf(row.importance), category: textOf(row.category), createdAt: numberOf(row.createdAt) }];
    });
}

/** @param {unknown} value */
const textOf = (value) => (typeof value === "string" && value ? value : null);

/** @param {unknown} value */
function numberOf(value) {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/**
 * The library, from where the plugin was installed, or from the host itself up to 2026.4.
 * @param {string} stateDir
 * @returns {Promise<Record<string, any>>}
 */
async function library(stateDir) {
  const places = [
    path.join(stateDir, "extensions", "memory-lancedb", "package.json"),
    ...projects(path.join(stateDir, "npm", "projects")),
    realpathSync(process.argv[1]),
  ];
  for (const place of places) {
    try {
      const found = createRequire(place).resolve(LIBRARY);
      const module = await import(pathToFileURL(found).href);
      return isRecord(module.default) && typeof module.connect !== "function" ? module.default : module;
    } catch {
      // The next place may have it.
    }
  }
  throw new Error(`${LIBRARY}, which memory-lancedb brought along, is not there any more`);
}

/** @param {string} folder */
function projects(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => path.join(folder, name, "node_modules", "memory-lancedb", "package.json"));
}
