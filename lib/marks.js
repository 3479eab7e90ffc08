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
  if (wanted.length === 0) return [text];
  const { form, origin } = normalized(text);
  const found = [...new Set(wanted)].flatMap((word) =>
    [...form.matchAll(pattern(word))].map(({ 0: match, index }) => ({ from: origin(index).from, to: origin(index + match.length - 1).to })),
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

/** Finds a word where it counts. @param {string} word */
const pattern = (word) => new RegExp(`${ANYWHERE.test(word) ? "" : BOUNDARY}${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "giu");

/**
 * A text in the form in which the index has its words, and where in the text a place of that form is.
 * @param {string} text
 * @returns {{form: string, origin: (at: number) => Span}}
 */
function normalized(text) {
  if (text.normalize("NFKC") === text) return { form: text, origin: (at) => ({ from: at, to: at + 1 }) };
  let form = "";
  /** @type {Span[]} */
  const spans = [];
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    const piece = segment.normalize("NFKC");
    form += piece;
    for (let at = 0; at < piece.length; at++) spans.push({ from: index, to: index + segment.length });
  }
  return { form, origin: (at) => spans[at] };
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
