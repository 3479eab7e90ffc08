// Values of options and arguments of the command line. A wrong one of an option is told by us and not by commander, whose words on it programs that asked for JSON
// do not get on every host: what reads a value keeps the mistake, and the action, before it works, tells it.

import { codedError } from "../../lib/errors.js";

/** Whose words results may be. @type {import("../provenance/paths.js").OriginClass[]} */
const ORIGINS = ["owner", "agent", "untrusted", "system"];

/** Where days that are replayed come from. */
const SOURCES = ["notes", "sessions", "all"];

/** A mistake in place of a value. */
class Mistake {
  /** @param {string} cause @param {string} remedy */
  constructor(cause, remedy) {
    this.error = codedError("MEM_ARGUMENT", cause, { remedy });
  }
}

/**
 * An action that does its work only where every value of its options can be used.
 * @param {string} doing What a failure is said of.
 * @param {(...args: any[]) => Promise<void>} work As commander calls it: the arguments, the options, the command.
 */
export function action(doing, work) {
  return async (/** @type {any[]} */ ...args) => {
    const options = args.at(-2);
    const mistake = Object.values(options).find((value) => value instanceof Mistake);
    if (!mistake) return await work(...args);
    (await import("./output.js")).failOnly(doing, mistake.error, { json: options.json, agentId: options.agent });
  };
}

/**
 * Reads origins, with commas between them; the option can be repeated.
 * @param {string} value
 * @param {import("../provenance/paths.js").OriginClass[] | Mistake} [former]
 */
export function originOption(value, former = []) {
  if (former instanceof Mistake) return former;
  const named = value.split(",").map((word) => ORIGINS.find((origin) => origin === word.trim().toLowerCase()));
  if (named.every((origin) => origin !== undefined)) return [...former, ...named];
  return new Mistake(`"${value}" is no --origin`, `Name one of ${ORIGINS.join(", ")}, or several with commas between them`);
}

/**
 * Reads a count, or a share.
 * @param {string} flag
 * @param {{whole?: boolean}} [kind]
 */
export function numberOption(flag, { whole = true } = {}) {
  return (/** @type {string} */ value) => {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    if (whole ? Number.isSafeInteger(number) && number >= 1 : number >= 0 && number <= 1) return number;
    const wanted = whole ? "a whole number of 1 or more" : "a number from 0 to 1";
    return new Mistake(`${flag} must be ${wanted}, not "${value}"`, `Give such a number, or leave ${flag} out`);
  };
}

/** Reads a text that must not be empty: an empty one would pass for none at all. @param {string} flag */
export function textOption(flag) {
  return (/** @type {string} */ value) =>
    value.trim() === "" ? new Mistake(`${flag} is empty`, `Give it a value, or leave ${flag} out`) : value;
}

/** The same of an option that can be repeated. @param {string} flag */
export function textsOption(flag) {
  const read = textOption(flag);
  return (/** @type {string} */ value, /** @type {string[] | Mistake} */ former) => {
    if (former instanceof Mistake) return former;
    const one = read(value);
    return one instanceof Mistake ? one : [...former, one];
  };
}

/** Reads where days come from. @param {string} value */
export function sourceOption(value) {
  if (SOURCES.includes(value)) return value;
  return new Mistake(`"${value}" is no --source`, `Name one of ${SOURCES.join(", ")}`);
}

/**
 * Refuses an argument that is there and empty: it would pass for none at all.
 * @param {string | undefined} value
 * @param {string} name
 * @param {string} remedy
 */
export function refuseEmpty(value, name, remedy) {
  if (value?.trim() === "") throw codedError("MEM_ARGUMENT", `${name} is empty`, { remedy });
}

/**
 * Refuses orders of which only one can be carried out: whichever it were, the other would be passed over.
 * @param {[name: string, isGiven: boolean][]} orders As they are typed.
 */
export function refuseTogether(orders) {
  const [one, other] = orders.flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (other === undefined) return;
  throw codedError("MEM_ARGUMENT", `${one} cannot be combined with ${other}`, { remedy: "Leave one of them out" });
}
