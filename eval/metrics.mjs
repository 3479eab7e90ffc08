// What a search showed of the lines that answer.
import fs from "node:fs";
import path from "node:path";

/** Snippet characters read for `b2000` and `shown2000`. */
const BUDGET = 2000;

const plain = (/** @type {string} */ text) => text.split(/\s+/).filter(Boolean).join(" ");

/** @type {Map<string, string[]>} */
const files = new Map();

/** Text of a line of a workspace file. @param {string} ws @param {string} file @param {number} line */
function lineText(ws, file, line) {
  const at = path.join(ws, file);
  if (!files.has(at)) files.set(at, fs.readFileSync(at, "utf8").split("\n").map(plain));
  return files.get(at)?.[line - 1] ?? "";
}

/** Whether a line can be read in a snippet: all of it, or its first or last 60 %. @param {string} line @param {string} snippet */
function shows(line, snippet) {
  const part = Math.max(1, Math.ceil(0.6 * line.length));
  return snippet.includes(line) || snippet.includes(line.slice(0, part)) || snippet.includes(line.slice(-part));
}

/** What is read of results by somebody who stops at the budget. @param {Hit[]} hits */
function withinBudget(hits) {
  let left = BUDGET;
  const read = [];
  for (const hit of hits) {
    if (left <= 0) break;
    read.push({ ...hit, snippet: hit.snippet.slice(0, left) });
    left -= hit.snippet.length;
  }
  return read;
}

/** Whether two results of one file cite the same line. @param {Hit[]} hits */
const overlap = (hits) =>
  hits.some((hit, at) =>
    hits.slice(0, at).some((other) => other.path === hit.path && other.startLine <= hit.endLine && hit.startLine <= other.endLine),
  );

/**
 * @typedef {{path: string, startLine: number, endLine: number, snippet: string}} Hit
 * @typedef {{six: Hit[], more: Hit[], twenty: Hit[], budget: Hit[]}} Found Of searches for six and twenty results, and for as many as
 *   fit; `more`: of the second search that the one for six says is worth it.
 * @typedef {{query: string, category: string, ok: boolean, values: Record<string, number>}} Score
 * @param {import("./cases.mjs").Query} query @param {Found} found @param {string} ws @returns {Score}
 */
export function scoreQuery(query, found, ws) {
  const base = { query: query.query, category: query.category };
  const none = found.six.length === 0 ? 1 : 0;
  if (query.evidence.length === 0) return { ...base, ok: none === 1, values: { none } };
  const evidence = query.evidence.map(([file, line]) => ({ file, line, text: lineText(ws, file, line) }));
  const visible = (/** @type {Hit[]} */ hits) =>
    evidence.filter((e) => hits.some((hit) => hit.path === e.file && shows(e.text, plain(hit.snippet)))).length;
  const first = found.twenty
    .slice(0, 10)
    .findIndex((hit) => evidence.some((e) => hit.path === e.file && hit.startLine <= e.line && e.line <= hit.endLine));
  const seen = visible(found.six);
  return {
    ...base,
    ok: seen > 0,
    values: {
      "seen@6": seen / evidence.length,
      // With the second search, and whether there was one.
      "seen+6": visible([...found.six, ...found.more]) / evidence.length,
      more: found.more.length > 0 ? 1 : 0,
      "hit@6": seen > 0 ? 1 : 0,
      rank1: visible(found.six.slice(0, 1)) > 0 ? 1 : 0,
      mrr: first < 0 ? 0 : 1 / (first + 1),
      b2000: visible(withinBudget(found.twenty)) / evidence.length,
      // Of a search that names no number of results: all that it shows, and its beginning.
      shown: visible(found.budget) / evidence.length,
      shown2000: visible(withinBudget(found.budget)) / evidence.length,
      none,
      overlap: overlap(found.six) || overlap(found.budget) ? 1 : 0,
    },
  };
}

/** Means in percent, and the number of queries. @param {Score[]} scores @returns {Record<string, number>} */
export function summarise(scores) {
  /** @type {Record<string, number>} */
  const out = { count: scores.length };
  for (const name of new Set(scores.flatMap((score) => Object.keys(score.values)))) {
    const values = scores.map((score) => score.values[name]).filter((value) => value !== undefined);
    out[name] = (100 * values.reduce((sum, value) => sum + value, 0)) / values.length;
  }
  return out;
}
