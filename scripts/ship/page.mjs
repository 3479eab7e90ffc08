// Builds the page (page/) to files that a gateway serves as they are.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { rolldown } from "rolldown";
import { put } from "./put.mjs";
import { PAGE } from "./stale.mjs";

/**
 * Writes the page anew. A script without modules: a frame without an origin may load it with the host's cookie.
 * @param {string} root
 */
export async function writePage(root) {
  const build = await rolldown({
    input: path.join(root, "page/src/main.jsx"),
    platform: "browser",
    onLog(level, log, report) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      report(level, log);
    },
  });
  try {
    const { output } = await build.generate({ format: "iife", codeSplitting: false, minify: true });
    const preact = createRequire(import.meta.url).resolve("preact/package.json");
    const write = async (/** @type {string} */ name, /** @type {string} */ text) =>
      await put(root, path.join(path.dirname(PAGE), name), text);
    const read = async (/** @type {string} */ file) => await readFile(file, "utf8");
    await Promise.all([
      write("index.html", await read(path.join(root, "page/index.html"))),
      write("page.css", await read(path.join(root, "page/style.css"))),
      write("page.js", output[0].code),
      write("preact.LICENSE", await read(path.join(path.dirname(preact), "LICENSE"))),
    ]);
  } finally {
    await build.close();
  }
}
