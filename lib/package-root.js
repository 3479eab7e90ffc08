// Where the package is really installed. Hosts since 2026.9.5 run a copy of the code without its folders called
// node_modules, which is where the large files lie (model/README.md).

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

/** Folders that may hold the large files, best first. @returns {string[]} */
export function packageRoots() {
  const here = fileURLToPath(new URL("..", import.meta.url));
  return packageRoot === undefined ? [here] : [packageRoot, here];
}
