// Where the package and those that belong to it are really installed. Hosts since 2026.9.5 run a copy of the code without
// its folders called node_modules, which is where the large files lie (model/README.md).

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** @type {string | undefined} */
let packageRoot;

/**
 * Tells where the package is really installed.
 * @param {unknown} folder `api.rootDir`; hosts that run the installed files may not set it
 */
export function setPackageRoot(folder) {
  if (typeof folder === "string" && folder !== "") packageRoot = folder;
}

/** The package that this file is in: what is packed lies deeper than what it is made of. */
export const OWN_PACKAGE = findOwnPackage();

function findOwnPackage() {
  const here = fileURLToPath(import.meta.url);
  const manifest = "openclaw.plugin.json";
  const found = upwards(dirname(here)).find((folder) => existsSync(join(folder, manifest)));
  if (found === undefined) throw new Error(`${manifest} is in no folder above ${here}: reinstall the plugin`);
  return found;
}

/** Folders that may hold the large files, best first. @returns {string[]} */
export function packageRoots() {
  return packageRoot === undefined ? [OWN_PACKAGE] : [packageRoot, OWN_PACKAGE];
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
  // Where Node looks for what a package needs, nearest first.
  const folders = roots.flatMap((root) => [root, realOf(root)].flatMap(upwards));
  const neighbours = folders.map((folder) => join(folder, "node_modules", packageName, file));
  return [...roots.map((root) => join(root, file)), ...new Set(neighbours.filter((place) => existsSync(place)))];
}

/** A link of a package manager leads to where the neighbours are. @param {string} folder */
function realOf(folder) {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** A folder and all above it, nearest first. @param {string} folder @returns {string[]} */
function upwards(folder) {
  const parent = dirname(folder);
  return [folder, ...(parent === folder ? [] : upwards(parent))];
}
