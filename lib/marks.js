// Which places of a text are set off because a query has found them, on a terminal and on the page.

/** Letters of scripts that set no space between words. */
const UNSPACED = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map((script) => `\\p{scx=${script}}`).join("");
/** And of Korean, where endings and parts of compounds follow without one. */
const ANYWHERE = new RegExp(`^[${UNSPACED}\\p{scx=Hangul}]`, "u");
/** Before a word of any other script: no letter or digit of a script that has spaces. */
const BOUNDARY = `(?<=^|[^\\p{L}\\p{N}]|[${UNSPACED}])`;

/** What carries grammar and no meaning by itself: pieces of hiragana only, and a single kana. */
const FUNCTIONAL = /^(?:[\p{scx=Hiragana}]+|[\p{scx=Hiragana}\p{scx=Katakana}])$/u;

/**
 * A text in pieces, of which every second one is set off: words at their beginnings, because notes inflect them, and anywhere
 * in scripts that set no space between words.
 * @param {string} text
 * @param {string[]} words
 * @param {string} [query] What was asked: pieces that are grammar only count where it holds nothing else.
 * @returns {string[]}
 */
export function marked(text, words, query = "") {
  const isGrammarOnly = query.split(/[^\p{L}\p{M}\p{N}]+/u).every((word) => word === "" || FUNCTIONAL.test(word));
  const wanted = words.filter((word) => word !== "" && ((isGrammarOnly && query !== "") || !FUNCTIONAL.test(word)));
  const found = wanted.flatMap((word) =>
    [...text.matchAll(new RegExp(`${ANYWHERE.test(word) ? "" : BOUNDARY}${escaped(word)}`, "giu"))].map(({ 0: match, index }) => ({
      from: index,
      to: index + match.length,
    })),
  );
  /** @type {string[]} */
  const pieces = [];
  let done = 0;
  for (const { from, to } of merged(found)) {
    pieces.push(text.slice(done, from), text.slice(from, to));
    done = to;
  }
  return [...pieces, text.slice(done)];
}

/** @typedef {{from: number, to: number}} Span */

/** Spans in their order; those that overlap or touch are one. @param {Span[]} spans */
function merged(spans) {
  /** @type {Span[]} */
  const apart = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else apart.push({ ...span });
  }
  return apart;
}

/** A word as a regular expression takes it. @param {string} word */
const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
