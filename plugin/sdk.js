// Modules of the host that plugins may load.

import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isRecord } from "../lib/config.js";

/** What was found, by name; asked for at every turn. @type {Map<string, Promise<Record<string, any> | null>>} */
const found = new Map();

/** How the file that the host loaded last imports: hosts make their modules known to what they load only. */
let importHere = (/** @type {string} */ id) => import(id);

/** @param {(id: string) => Promise<any>} by */
export function importFrom(by) {
  importHere = by;
}

/**
 * A module of the host's plugin SDK, or null where this host does not have it or does not let plugins load it.
 * @param {string} name
 * @returns {Promise<Record<string, any> | null>}
 */
export function importSdk(name) {
  const known = found.get(name) ?? find(`openclaw/plugin-sdk/${name}`);
  found.set(name, known);
  return known;
}

/**
 * @param {string} id
 * @returns {Promise<Record<string, any> | null>}
 */
async function find(id) {
  const sdk = await importHere(id)
    .catch(() => importFromProcess(id))
    .catch(() => null);
  return isRecord(sdk) ? sdk : null;
}

/**
 * A module of the host that runs this process. Hosts up to 2026.4 make their modules known only to code that they
 * transpile, which ours is not.
 * @param {string} id
 */
async function importFromProcess(id) {
  const host = createRequire(realpathSync(process.argv[1]));
  return await import(pathToFileURL(host.resolve(id)).href);
}
