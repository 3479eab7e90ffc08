// The lines that measurements print, as run.mjs collects them.
import fs from "node:fs";

/**
 * A measurement. What a scenario finds out beside this is its own.
 * @typedef {{engine: string, scenario: string, mode: string, size: number, dims: number, latencyMs: number, tag: string, error?: string}
 *   & Record<string, any>} Row
 */

/** @param {string} file @returns {Row[]} */
export function readRows(file) {
  const text = fs.readFileSync(file, "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line));
}

/** A number in a row, by its path such as `rss.treeMb`. @param {Row | undefined} row @param {string} at @returns {number | undefined} */
export function figure(row, at) {
  /** @type {any} */
  let found = row;
  for (const name of at.split(".")) found = found?.[name];
  return typeof found === "number" ? found : undefined;
}
