// What an index holds, read by a process of its own: nobody but the engine opens its file in a process with the engine.

import { spawn } from "node:child_process";
import { once } from "node:events";

/** All that searches can see. */
const SEEN = `SELECT f.path, c.start_line, c.end_line, hex(c.hash) AS hash, c.text,
  (SELECT count(*) FROM embedding e JOIN meta m ON m.key = 'active_space' AND e.space_id = CAST(m.value AS INTEGER)
   WHERE e.hash = c.hash) AS vectors FROM chunk c JOIN file f ON f.id = c.file_id
  JOIN generation g ON g.id = c.generation AND g.state = 'live' ORDER BY 1, 2, 3, 4`;

/** All that indexing writes, with the ids: the same twice means that nothing was written in between. */
const WRITTEN = [
  "SELECT * FROM generation",
  "SELECT id, generation, path, hex(hash) AS hash, CAST(mtime_ns AS TEXT) AS mtime, size, indexed_ms FROM file",
  "SELECT id, generation, file_id, start_line, hex(hash) AS hash, text FROM chunk",
  "SELECT space_id, hex(hash) AS hash, hex(vector) AS vector FROM embedding",
  "SELECT token FROM lease",
];

/**
 * One line for each row of some statements.
 * @param {string} file
 * @param {string[]} statements
 */
async function rows(file, statements) {
  const script = `
    const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(process.argv[1], { readOnly: true });
    for (const sql of process.argv.slice(2))
      for (const row of db.prepare(sql).all()) process.stdout.write(JSON.stringify(row) + "\\n");`;
  const child = spawn(process.execPath, ["--no-warnings", "-e", script, file, ...statements], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`reading ${file} failed with ${code}`);
  return text.split("\n");
}

/**
 * The first row in which searches would see something else, or null.
 * @param {string} old
 * @param {string} fresh
 */
export async function firstDifference(old, fresh) {
  const [first, second] = [await rows(old, [SEEN]), await rows(fresh, [SEEN])];
  const at = Array.from({ length: Math.max(first.length, second.length) }, (_, n) => n).find((n) => first[n] !== second[n]);
  return at === undefined ? null : `${first[at]} against ${second[at]} (${first.length} and ${second.length} rows)`;
}

/** Everything that indexing writes, row by row. @param {string} file */
export async function writtenRows(file) {
  return await rows(file, WRITTEN);
}

/** What SQLite finds wrong with a file; `ok` when nothing is. @param {string} file */
export async function integrity(file) {
  const found = await rows(file, ["PRAGMA integrity_check"]);
  return found.filter((row) => row !== "").map((row) => String(Object.values(JSON.parse(row))[0]));
}

/**
 * How many vectors each space has, and whether searches use it; the oldest space first.
 * @param {string} file
 * @returns {Promise<{vectors: number, active: boolean}[]>}
 */
export async function vectorCounts(file) {
  const sql = `SELECT (SELECT count(*) FROM embedding e WHERE e.space_id = s.id) AS vectors,
    s.id = (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'active_space') AS active FROM space s ORDER BY s.id`;
  const found = (await rows(file, [sql])).filter((row) => row !== "").map((row) => JSON.parse(row));
  return found.map(({ vectors, active }) => ({ vectors, active: active === 1 }));
}
