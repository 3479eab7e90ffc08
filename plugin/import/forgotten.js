// What memory-core has forgotten stays forgotten: hosts from 2026.8 keep the ids of such conversations in the agent's
// database. Only read, and by Node's own SQLite (see memory-core-index.js).

import { existsSync } from "node:fs";
import path from "node:path";
import { normalizeAgentId } from "../../lib/config.js";
import { codedError, errorMessage } from "../../lib/errors.js";
import { BUSY_MS, sqlite } from "./memory-core-index.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("../../index.d.ts").MemoryIndexManager} MemoryIndexManager
 * @typedef {{sessionId: string, atMs: number}} Forgotten
 * @typedef {{path: string, taken: number, known: number, refused: number, error?: string}} ForgottenReport
 */

const TABLE = "memory_session_tombstones";

/** Rows of a table that somebody's forgetting can have made; more are damage, and are refused as a whole. */
const MOST_ROWS = 100_000;

/** Characters of an id that are read; no host makes one as long, and the engine refuses it. */
const ID_CHARS = 200;

/**
 * The conversations that memory-core has forgotten for an agent; none where there is no such table.
 * @param {string} file
 * @param {string} agentId
 * @returns {Promise<Forgotten[]>}
 */
export async function readForgotten(file, agentId) {
  const { DatabaseSync } = await sqlite();
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    if (!database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(TABLE)) return [];
    const rows = database
      .prepare(
        `SELECT substr(CAST(session_id AS TEXT), 1, ${ID_CHARS}) AS sessionId, substr(CAST(agent_id AS TEXT), 1, ${ID_CHARS}) AS agentId,
         CAST(created_at AS REAL) AS atMs FROM ${TABLE} LIMIT ${MOST_ROWS + 1}`,
      )
      .all();
    if (rows.length > MOST_ROWS) throw codedError("MEM_CORRUPT", `it names more than ${MOST_ROWS} forgotten conversations`);
    return rows
      .filter((row) => normalizeAgentId(String(row.agentId)) === agentId)
      .map((row) => ({ sessionId: String(row.sessionId ?? ""), atMs: time(row.atMs) }));
  } finally {
    database.close();
  }
}

/** A time that can be written as a date. @param {unknown} value */
const time = (value) => (typeof value === "number" && value >= 0 && value <= 8.64e15 ? value : 0);

/**
 * Keeps out what memory-core has forgotten, or tells how much it would be. None where memory-core has forgotten nothing.
 * @param {Host} host
 * @param {{cfg: HostConfig, agentId: string}} owner
 * @param {MemoryIndexManager} manager
 * @param {{dryRun?: boolean, onlyNew?: boolean}} mode
 * @returns {Promise<ForgottenReport | undefined>}
 */
export async function takeOverForgotten(host, { cfg, agentId }, manager, mode) {
  const file = path.join(host.agentDir(cfg, agentId), "openclaw-agent.sqlite");
  if (!existsSync(file)) return undefined;
  try {
    const before = await readForgotten(file, normalizeAgentId(agentId));
    return before.length > 0 ? { path: file, ...(await manager.takeOverForgotten(before, mode)) } : undefined;
  } catch (error) {
    return { path: file, taken: 0, known: 0, refused: 0, error: errorMessage(error) };
  }
}
