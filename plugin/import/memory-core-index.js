// Reads the index that memory-core left behind: the sidecar file of hosts 2026.3 to 2026.6, and the agent database of
// hosts from 2026.8 on. Nothing in it is changed.
//
// Always through the SQLite of Node itself. Two copies of SQLite in one process lose each other's locks, so a file that
// the host may have open here is never given to our addon; and Node's copy is the one the host uses.

import { existsSync } from "node:fs";
import path from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { isRecord } from "../../lib/config.js";
import { codedError } from "../../lib/errors.js";

/**
 * @typedef {{texts: string[], vectors: Float32Array[]}} Slice
 * @typedef {{meta: string, chunks: string}} Layout Names in the database.
 */

/** Row of the meta table that says how the index was made. */
const META_KEY = "memory_index_meta_v1";

/** @type {Layout[]} */
const LAYOUTS = [
  { meta: "meta", chunks: "chunks" },
  { meta: "memory_index_meta", chunks: "memory_index_chunks" },
];

/** Chunks read without giving others their turn: a few milliseconds with long vectors. */
const SLICE_ROWS = 64;

/** Longest wait for a writer, in milliseconds; the event loop stands still meanwhile. */
export const BUSY_MS = 250;

/** How far the length of a normalised vector may be from one after rounding. */
const UNIT_TOLERANCE = 0.01;

/**
 * Where memory-core may have left an index of an agent, newest first. Only files that exist.
 * @param {{stateDir: string, agentDir: string, agentId: string}} places
 */
export function memoryCoreIndexPaths({ stateDir, agentDir, agentId }) {
  return [path.join(agentDir, "openclaw-agent.sqlite"), path.join(stateDir, "memory", `${agentId}.sqlite`)].filter((file) =>
    existsSync(file),
  );
}

/** An open index of memory-core. */
export class MemoryCoreIndex {
  /** @type {import("node:sqlite").DatabaseSync} */
  #database;
  /** @type {Layout} */
  #layout;

  /**
   * Use {@link MemoryCoreIndex.open}.
   * @param {import("node:sqlite").DatabaseSync} database
   * @param {Layout} layout
   * @param {{provider: string, model: string}} identity
   */
  constructor(database, layout, { provider, model }) {
    this.#database = database;
    this.#layout = layout;
    /** Provider that made the vectors, as memory-core names it. */
    this.provider = provider;
    this.model = model;
  }

  /**
   * Opens an index; null when the file holds none.
   * @param {string} file
   * @returns {Promise<MemoryCoreIndex | null>}
   */
  static async open(file) {
    const { DatabaseSync } = await sqlite();
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    try {
      const tables = new Set(
        database
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
          .all()
          .map((row) => row.name),
      );
      const layout = LAYOUTS.find(({ meta, chunks }) => tables.has(meta) && tables.has(chunks));
      const identity = layout && readIdentity(database, layout);
      if (layout && identity) return new MemoryCoreIndex(database, layout, identity);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
    return null;
  }

  /** Chunks of the model, and of all others together. */
  counts() {
    const { chunks } = this.#layout;
    const row = this.#database.prepare(`SELECT count(*) AS total, sum(model = ?) AS own FROM ${chunks}`).get(this.model);
    const own = Number(row?.own ?? 0);
    return { own, others: Number(row?.total ?? 0) - own };
  }

  /**
   * The texts of the model with their vectors. Between two slices everything else has its turn.
   * @returns {AsyncGenerator<Slice>}
   */
  async *slices() {
    const { chunks } = this.#layout;
    // Only the newest hosts give it a name of their own.
    const page = this.#database.prepare(
      `SELECT rowid AS at, text, embedding FROM ${chunks} WHERE rowid > ? AND model = ? ORDER BY rowid LIMIT ${SLICE_ROWS}`,
    );
    for (let after = 0; ; await pause()) {
      const rows = page.all(after, this.model);
      const last = rows.at(-1);
      if (!last) return;
      after = Number(last.at);
      yield { texts: rows.map((row) => String(row.text)), vectors: rows.map((row) => readVector(row.embedding)) };
    }
  }

  close() {
    this.#database.close();
  }
}

/** Node's SQLite, loaded when it is needed: it prints a warning on some versions, and older ones do not have it. */
export async function sqlite() {
  try {
    return await import("node:sqlite");
  } catch {
    throw codedError("MEM_CONFIG", `Node ${process.versions.node} cannot read what memory-core left; use Node 22.13 or newer`);
  }
}

/**
 * @param {import("node:sqlite").DatabaseSync} database
 * @param {Layout} layout
 */
function readIdentity(database, { meta }) {
  const value = database.prepare(`SELECT value FROM ${meta} WHERE key = ?`).get(META_KEY)?.value;
  if (typeof value !== "string") return null;
  const identity = JSON.parse(value);
  if (!isRecord(identity) || typeof identity.provider !== "string" || typeof identity.model !== "string") return null;
  return { provider: identity.provider, model: identity.model };
}

/**
 * A stored vector: JSON up to 2026.6, numbers in binary after. An empty one means that there is none.
 * @param {unknown} stored
 * @returns {Float32Array}
 */
export function readVector(stored) {
  if (typeof stored === "string") {
    const numbers = parseList(stored);
    return Float32Array.from(numbers);
  }
  if (!(stored instanceof Uint8Array)) return new Float32Array();
  const bytes = stored.slice().buffer;
  // memory-core normalises what it stores, so a wrong width of the numbers shows in the length of the vector.
  const readings = [Float64Array, Float32Array].filter((type) => bytes.byteLength % type.BYTES_PER_ELEMENT === 0);
  const vectors = readings.map((type) => Float32Array.from(new type(bytes)));
  return vectors.find(isNormalised) ?? new Float32Array();
}

/** @param {string} text @returns {number[]} */
function parseList(text) {
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list.map(Number) : [];
  } catch {
    return [];
  }
}

/** @param {Float32Array} vector */
function isNormalised(vector) {
  const squares = vector.reduce((sum, number) => sum + number * number, 0);
  return Math.abs(Math.sqrt(squares) - 1) < UNIT_TOLERANCE;
}
