// Reads the table of settings and refuses what does not hold together.

import { parse } from "smol-toml";

/**
 * @typedef {"group" | "switch" | "integer" | "number" | "text" | "choice" | "special"} SettingType
 * @typedef {{label: string, help?: string, placeholder?: string, advanced?: boolean, sensitive?: boolean}} Hint
 * @typedef {{
 *   key: string, type: SettingType, text: string, default?: boolean | number | string, default_text?: string,
 *   local_default?: number, range?: number[], values?: string[], rust?: string, schema?: Record<string, any>,
 *   typescript?: string, hint?: Hint, read_by?: "javascript",
 * }} Setting
 */

const TYPES = ["group", "switch", "integer", "number", "text", "choice", "special"];
const FIELDS = "type text default default_text local_default range values rust schema typescript hint read_by".split(" ");
/** The type of a default, by the type of its setting. @type {Record<string, string>} */
const DEFAULTS = { switch: "boolean", integer: "number", number: "number", text: "string", choice: "string" };

/**
 * Every setting in the order of the file, each behind the group it belongs to.
 * @param {string} source
 * @returns {Setting[]}
 */
export function readTable(source) {
  const settings = Object.entries(parse(source)).map(([key, fields]) => /** @type {Setting} */ ({ key, .../** @type {any} */ (fields) }));
  const groups = new Set(settings.filter(({ type }) => type === "group").map(({ key }) => key));
  for (const setting of settings) {
    const problem = problemOf(setting) ?? (groups.has(parentOf(setting.key)) ? undefined : "its group is missing");
    if (problem) throw new Error(`settings.toml, ${setting.key}: ${problem}`);
  }
  return settings;

  /** @param {string} key */
  function parentOf(key) {
    const dot = key.lastIndexOf(".");
    if (dot < 0) groups.add("");
    return key.slice(0, Math.max(dot, 0));
  }
}

/** @param {Setting} setting */
function problemOf(setting) {
  const { key, type, text, range, values, rust, schema, typescript, hint } = setting;
  const unknown = Object.keys(setting).find((name) => name !== "key" && !FIELDS.includes(name));
  if (unknown) return `unknown field "${unknown}"`;
  if (!/^[a-z]\w*(\.[a-z]\w*)*$/.test(key)) return "a key is camelCase words with dots between them";
  if (!TYPES.includes(type)) return `type is none of ${TYPES.join(", ")}`;
  if (!text?.trim().endsWith(".")) return "text is a sentence";
  if (setting.default !== undefined && typeof setting.default !== DEFAULTS[type]) return "default has another type";
  if (type === "choice" && !(values?.length && (rust || setting.read_by))) return "a choice needs values and rust";
  if (type === "choice" && setting.default !== undefined && !values?.includes(String(setting.default)))
    return "default is none of the values";
  if (type === "special" && !(schema && typescript)) return "special needs schema and typescript";
  if (hint && !hint.label) return "a hint needs a label";
  if (range === undefined) return type === "integer" || type === "number" ? "a number needs a range" : undefined;
  const [lowest, highest = Number.POSITIVE_INFINITY] = range;
  const outside = [setting.default, setting.local_default].some((n) => typeof n === "number" && (n < lowest || n > highest));
  return lowest > highest || outside ? "default is outside the range" : undefined;
}

/**
 * What holds where nothing is set, for people; undefined where that is nothing.
 * @param {Setting} setting
 */
export function defaultText({ default: value, default_text, local_default }) {
  if (default_text !== undefined) return default_text;
  if (value === undefined) return undefined;
  return local_default === undefined ? String(value) : `${value}, on this machine ${local_default}`;
}

/**
 * The text with the default behind it.
 * @param {Setting} setting
 */
export function description(setting) {
  const standard = defaultText(setting);
  return standard === undefined ? setting.text : `${setting.text} Default: ${standard}.`;
}
