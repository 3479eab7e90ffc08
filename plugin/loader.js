// What hosts load: takes the plugin from where it is installed, once per process.
//
// Hosts since 2026.9.5 load a plugin up to three times a command, each time from a new copy of its files. Compiling half a
// megabyte three times, under names that no cache knows, took longer than opening the engine and the search together.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PLUGIN_ID } from "../lib/package-info.js";
import { packageRoots, setPackageRoot } from "../lib/package-root.js";
import { IDENTITY } from "./identity.js";

/** The build that this file belongs to; scripts/ship/bundle.mjs puts it here. */
const BUILD = process.env.PLUGIN_BUILD;

/** Below the root of the package. */
const FILE = "dist/plugin.cjs";

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

/** The plugin of this build: the installed one, or that of the copy which this file is in. @returns {Body} */
function load() {
  const folders = packageRoots();
  const files = folders.map((folder) => path.join(folder, FILE)).filter((file) => existsSync(file));
  for (const file of files) {
    const body = ofThisBuild(file);
    if (body) return body;
  }
  throw new Error(
    files.length === 0
      ? `${PLUGIN_ID} is not installed as a whole: ${FILE} is missing in ${folders[0]}. Run: openclaw plugins install ${PLUGIN_ID}`
      : `${PLUGIN_ID} was installed anew while it was loaded. Start the command or the gateway once more`,
  );
}

/** The plugin in a file; none where it is another build, which was installed since this file was loaded or copied. @param {string} file */
function ofThisBuild(file) {
  const require = createRequire(file);
  const known = require.cache[file] !== undefined;
  /** @type {Body} */
  let body = require(file);
  if (body.build !== BUILD && known) {
    delete require.cache[file];
    body = require(file);
  }
  return body.build === BUILD ? body : undefined;
}
