// What all builds of this package in a process share: one that is installed while a gateway runs is loaded beside the one before.

import { PLUGIN_ID } from "./package-info.js";

/**
 * @template T
 * @param {string} name With the version of the package, where another version may keep something else under it.
 * @param {() => T} make Makes it for the first that asks.
 * @returns {T}
 */
export function shared(name, make) {
  const slots = /** @type {Record<symbol, any>} */ (/** @type {unknown} */ (globalThis));
  const slot = Symbol.for(`${PLUGIN_ID}/${name}`);
  slots[slot] ??= make();
  return slots[slot];
}
