// What the manifest takes for a setting, and the nearest to a value of another plugin: the host refuses the whole
// configuration for one that is out of range.

import { readFileSync } from "node:fs";
import path from "node:path";
import { OWN_PACKAGE } from "../../lib/package-root.js";

/** @typedef {{type?: string, minimum?: number, maximum?: number, properties?: Record<string, Schema>}} Schema */

/** @type {Schema | undefined} */
let settings;

/**
 * What the manifest says of a setting.
 * @param {string} name With dots.
 * @returns {Schema}
 */
function schemaOf(name) {
  settings ??= JSON.parse(readFileSync(path.join(OWN_PACKAGE, "openclaw.plugin.json"), "utf8")).configSchema;
  return name.split(".").reduce((/** @type {Schema} */ schema, part) => schema.properties?.[part] ?? {}, settings ?? {});
}

/**
 * The nearest value that a setting takes, and what it takes where that is another one.
 * @param {string} name With dots.
 * @param {number} value
 * @returns {{value: number, takes?: string}}
 */
export function nearest(name, value) {
  const { type, minimum = -Infinity, maximum = Infinity } = schemaOf(name);
  const whole = type === "integer" ? Math.round(value) : value;
  const taken = Math.min(Math.max(whole, minimum), maximum);
  if (taken === value) return { value };
  return { value: taken, takes: `${type === "integer" ? "whole numbers " : ""}from ${minimum} to ${maximum}` };
}
