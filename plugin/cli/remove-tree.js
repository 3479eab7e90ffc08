// Removing what is ours as far as that goes: what fails keeps nothing else from going.

import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import path from "node:path";

/** What SQLite writes beside a database, which is of the same program. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

/** Databases of others with what lies beside them. @param {string[]} databases */
export function withLogs(databases) {
  return databases.flatMap((file) => BESIDE.map((end) => file + end));
}

/**
 * Removes a file, or a folder with all in it but what stays, and follows no link.
 * @param {string} place
 * @param {string[]} [stays] Files that are not ours; the folders that they lie in stay with them.
 * @returns {Promise<unknown[]>} why something could not be removed
 */
export async function removeTree(place, stays = []) {
  if (stays.includes(place)) return [];
  try {
    const found = await lstat(place).catch(() => undefined);
    if (!found?.isDirectory()) {
      await rm(place, { force: true });
      return [];
    }
    /** @type {unknown[]} */
    const faults = [];
    for (const name of await readdir(place)) faults.push(...(await removeTree(path.join(place, name), stays)));
    const holdsOthers = stays.some((file) => file.startsWith(place + path.sep));
    if (faults.length === 0 && !holdsOthers) await rmdir(place);
    return faults;
  } catch (error) {
    return [error];
  }
}
