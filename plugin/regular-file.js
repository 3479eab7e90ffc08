// Opening a file that anybody with access to its folder may have put there: a pipe would hold a thread of Node for good,
// and a link may lead anywhere.

import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Windows knows neither flag, and no pipe or link of that kind. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * What `read` makes of a file; null when there is none, or it is no regular file.
 * @template T
 * @param {string} file
 * @param {(handle: import("node:fs/promises").FileHandle, size: number) => Promise<T>} read
 * @returns {Promise<T | null>}
 */
export async function withRegularFile(file, read) {
  const handle = await open(file, FLAGS).catch(() => null);
  if (!handle) return null;
  try {
    const found = await handle.stat();
    return found.isFile() ? await read(handle, found.size) : null;
  } finally {
    await handle.close();
  }
}
