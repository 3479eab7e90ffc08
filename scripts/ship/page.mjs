// Builds the page (page/) to files that a gateway serves as they are.

import { mkdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { rolldown } from "rolldown";
import { BUNDLE, PAGE } from "./stale.mjs";

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
    const read = async (/** @type {string} */ file) => await readFile(file, "utf8");
    await Promise.all([
      write(root, "index.html", await read(path.join(root, "page/index.html"))),
      write(root, "page.css", await read(path.join(root, "page/style.css"))),
      write(root, "page.js", output[0].code),
      write(root, "preact.LICENSE", await read(path.join(path.dirname(preact), "LICENSE"))),
    ]);
  } finally {
    await build.close();
  }
}

/**
 * Others may be packing: a file changes at once, and nothing else ever lies in its folder, all of which is packed. One that is
 * as it should be is only made newer than what it is made of.
 * @param {string} root
 * @param {string} name
 * @param {string} text
 */
async function write(root, name, text) {
  const file = path.join(root, path.dirname(PAGE), name);
  const now = new Date();
  if ((await readFile(file, "utf8").catch(() => null)) === text) return await utimes(file, now, now);
  const written = path.join(root, path.dirname(BUNDLE), `${name}.${process.pid}`);
  await Promise.all([file, written].map((one) => mkdir(path.dirname(one), { recursive: true })));
  await writeFile(written, text);
  await rename(written, file);
}
