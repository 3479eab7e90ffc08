// The table as the host's manifest has it: a JSON Schema and the hints of the settings page.

import { description } from "./table.mjs";

/** @typedef {import("./table.mjs").Setting} Setting */

/** @type {Record<string, string>} */
const JSON_TYPES = { group: "object", switch: "boolean", integer: "integer", number: "number", text: "string", choice: "string" };

/**
 * The manifest with schema and hints of the table; everything else in it is written by hand.
 * @param {Record<string, any>} manifest
 * @param {Setting[]} settings
 */
export function renderManifest(manifest, settings) {
  const uiHints = Object.fromEntries(settings.filter(({ hint }) => hint).map(({ key, hint }) => [key, hint]));
  return { ...manifest, uiHints, configSchema: schemaOf(settings) };
}

/** @param {Setting[]} settings */
function schemaOf(settings) {
  /** @type {Record<string, any>} */
  const root = { type: "object", additionalProperties: false, properties: {} };
  /** @type {Map<string, Record<string, any>>} */
  const groups = new Map([["", root]]);
  for (const setting of settings) {
    const dot = setting.key.lastIndexOf(".");
    const schema = propertyOf(setting);
    const group = groups.get(setting.key.slice(0, Math.max(dot, 0)));
    if (group) group.properties[setting.key.slice(dot + 1)] = schema;
    if (setting.type === "group") groups.set(setting.key, schema);
  }
  return root;
}

/** @param {Setting} setting */
function propertyOf(setting) {
  const { type, values, range: [minimum, maximum] = [], schema } = setting;
  /** @type {Record<string, any>} */
  const property = type === "special" ? {} : { type: JSON_TYPES[type] };
  property.description = description(setting);
  if (values) property.enum = values;
  if (minimum !== undefined) property.minimum = minimum;
  if (maximum !== undefined) property.maximum = maximum;
  if (type === "group") Object.assign(property, { additionalProperties: false, properties: {} });
  return Object.assign(property, schema);
}

/**
 * JSON as the formatter of this repository leaves it: lists of words on one line.
 * @param {unknown} value
 */
export function jsonText(value) {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(/\[\s+((?:"|true|false)[^[\]{}]*)\s+\]/g, (_, words) => `[${words.trimEnd().replace(/,\s+(?="|true|false)/g, ", ")}]`)}\n`;
}
