// What memory keeps on the disk beside the notes, part by part.

import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { PLUGIN_ID } from "../../lib/package-info.js";

/**
 * The size of a file, or of all files in a folder; 0 when there is none.
 * @param {string} place
 * @returns {Promise<number>}
 */
export async function bytesOf(place) {
  const found = await stat(place).catch(() => null);
  if (!found) return 0;
  if (!found.isDirectory()) return found.size;
  const inside = await readdir(place, { recursive: true, withFileTypes: true });
  const files = inside.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Names of indexes and of copies of them, of those too that a backup or a restore is making, or was when it was killed. */
const OF_INDEXES = /\.sqlite|^\.memory-(?:backup|restore|salvage)-/;

/**
 * Bytes of an agent's own folder: indexes that are not the present one, and what automatic memory, forgetting and
 * consolidation keep.
 * @param {string} stateDir
 * @param {string} agentId
 * @param {string | undefined} database The present index, whose sizes its status tells.
 * @returns {Promise<{otherIndexes: number, records: number}>}
 */
export async function diskUse(stateDir, agentId, database) {
  const folder = path.join(stateDir, PLUGIN_ID, agentId);
  const names = await readdir(folder).catch(() => []);
  const [own, used] = [path.basename(database ?? ""), { otherIndexes: 0, records: 0 }];
  for (const name of names) {
    const isOwn = path.join(folder, name) === database || ["-wal", "-shm", "-journal"].some((end) => name === own + end);
    if (!isOwn) used[OF_INDEXES.test(name) ? "otherIndexes" : "records"] += await bytesOf(path.join(folder, name));
  }
  return used;
}
