// The manifests of the published packages: the main one without any binary, one per platform, and the weights, which all
// platforms and versions share.

import { ADDON_FOLDER } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";

/** @typedef {import("./targets.mjs").Target} Target */
/** @typedef {Record<string, any> & {name: string, version: string}} Manifest */

/** @param {Target} target */
export const platformPackage = ({ platform }) => `${PLUGIN_ID}-${platform}`;

/** The addon, below the root of a package. @param {Target} target */
export const addonFile = ({ platform }) => `${ADDON_FOLDER}/${PLUGIN_ID}.${platform}.node`;

/** What all packages say alike. @param {Manifest} main */
function common({ license, author, homepage, repository, bugs, engines }) {
  return { license, author, homepage, repository, bugs, engines };
}

/**
 * The package of one platform. Hosts since 2026.9.5 copy what a plugin depends on at every registration, its main file
 * included, but not what `exports` names in a folder called node_modules.
 * @param {Manifest} main
 * @param {Target} target
 * @returns {Manifest}
 */
export function platformManifest(main, target) {
  const { os, cpu, libc } = target;
  return withoutGaps({
    name: platformPackage(target),
    version: main.version,
    description: `The engine of ${PLUGIN_ID} for ${target.triple}`,
    ...common(main),
    os: [os],
    cpu: [cpu],
    libc: libc && [libc],
    exports: { ".": `./${addonFile(target)}`, "./package.json": "./package.json" },
    files: [ADDON_FOLDER.split("/")[0]],
  });
}

/** The package of the weights: its own version and licence, the origin of all. @param {Manifest} main @param {Manifest} model @returns {Manifest} */
export function modelManifest(main, model) {
  return withoutGaps({ ...common(main), ...model });
}

/** The main package as it is published. @param {Manifest} main @param {Target[]} targets @param {Manifest} model @returns {Manifest} */
export function mainManifest(main, targets, model) {
  return {
    ...offlineManifest(main),
    dependencies: { [model.name]: model.version },
    optionalDependencies: Object.fromEntries(targets.map((target) => [platformPackage(target), main.version])),
  };
}

/** The main package with everything inside, for hosts that fetch nothing. @param {Manifest} main @returns {Manifest} */
export function offlineManifest(main) {
  const { scripts, devDependencies, napi, files, ...published } = main;
  return published;
}

/** @param {Manifest} manifest @returns {Manifest} */
function withoutGaps(manifest) {
  return /** @type {Manifest} */ (Object.fromEntries(Object.entries(manifest).filter(([, value]) => value !== undefined)));
}
