// Whose word it is that a memory plugin is off. Hosts up to 2026.6 write so themselves when the memory slot goes to another;
// the configurations that a host keeps beside the newest tell what stood there before.

import { readFile } from "node:fs/promises";
import { isRecord } from "../../lib/config.js";

/** What hosts from 2026.4 keep, newest first. */
const KEPT = ["", ".1", ".2", ".3", ".4"];

/**
 * Which plugins were on as long as they had the memory slot, by what is kept beside a configuration. One that cannot be read, or
 * was written by hand in more than JSON, tells nothing.
 * @param {string} file The configuration.
 * @returns {Promise<Set<string>>}
 */
export async function onInSlot(file) {
  const on = new Set();
  const seen = new Set();
  for (const kept of KEPT) {
    const plugins = await readPlugins(`${file}.bak${kept}`);
    const id = plugins?.slots?.memory;
    if (typeof id !== "string" || seen.has(id)) continue;
    // The newest of the time when it had the slot: before, it may have been on.
    seen.add(id);
    if (plugins?.entries?.[id]?.enabled !== false) on.add(id);
  }
  return on;
}

/** @param {string} file @returns {Promise<Record<string, any> | undefined>} */
async function readPlugins(file) {
  try {
    const { plugins } = JSON.parse(await readFile(file, "utf8"));
    return isRecord(plugins) ? plugins : undefined;
  } catch {
    return undefined;
  }
}
