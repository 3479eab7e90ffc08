// Values of command line options.

/** Whose words results may be. @type {import("../provenance/paths.js").OriginClass[]} */
const ORIGINS = ["owner", "agent", "untrusted", "system"];

/**
 * Origins, with commas between them; the option can be repeated.
 * @param {string} value
 * @param {import("../provenance/paths.js").OriginClass[]} former
 */
export function originOption(value, former = []) {
  const named = value.split(",").map((word) => ORIGINS.find((origin) => origin === word.trim().toLowerCase()));
  if (named.every((origin) => origin !== undefined)) return [...former, ...named];
  throw invalidOption(`--origin must be one of ${ORIGINS.join(", ")}, not "${value}".`);
}

/**
 * A count, or a score.
 * @param {string} value
 * @param {string} flag
 * @param {{whole?: boolean}} [kind]
 */
export function numberOption(value, flag, { whole = false } = {}) {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (whole ? Number.isSafeInteger(number) && number >= 1 : number >= 0 && number <= 1) return number;
  const wanted = whole ? `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}` : "a number from 0 to 1";
  throw invalidOption(`${flag} must be ${wanted}, not "${value}".`);
}

/** The shape commander recognises as a mistake of the user. @param {string} message */
export function invalidOption(message) {
  return Object.assign(new Error(message), {
    name: "InvalidArgumentError",
    code: "commander.invalidArgument",
    exitCode: 1,
  });
}
