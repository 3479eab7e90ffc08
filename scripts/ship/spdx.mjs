// Licence expressions as Cargo packages write them (SPDX, and the older `MIT/Apache-2.0`).

/** @typedef {{any: Expression[]} | {all: Expression[]} | string} Expression A licence, or what joins several. */

/**
 * Reads an expression; throws where it is none.
 * @param {string} text
 * @returns {Expression}
 */
export function parseLicence(text) {
  const tokens = text.match(/[()/]|[^\s()/]+/g) ?? [];
  let at = 0;
  /** @param {string} what @returns {never} */
  const refuse = (what) => {
    throw new Error(`"${text}" is no licence expression: ${what}`);
  };
  /** @returns {Expression} */
  const single = () => {
    const token = tokens[at++] ?? refuse("it ends too early");
    if (token === "(") {
      const inner = either();
      if (tokens[at++] !== ")") refuse("a bracket is not closed");
      return inner;
    }
    if (/^(?:\)|\/|AND|OR|WITH)$/.test(token)) refuse(`"${token}" stands where a licence should`);
    if (tokens[at] !== "WITH") return token;
    at += 2;
    return `${token} WITH ${tokens[at - 1] ?? refuse("an exception has no name")}`;
  };
  /** @param {() => Expression} part @param {string[]} words @param {(parts: Expression[]) => Expression} join */
  const joined = (part, words, join) => {
    const parts = [part()];
    while (words.includes(tokens[at])) {
      at++;
      parts.push(part());
    }
    return parts.length === 1 ? parts[0] : join(parts);
  };
  const both = () => joined(single, ["AND"], (all) => ({ all }));
  const either = () => joined(both, ["OR", "/"], (any) => ({ any }));
  const whole = either();
  if (at < tokens.length) refuse(`"${tokens[at]}" is left over`);
  return whole;
}

/**
 * The licences under which to use a package: of alternatives the one that stands first in `preferred`. Undefined when
 * some needed licence is not among them.
 * @param {Expression} expression
 * @param {string[]} preferred
 * @returns {string[] | undefined}
 */
export function chooseLicences(expression, preferred) {
  if (typeof expression === "string") return preferred.includes(expression) ? [expression] : undefined;
  if ("all" in expression) {
    const chosen = expression.all.map((part) => chooseLicences(part, preferred));
    return chosen.includes(undefined) ? undefined : [...new Set(/** @type {string[][]} */ (chosen).flat())];
  }
  /** @param {string[]} licences */
  const worst = (licences) => Math.max(...licences.map((name) => preferred.indexOf(name)));
  const possible = expression.any.map((part) => chooseLicences(part, preferred)).filter((chosen) => chosen !== undefined);
  return possible.sort((a, b) => worst(a) - worst(b))[0];
}
