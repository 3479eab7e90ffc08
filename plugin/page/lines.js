// In which line of its file something stands, so that a click leads there.

import path from "node:path";
import { withRegularFile } from "../regular-file.js";

/**
 * Reads each file once.
 * @param {string | undefined} workspace
 */
export function lineFinder(workspace) {
  /** @type {Map<string, Promise<string[]>>} */
  const files = new Map();
  const read = async (/** @type {string} */ file) => {
    const text = workspace && (await withRegularFile(path.resolve(workspace, file), async (handle) => await handle.readFile("utf8")));
    return (text || "").split(/\r?\n/);
  };
  /**
   * `{line}`, from 1; nothing where it is gone from there.
   * @param {string} file
   * @param {(line: string) => boolean} isIt
   * @returns {Promise<{line?: number}>}
   */
  return async (file, isIt) => {
    const lines = files.get(file) ?? read(file);
    files.set(file, lines);
    const at = (await lines).findIndex(isIt);
    return at < 0 ? {} : { line: at + 1 };
  };
}
