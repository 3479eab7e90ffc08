// Puts what draws the pictures of a report where it is packed: resvg as its project built it, and a font. Both unchanged, and
// in a folder of their own, as their licences like it; with them the few lines that call it.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { put } from "./put.mjs";
import { PICTURES } from "./stale.mjs";

/** @param {string} root */
export async function writePictures(root) {
  const { resolve } = createRequire(import.meta.url);
  const file = async (/** @type {string} */ name) => await readFile(resolve(name));
  const resvg = path.dirname(resolve("@resvg/resvg-wasm"));
  const { version } = JSON.parse(await readFile(path.join(resvg, "package.json"), "utf8"));
  // The package comes without the text of its licence, which names nobody.
  const licence = `resvg.mjs and resvg.wasm are @resvg/resvg-wasm ${version}, unchanged; https://github.com/yisibl/resvg-js has their
source. They are under this licence, and nothing else of memory-core-rs is.

${await file("axe-core/LICENSE")}`;
  const parts = {
    "draw.mjs": await readFile(path.join(root, "page/pictures/draw.mjs")),
    "resvg.mjs": await readFile(path.join(resvg, "index.mjs")),
    "resvg.wasm": await readFile(path.join(resvg, "index_bg.wasm")),
    "resvg.LICENSE": licence,
    "DejaVuSans.ttf": await file("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
    "dejavu.LICENSE": await file("dejavu-fonts-ttf/LICENSE"),
  };
  await Promise.all(Object.entries(parts).map(([name, body]) => put(root, path.join(path.dirname(PICTURES), name), body)));
}
