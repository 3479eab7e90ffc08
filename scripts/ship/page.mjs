// Builds the page (page/) to files that a gateway serves as they are.

import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { rolldown } from "rolldown";
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
    const folder = path.join(root, path.dirname(PAGE));
    await mkdir(folder, { recursive: true });
    const preact = createRequire(import.meta.url).resolve("preact/package.json");
    await cp(path.join(path.dirname(preact), "LICENSE"), path.join(folder, "preact.LICENSE"));
    for (const [name, text] of [
      ["index.html", await readFile(path.join(root, "page/index.html"), "utf8")],
      ["page.css", await readFile(path.join(root, "page/style.css"), "utf8")],
      ["page.js", output[0].code],
    ]) {
      // At once: others may be packing.
      const written = path.join(folder, `${name}.${process.pid}`);
      await writeFile(written, text);
      await rename(written, path.join(folder, name));
    }
  } finally {
    await build.close();
  }
}
