// How commands talk: text for people, JSON for programs, colour on terminals only.

import { Console } from "node:console";
import { styleText } from "node:util";
import { processEnv } from "../../lib/env.js";
import { errorCode, errorMessage, errorRemedy, errorText, inWords } from "../../lib/errors.js";
import { knownTimeZone, localTime, timeIn } from "../../lib/time.js";

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

/** Bold and plain colours, which are ours. */
const COLOUR = new RegExp(`(${String.fromCodePoint(27)}\\[(?:1|22|[39]\\d)m)`);

/** A control character as a sign that shows it. @param {string} control */
function sign(control) {
  const code = control.charCodeAt(0);
  return code < 32 ? String.fromCodePoint(0x2400 + code) : code === 127 ? "␡" : "�";
}

/** What turns the direction of the text after it around, up to the end of the line: letters of either direction need none of it. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * What others wrote, without power over the terminal: notes, transcripts and names of files may hold its commands.
 * @param {string} text
 */
export function plain(text) {
  return text
    .replace(/\r+(?=\n|$)/g, "")
    .replace(DIRECTIONS, "\ufffd")
    .replace(/\p{Cc}/gu, (control) => (control === "\n" || control === "\t" ? control : sign(control)));
}

/** What ends a line, or sets it in. */
const BREAKS = /[\n\t\u2028\u2029]/g;

/** The same as one line that shows where it was broken: a name may hold whatever a file system takes. @param {string} text */
export const inOneLine = (text) => plain(text).replace(BREAKS, (control) => (control < " " ? sign(control) : "\ufffd"));

/** A text of several lines as one that passes for no other. @param {string} text */
export const oneLine = (text) => text.replace(/\s+/g, " ").trim();

/**
 * Prints on standard output, and nowhere else: what is said by the global console also goes into the host's log, where nobody
 * looks for the notes that a search has found. Of control characters only our colours come through.
 * @param {string} text
 */
export function print(text) {
  // Every second part is a colour.
  const parts = text.split(COLOUR).map((part, at) => (at % 2 === 1 && isColourful() ? part : plain(part)));
  write(parts.join(""));
}

/**
 * Prints on standard error: a provider's answer and an argument hold whatever others wrote.
 * @param {string} text
 */
export function printError(text) {
  console.error(plain(text));
}

/** What JSON may hold as it is, and a terminal obeys. */
const OBEYED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** @param {unknown} value */
export function printJson(value) {
  const escaped = (/** @type {string} */ control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
  write(JSON.stringify(value, null, 2).replace(OBEYED, escaped));
}

/** @param {string} text */
function write(text) {
  output ??= new Console(process.stdout);
  output.log(text);
}

/**
 * Reports a failure without ending the process: other agents may still have their turn.
 * @param {string} doing
 * @param {unknown} error
 */
export function fail(doing, error) {
  failWith(`${doing} failed: ${errorText(error)}`);
}

/**
 * The same of a command that prints JSON where it is asked to, of which this is all.
 * @param {string} doing
 * @param {unknown} error
 * @param {{json?: boolean, agentId?: string}} told
 */
export function failOnly(doing, error, { json, agentId }) {
  if (json) printJson({ agentId, error: errorJson(error) });
  fail(doing, error);
}

/** The same in other words. @param {string} text */
export function failWith(text) {
  printError(text);
  process.exitCode = 1;
}

/** An error as JSON. @param {unknown} error */
export function errorJson(error) {
  const told = inWords(error);
  const remedy = errorRemedy(told);
  return { code: errorCode(told), message: errorMessage(told), ...(remedy ? { remedy } : {}) };
}

/** Where times are told. A process runs one command, for one user. */
let timeZone = knownTimeZone();

/** From now on times are told in this time zone; without one in the machine's. @param {string} [configured] */
export function tellTimesIn(configured) {
  timeZone = knownTimeZone(configured);
}

/** A time as its user reads it. @param {number | string} at Milliseconds since the epoch, or in ISO 8601. */
export function timeText(at) {
  return timeIn(at, timeZone);
}

/** The user's day of a time, as `--since` and `--until` take it. @param {number} at Milliseconds since the epoch. */
export function dayText(at) {
  return localTime(new Date(at), timeZone).date;
}

/** A path as a shell takes it. @param {string} file */
export function shellPath(file) {
  if (/^[\w@%+=:,./\\~-]+$/.test(file)) return file;
  return process.platform === "win32" ? `"${file}"` : `'${file.replaceAll("'", "'\\''")}'`;
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
