// What is made of other files, and whether it has to be made again. Plain Node without dependencies: set-up asks it.

import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

/** What is packed and no host has to copy: each file costs it three copies a command. */
const BODY_FOLDER = "dist/node_modules/memory-core-rs-plugin";

/**
 * The modules that are packed (bundle.mjs): what hosts load, the plugin, and what JavaScript users import, with its types. Node
 * lets a package export no file of a folder called node_modules.
 */
export const BUNDLE = "dist/index.js";
export const PLUGIN = `${BODY_FOLDER}/plugin.cjs`;
export const FACE = "dist/manager.js";
export const FACE_TYPES = "dist/manager.d.ts";
export const MODULES = [BUNDLE, PLUGIN, FACE];

/** What stands beside the plugin as it is in the repository: what people read, and types. */
const READ = ["CHANGELOG.md", "THIRD-PARTY-NOTICES.md"];
const TYPES = ["index.d.ts", ...["engine", "page", "settings", "types"].map((name) => `lib/${name}.d.ts`)];
export const BESIDE = [...READ, ...TYPES];

/** Where a file of the repository is packed, and what says of the types there that they are those of modules. @param {string} name */
export const packedName = (name) => `${BODY_FOLDER}/${name}`;
export const SCOPE = packedName("package.json");

/** All that is made of our JavaScript. */
export const BODY_FILES = [...MODULES, FACE_TYPES, SCOPE, ...BESIDE.map(packedName)];

/** What it is made of. */
const BUNDLED = ["index.js", "lib", "plugin", "page/src", "scripts/ship/bundle.mjs", ...BESIDE];

/** The built page (page.mjs), in a folder that hosts do not copy: its script, and all of it. */
const PAGE_FOLDER = "dist/node_modules/memory-core-rs-page";
export const PAGE = `${PAGE_FOLDER}/page.js`;
export const PAGE_FILES = ["index.html", "page.css", "page.js", "preact.LICENSE"].map((name) => `${PAGE_FOLDER}/${name}`);

/** What it is made of. */
const PAGE_SOURCES = ["page/index.html", "page/style.css", "page/src", "page/tsconfig.json", "scripts/ship/page.mjs"];

/** What draws pictures (pictures.mjs), in a folder that hosts do not copy: its code, and all of it. */
const PICTURES_FOLDER = "dist/node_modules/memory-core-rs-pictures";
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
 * Whether one of the files is missing or older than their sources.
 * @param {string} root
 * @param {string[]} made
 * @param {string[]} sources
 */
export function isStale(root, made, sources) {
  const times = (/** @type {string[]} */ names) => names.map((name) => newest(path.join(root, name)));
  return Math.min(...times(made)) < Math.max(...times(sources));
}

/** Whether something that is packed has to be made again. @param {string} root */
export const isPackStale = (root) =>
  isStale(root, BODY_FILES, BUNDLED) || isStale(root, [PAGE], PAGE_SOURCES) || isStale(root, [PICTURES], PICTURE_SOURCES);
