// Where the package and those that belong to it are really installed. Hosts since 2026.9.5 run a copy of the code without
// its folders called node_modules, which is where the large files lie (model/README.md).

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** In the root of the package, and nowhere below. */
const MANIFEST = "openclaw.plugin.json";

/** @type {string | undefined} */
let packageRoot;

/**
 * Tells where the package is really installed.
 * @param {unknown} folder `api.rootDir`; hosts that run the installed files may not set it
 */
export function setPackageRoot(folder) {
  if (typeof folder === "string" && folder !== "") packageRoot = folder;
}

/**
 * The package that this file is in: what is packed lies deeper than what it is made of.
 * @param {string} [folder] Where to look from, upwards.
 * @returns {string}
 */
export function ownPackage(folder = dirname(fileURLToPath(import.meta.url))) {
  if (existsSync(join(folder, MANIFEST))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`${MANIFEST} is in no folder above ${fileURLToPath(import.meta.url)}: reinstall the plugin`);
  return ownPackage(parent);
}

/** Folders that may hold the large files, best first. @returns {string[]} */
export function packageRoots() {
  const here = ownPackage();
  return packageRoot === undefined ? [here] : [packageRoot, here];
}

/**
 * Where a large file may lie, best first: in the package itself (a build of one's own, a tarball for offline use), or in
 * the package of that name which npm has put below or beside it. Files, not modules, are looked for: newer hosts let a
 * plugin's `require` reach its copied files only.
 * @param {string} file
 * @param {string} packageName
 * @returns {string[]}
 */
export function largeFilePlaces(file, packageName) {
  const roots = packageRoots();
  const neighbours = roots.flatMap((root) => [root, realOf(root)].flatMap(lookupFolders)).map((folder) => join(folder, packageName, file));
  return [...roots.map((root) => join(root, file)), ...new Set(neighbours.filter((place) => existsSync(place)))];
}

/** A link of a package manager leads to where the neighbours are. @param {string} folder */
function realOf(folder) {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** The folders in which Node looks for what a package needs, nearest first. @param {string} folder @returns {string[]} */
function lookupFolders(folder) {
  const parent = dirname(folder);
  return [join(folder, "node_modules"), ...(parent === folder ? [] : lookupFolders(parent))];
}
