// Files that are there whole or not at all, whatever ends the process that writes them.

import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/**
 * Writes a file that takes the place of the one before at once: a full disk and a killed process leave that one as it was.
 * @param {string} file Its folder has to be there.
 * @param {string} text
 */
export async function writeWhole(file, text) {
  const unfinished = `${file}.${randomUUID()}.new`;
  try {
    const handle = await open(unfinished, "wx", 0o600);
    try {
      await handle.writeFile(text);
      // Else the name could be on the disk before what it stands for.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    // Node does not say of an open file which it is, and people know it by the name that it was to have.
    throw Object.assign(/** @type {Error} */ (error), { path: file });
  }
}
