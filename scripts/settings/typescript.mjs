// The table as a type.

import { description } from "./table.mjs";

/** @typedef {import("./table.mjs").Setting} Setting */

const HEAD = `// Made of crates/model/settings.toml by "npm run settings".

/** A secret that the host keeps elsewhere. */
export interface SecretReference {
  source: "env" | "file" | "exec";
  provider?: string;
  id: string;
}
`;

/** @type {Record<string, string>} */
const TYPES = { switch: "boolean", integer: "number", number: "number", text: "string" };

/** @param {Setting[]} settings */
export function renderTypes(settings) {
  const lines = [
    HEAD,
    "/** `plugins.entries.memory-core-rs.config`. */",
    "export interface PluginSettings {",
    ...members(settings, "", "  "),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * @param {Setting[]} settings
 * @param {string} prefix
 * @param {string} indent
 * @returns {string[]}
 */
function members(settings, prefix, indent) {
  const own = settings.filter(({ key }) => key.startsWith(prefix) && !key.slice(prefix.length).includes("."));
  return own.flatMap((setting) => {
    const name = setting.key.slice(prefix.length);
    const comment = `${indent}/** ${description(setting)} */`;
    if (setting.type !== "group") return [comment, `${indent}${name}?: ${typeOf(setting)};`];
    return [comment, `${indent}${name}?: {`, ...members(settings, `${setting.key}.`, `${indent}  `), `${indent}};`];
  });
}

/** @param {Setting} setting */
function typeOf({ type, values, typescript }) {
  return typescript ?? values?.map((word) => JSON.stringify(word)).join(" | ") ?? TYPES[type];
}
