// What `setup` changes in the configuration: found by comparing, shown before it is written, and kept for `--undo`.

import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../lib/config.js";
import { codedError } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { writeWhole } from "../../lib/whole-file.js";

/**
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{key: string, before?: unknown, after?: unknown, reason: string}} Change One key, in the host's notation with
 *   dots. `before` and `after` are absent where there is nothing.
 */

/** @param {HostConfig} cfg @param {string} key @returns {unknown} */
export function valueAt(cfg, key) {
  return key.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), /** @type {unknown} */ (cfg));
}

/**
 * Writes a value; `undefined` takes the key away, and the groups that have nothing else.
 * @param {HostConfig} draft
 * @param {string} key
 * @param {unknown} value
 */
export function putAt(draft, key, value) {
  const [name, ...below] = key.split(".");
  const at = /** @type {Record<string, any>} */ (draft);
  if (below.length === 0) {
    if (value === undefined) delete at[name];
    else at[name] = value;
    return;
  }
  if (!isRecord(at[name])) {
    if (value === undefined) return;
    at[name] = {};
  }
  putAt(at[name], below.join("."), value);
  if (value === undefined && Object.keys(at[name]).length === 0) delete at[name];
}

/**
 * The changes that are not there already, the first of each key.
 * @param {HostConfig} cfg
 * @param {{key: string, value: unknown, reason: string}[]} wanted
 * @returns {Change[]}
 */
export function changesOf(cfg, wanted) {
  const seen = new Set();
  return wanted.flatMap(({ key, value, reason }) => {
    const before = valueAt(cfg, key);
    if (seen.has(key) || isDeepStrictEqual(before, value)) return [];
    seen.add(key);
    return [{ key, ...(before === undefined ? {} : { before }), after: value, reason }];
  });
}

/** As a line of a diff. @param {Change} change */
export function changeText({ key, before, after, reason }) {
  const was = before === undefined ? "" : ` (now ${JSON.stringify(before)})`;
  return { line: `${after === undefined ? "-" : "+"} ${key}${after === undefined ? "" : ` = ${JSON.stringify(after)}`}${was}`, reason };
}

/** @param {string} stateDir */
const recordFile = (stateDir) => path.join(stateDir, PLUGIN_ID, "setup.json");

/**
 * Keeps what was there before. A second run adds to the first: undoing goes back to before both.
 * @param {string} stateDir
 * @param {Change[]} changes
 */
export async function rememberChanges(stateDir, changes) {
  const known = (await rememberedChanges(stateDir)) ?? [];
  const added = changes.filter(({ key }) => !known.some((change) => change.key === key));
  const kept = known.map((change) => ({ ...change, ...(changes.find(({ key }) => key === change.key) ?? {}), before: change.before }));
  await writeRecord(stateDir, [...kept, ...added]);
}

/**
 * @param {string} stateDir
 * @param {Change[]} changes
 */
async function writeRecord(stateDir, changes) {
  const file = recordFile(stateDir);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, `${JSON.stringify({ changes }, null, 2)}\n`);
}

/**
 * What earlier runs have changed; null when there was none.
 * @param {string} stateDir
 * @returns {Promise<Change[] | null>}
 */
export async function rememberedChanges(stateDir) {
  const file = recordFile(stateDir);
  const text = await readFile(file, "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  // Earlier versions left an empty one on a full disk, before they had changed anything.
  if (text === null || text.trim() === "") return null;
  try {
    const { changes } = JSON.parse(text);
    if (Array.isArray(changes) && changes.every((change) => isRecord(change) && typeof change.key === "string"))
      return /** @type {Change[]} */ (changes);
  } catch {
    // Said below.
  }
  throw codedError("MEM_IO", `${file} is damaged, so that what setup changed is not known`, {
    remedy:
      `Remove ${file}, and setup goes on; lost with it is what the settings were before, so that you put them back by hand: ` +
      "`openclaw memory setup --undo` then names those that are as setup writes them",
  });
}

/**
 * Puts the record back as it was, where what it tells was not done: its undo would take what a person has set for setup's own.
 * @param {string} stateDir
 * @param {Change[] | null} former
 */
export async function restoreRememberedChanges(stateDir, former) {
  if (former) await writeRecord(stateDir, former);
  else await dropRememberedChanges(stateDir);
}

/** @param {string} stateDir */
export async function dropRememberedChanges(stateDir) {
  await rm(recordFile(stateDir), { force: true });
}
