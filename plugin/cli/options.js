// Values of command line options.

/**
 * A count, or a score.
 * @param {string} value
 * @param {string} flag
 * @param {{whole?: boolean}} [kind]
 */
export function numberOption(value, flag, { whole = false } = {}) {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (whole ? Number.isInteger(number) && number >= 1 : number >= 0 && number <= 1) return number;
  // The shape commander recognises as a mistake of the user.
  throw Object.assign(new Error(`${flag} must be ${whole ? "a whole number of 1 or more" : "a number from 0 to 1"}, not "${value}".`), {
    name: "InvalidArgumentError",
    code: "commander.invalidArgument",
    exitCode: 1,
  });
}
