// What hosts load: takes the plugin from where it is installed, once per process.
//
// Hosts since 2026.9.5 load a plugin up to three times a command, each time from a new copy of its files, without those in
// folders called node_modules. Copying half a megabyte three times, and compiling it under names that no cache knows, took
// longer than opening the engine and the search together.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PLUGIN_ID } from "../lib/package-info.js";
import { packageRoots, setPackageRoot } from "../lib/package-root.js";
import { IDENTITY } from "./identity.js";

/** The build that this file belongs to, and the plugin's file below the root; scripts/ship/bundle.mjs puts both here. */
const BUILD = process.env.PLUGIN_BUILD;
const FILE = String(process.env.PLUGIN_FILE);

/** @typedef {{build: string, default: {register: (api: any, importHere: (id: string) => Promise<any>) => void}}} Body */

export default {
  ...IDENTITY,
  /** @param {Record<string, any>} api The host's plugin API. */
  register(api) {
    setPackageRoot(api.rootDir);
    // What the host has for plugins is found from a file that it knows as the plugin's.
    load().default.register(api, (id) => import(id));
  },
};

/** The plugin that is installed. @returns {Body} */
function load() {
  const folders = packageRoots();
  const file = folders.map((folder) => path.join(folder, FILE)).find((place) => existsSync(place));
  if (!file)
    throw new Error(
      `${PLUGIN_ID} is not installed as a whole: ${FILE} is missing in ${folders[0]}. Run: openclaw plugins install ${PLUGIN_ID}`,
    );
  const require = createRequire(file);
  const taken = require.cache[file];
  if (taken && taken.exports.build !== BUILD) {
    // Another build was installed since the process took it, or since this file was copied; then the one that runs goes on.
    delete require.cache[file];
    if (require(file).build === taken.exports.build) require.cache[file] = taken;
  }
  return require(file);
}
