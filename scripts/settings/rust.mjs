// The table as constants of the resolver.

import { description } from "./table.mjs";

/** @typedef {import("./table.mjs").Setting} Setting */

const HEAD = `//! Every setting that the resolver reads, with its default and its range. Made of \`crates/model/settings.toml\` by
//! \`npm run settings\`.

use super::{active_memory, automatic, consolidation, setting::*, settings};
`;

/** Largest number that JavaScript holds exactly. */
const HIGHEST = Number.MAX_SAFE_INTEGER;

/** @param {Setting[]} settings */
export function renderRust(settings) {
  const groups = settings.filter(({ type }) => type === "group").map(({ key }) => JSON.stringify(key));
  const read = settings.filter(({ type, read_by }) => type !== "group" && !read_by);
  const lines = [
    HEAD,
    "/// Settings that hold others.",
    `pub(super) const GROUPS: [&str; ${groups.length}] = [${groups.join(", ")}];`,
    ...read.flatMap(constants),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * @param {Setting} setting
 * @returns {string[]}
 */
function constants(setting) {
  const { key, local_default } = setting;
  const name = key.replace(/[A-Z]/g, "_$&").replaceAll(".", "_").toUpperCase();
  const { shape, fields } = shapeOf(setting);
  const written = [`key: ${JSON.stringify(key)}`, ...fields].join(", ");
  const type = /^\w+/.exec(shape)?.[0];
  const lines = ["", `/// ${docs(description(setting))}`, `pub(super) const ${name}: ${shape} = ${type} { ${written} };`];
  if (local_default === undefined) return lines;
  return [...lines, "", "/// The same for providers on this machine.", `pub(super) const ${name}_LOCAL: u64 = ${whole(local_default)};`];
}

/**
 * @param {Setting} setting
 * @returns {{shape: string, fields: string[]}}
 */
function shapeOf({ type, default: value, range: [lowest = 0, highest = HIGHEST] = [], values = [], rust }) {
  const maybe = value === undefined ? "Optional" : "";
  /** @param {(value: any) => string} write */
  const standard = (write) => (value === undefined ? [] : [`default: ${write(value)}`]);
  switch (type) {
    case "switch":
      return { shape: `${maybe}Switch`, fields: standard(String) };
    case "integer":
      return { shape: `${maybe}Integer`, fields: [`range: ${whole(lowest)}..=${whole(highest)}`, ...standard(whole)] };
    case "number":
      return { shape: `${maybe}Number`, fields: [`range: ${real(lowest)}..=${real(highest)}`, ...standard(real)] };
    case "text":
      return { shape: `${maybe}Text`, fields: standard((text) => JSON.stringify(text)) };
    case "choice": {
      const words = values.map((word) => `(${JSON.stringify(word)}, ${rust}::${variant(word)})`);
      return { shape: `Choice<${rust}>`, fields: [`words: &[${words.join(", ")}]`, `default: ${rust}::${variant(String(value))}`] };
    }
    default:
      return { shape: "Special", fields: [] };
  }
}

/** @param {string} word */
const variant = (word) => word.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase());

/** @param {number} n */
const whole = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, n >= 10_000 ? "_" : "");

/** @param {number} n */
const real = (n) => (Number.isInteger(n) ? `${n}.0` : String(n));

/** Names in angle brackets are no markup. @param {string} text */
const docs = (text) => text.replace(/[^\s`]*<\w+>[^\s`]*/g, (name) => `\`${name.replace(/\.$/, "")}\`${name.endsWith(".") ? "." : ""}`);
