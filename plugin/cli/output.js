// How commands talk: text for people, JSON for programs, colour on terminals only.

import { Console } from "node:console";
import { styleText } from "node:util";
import { processEnv } from "../../lib/env.js";
import { errorCode, errorMessage, errorRemedy } from "../../lib/errors.js";

/** @typedef {Parameters<typeof styleText>[0]} Style */

/** Whether standard output shows colour. */
export function isColourful() {
  const env = processEnv();
  return process.stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

/**
 * @param {Style} style
 * @param {string} text
 */
export function paint(style, text) {
  return isColourful() ? styleText(style, text, { validateStream: false }) : text;
}

/** `Name: value` with a quiet name. @param {string} name @param {unknown} value */
export function field(name, value) {
  return `${paint("gray", `${name}:`)} ${value}`;
}

/** @type {Console | undefined} */
let output;

/**
 * Prints on standard output, and nowhere else: what is said by the global console also goes into the host's log, where nobody
 * looks for the notes that a search has found.
 * @param {string} text
 */
export function print(text) {
  output ??= new Console(process.stdout);
  output.log(text);
}

/** @param {unknown} value */
export function printJson(value) {
  print(JSON.stringify(value, null, 2));
}

/**
 * Reports a failure without ending the process: other agents may still have their turn.
 * @param {string} doing
 * @param {unknown} error
 */
export function fail(doing, error) {
  const code = errorCode(error);
  failWith(`${doing} failed: ${errorMessage(error)}${code ? ` [${code}]` : ""}`);
}

/** The same in other words. @param {string} text */
export function failWith(text) {
  console.error(text);
  process.exitCode = 1;
}

/** An error as JSON. @param {unknown} error */
export function errorJson(error) {
  const remedy = errorRemedy(error);
  return { code: errorCode(error), message: errorMessage(error), ...(remedy ? { remedy } : {}) };
}

/** @param {number} bytes */
export function byteText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes > 0 ? Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0;
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/**
 * `1 file`, `2 files`.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
