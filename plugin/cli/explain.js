// Why a result is there, in words: what `--explain` prints below each result.

import { field } from "./output.js";

/** What each boost of the native ranking says. */
const BOOSTS = /** @type {const} */ ({
  exact: "holds what was typed exactly",
  label: "labelled with a word of the query",
  time: "written on the asked days",
  recent: "recent",
  importance: "declared important",
  curated: "curated file",
});

/** @param {unknown} value @param {number} [digits] */
const number = (value, digits = 2) => (typeof value === "number" ? value.toFixed(digits) : "–");

/** What is added, with its sign. @param {unknown} value */
const added = (value) => {
  const text = number(value);
  if (typeof value !== "number") return text;
  return Number(text) < 0 ? `−${text.slice(1)}` : `+${text.replace("-", "")}`;
};

/** @param {unknown} value */
const percent = (value) => (typeof value === "number" ? `${Math.round(100 * value)} %` : "–");

/** @param {unknown} rank */
const place = (rank) => (typeof rank === "number" ? `rank ${rank}` : "not among the best");

/**
 * Lines that tell why a result is there; none without an explanation.
 * @param {any} explain as in {@link import("../../index.d.ts").MemoryHit}
 * @returns {string[]}
 */
export const explanation = (explain) => reasons(explain).map(([name, text]) => `  ${field(name, text)}`);

/**
 * The same, each as a name and what it says.
 * @param {any} explain
 * @returns {[string, string][]}
 */
export function reasons(explain) {
  if (typeof explain !== "object" || explain === null) return [];
  const parts = explain.ranking === "native" ? native(explain) : documented(explain);
  return parts.filter(([, text]) => text !== "");
}

/**
 * The default ranking.
 * @param {any} explain
 * @returns {[string, string][]}
 */
function native({ legs = {}, boosts = {}, matched = [], rankScore, bestLine }) {
  const { words, meaning } = legs;
  const given = Object.entries(BOOSTS).filter(([name]) => boosts[name] > 0);
  return [
    ["Matched", matched.map((/** @type {any} */ m) => (m.as ? `${m.word} (as ${m.as})` : m.word)).join(", ")],
    ["Words", words ? wordsLeg(words) : ""],
    ["Meaning", meaning ? meaningLeg(meaning) : ""],
    ["Boosts", given.map(([name, text]) => `${text} ${added(boosts[name])}`).join(", ")],
    ["Ranked by", `${number(rankScore)}, best line ${bestLine}`],
  ];
}

/** @param {any} leg */
function wordsLeg({ rank, coverage, line, neighbours, chunk }) {
  const parts = `line ${added(line)}, neighbours ${added(neighbours)}, chunk ${added(chunk)}`;
  return `${place(rank)}, ${percent(coverage)} of the query; ${parts}`;
}

/** @param {any} leg */
function meaningLeg({ rank, cosine, mean, part, linePart, lineRise }) {
  const chunk = `${place(rank)}, cosine ${number(cosine)} (mean of the index ${number(mean)}); chunk ${added(part)}`;
  return typeof lineRise === "number" ? `${chunk}, line ${added(linePart)}` : chunk;
}

/**
 * memory-core's documented scoring.
 * @param {any} explain
 * @returns {[string, string][]}
 */
function documented({ vector, text, boost, weights, decay, diversity, minScore }) {
  return [
    ["Vector", vector ? `${place(vector.rank)}, cosine ${number(vector.score, 3)}` : ""],
    [
      "Keywords",
      text ? `${place(text.rank)}, score ${number(text.score, 3)}${text.bm25 === undefined ? "" : ` (BM25 ${number(text.bm25)})`}` : "",
    ],
    [
      "Boosts",
      boost
        ? `overlap ${added(boost.overlap)}, density ${added(boost.density)}, path ${added(boost.path)}, length ${added(boost.length)}`
        : "",
    ],
    ["Weights", weights ? `vector ${number(weights[0])}, keywords ${number(weights[1])}` : ""],
    ["Age", decay ? `${Math.round(decay.ageDays)} days, score × ${number(decay.multiplier)}` : ""],
    [
      "Diversity",
      diversity ? `relevance ${number(diversity.relevance)}, most like an earlier result ${number(diversity.maxSimilarity)}` : "",
    ],
    ["Lowest score", number(minScore)],
  ];
}
