// The files of the page as they were built (page/, scripts/ship/page.mjs). They lie in a folder called node_modules, which
// newer hosts do not copy when they register a plugin.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { packageRoots } from "../../lib/package-root.js";

/** Where the built page lies, below the root of the package. */
const FOLDER = "dist/node_modules/memory-core-rs-page";

/** What is served, by its name below the page's address. @type {Record<string, {file: string, type: string}>} */
const FILES = {
  "": { file: "index.html", type: "text/html; charset=utf-8" },
  "page.js": { file: "page.js", type: "text/javascript; charset=utf-8" },
  "page.css": { file: "page.css", type: "text/css; charset=utf-8" },
};

/**
 * A file of the page; null when the page has none of that name.
 * @param {string} name
 * @returns {Promise<{body: string, type: string} | null>}
 */
export async function pageFile(name) {
  if (!Object.hasOwn(FILES, name)) return null;
  const { file, type } = FILES[name];
  for (const root of packageRoots()) {
    const body = await readFile(path.join(root, FOLDER, file), "utf8").catch(() => null);
    if (body !== null) return { body, type };
  }
  throw new Error(`the page's ${file} is not installed; "npm run bundle" builds it in a clone`);
}
