// What is made of other files, and whether it has to be made again. Plain Node without dependencies: set-up asks it.

import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * The modules that are packed (bundle.mjs): what hosts load, the plugin, and what JavaScript users import. One folder below
 * the root like what they are made of, which looks for the root above it.
 */
export const BUNDLE = "dist/index.js";
export const PLUGIN = "dist/plugin.cjs";
export const FACE = "dist/manager.js";
export const MODULES = [BUNDLE, PLUGIN, FACE];

/** What it is made of. */
const BUNDLED = ["index.js", "lib", "plugin", "page/src", "scripts/ship/bundle.mjs"];

/** The built page (page.mjs), in a folder that hosts do not copy: its script, and all of it. */
const PAGE_FOLDER = "page/node_modules/memory-core-rs-page";
export const PAGE = `${PAGE_FOLDER}/page.js`;
export const PAGE_FILES = ["index.html", "page.css", "page.js", "preact.LICENSE"].map((name) => `${PAGE_FOLDER}/${name}`);

/** What it is made of. */
const PAGE_SOURCES = ["page/index.html", "page/style.css", "page/src", "page/tsconfig.json", "scripts/ship/page.mjs"];

/** What draws pictures (pictures.mjs), in a folder that hosts do not copy: its code, and all of it. */
const PICTURES_FOLDER = "page/node_modules/memory-core-rs-pictures";
export const PICTURES = `${PICTURES_FOLDER}/resvg.mjs`;
export const PICTURE_FILES = ["DejaVuSans.ttf", "dejavu.LICENSE", "draw.mjs", "resvg.LICENSE", "resvg.mjs", "resvg.wasm"].map(
  (name) => `${PICTURES_FOLDER}/${name}`,
);

/** What it is made of. */
const PICTURE_SOURCES = ["package-lock.json", "page/pictures", "scripts/ship/pictures.mjs"];

/** Newest modification time below a path, in milliseconds; 0 when there is nothing. @param {string} at @returns {number} */
export function newest(at) {
  if (!existsSync(at)) return 0;
  const stat = statSync(at);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(at).map((name) => newest(path.join(at, name))));
}

/**
 * Whether a file is missing or older than its sources.
 * @param {string} root
 * @param {string} made
 * @param {string[]} sources
 */
export function isStale(root, made, sources) {
  return newest(path.join(root, made)) < Math.max(...sources.map((name) => newest(path.join(root, name))));
}

/** Whether something that is packed has to be made again. @param {string} root */
export const isPackStale = (root) =>
  MODULES.some((file) => isStale(root, file, BUNDLED)) || isStale(root, PAGE, PAGE_SOURCES) || isStale(root, PICTURES, PICTURE_SOURCES);
