// Questions about documentation: which of the pieces of text that answer a search shows.
import fs from "node:fs";
import path from "node:path";
import { readQueries } from "./cases.mjs";

/**
 * A question. `answers` has one list for each thing that is asked: any of its pieces of a page answers it.
 * @typedef {{id: string, category: string, lang: string, half: string, query: string, answers: [string, string][][]}} Question
 * @typedef {{path: string, snippet: string}} Hit
 * @typedef {{question: Question, shown: number, outcomes: Outcome[], results: number, repeats: number}} Score `shown`: share of what is
 *   asked; `repeats`: results of a page that one before is of.
 * @typedef {"shown" | "passage" | "page" | "nothing"} Outcome What became of one thing that is asked: shown; another passage of a
 *   page that answers; no such page; no result at all.
 */

/** Where a file of `answers` lies in a workspace. @param {string} file */
const inWorkspace = (file) => (file.startsWith("docs/") ? path.posix.join("memory", file) : file);

const plain = (/** @type {string} */ text) => text.split(/\s+/).filter(Boolean).join(" ");

/** @param {string} root @param {string[]} [halves] @returns {Question[]} */
export function readDocumentQuestions(root, halves) {
  const questions = /** @type {Question[]} */ (/** @type {unknown} */ (readQueries(root)));
  return halves ? questions.filter(({ half }) => halves.includes(half)) : questions;
}

/**
 * Makes a case of a set: its notes, and the pages of a host beside them.
 * @param {string} root @param {string} pages folder of Markdown @param {string} caseDir
 */
export function makeDocumentCase(root, pages, caseDir) {
  fs.rmSync(caseDir, { recursive: true, force: true });
  const ws = path.join(caseDir, "ws");
  fs.cpSync(path.join(root, "ws"), ws, { recursive: true });
  const isPage = (/** @type {string} */ file) => fs.statSync(file).isDirectory() || file.endsWith(".md");
  fs.cpSync(pages, path.join(ws, "memory", "docs"), { recursive: true, filter: isPage });
  for (const file of ["queries.jsonl", "meta.json"]) fs.copyFileSync(path.join(root, file), path.join(caseDir, file));
  for (const { id, answers } of readDocumentQuestions(root)) {
    for (const [file, piece] of answers.flat()) {
      const lines = fs
        .readFileSync(path.join(ws, inWorkspace(file)), "utf8")
        .split("\n")
        .map(plain);
      if (!lines.some((line) => line.includes(plain(piece)))) throw new Error(`${id}: ${file} has no line with "${piece}"`);
    }
  }
}

/** @param {Question} question @param {Hit[]} hits @returns {Score} */
export function scoreDocument(question, hits) {
  const snippets = hits.map(({ path: file, snippet }) => ({ file, text: plain(snippet) }));
  /** @param {[string, string][]} wanted @returns {Outcome} */
  const outcome = (wanted) => {
    const has = (/** @type {(text: string, piece: string) => boolean} */ test) =>
      wanted.some(([file, piece]) => snippets.some((hit) => hit.file === inWorkspace(file) && test(hit.text, plain(piece))));
    if (has((text, piece) => text.includes(piece))) return "shown";
    if (has(() => true)) return "passage";
    return hits.length > 0 ? "page" : "nothing";
  };
  const outcomes = question.answers.map(outcome);
  return {
    question,
    outcomes,
    shown: outcomes.filter((of) => of === "shown").length / outcomes.length,
    results: hits.length,
    repeats: hits.filter((hit, at) => hits.slice(0, at).some((before) => before.path === hit.path)).length,
  };
}

/**
 * Of everything that is asked, the share with each outcome, in percent; of the questions, those that are answered whole; of the
 * results, those that repeat a page.
 * @param {Score[]} scores
 */
export function documentRates(scores) {
  const outcomes = scores.flatMap((score) => score.outcomes);
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
  const percent = (/** @type {number} */ part, /** @type {number} */ of) => (of === 0 ? 0 : (100 * part) / of);
  const share = (/** @type {Outcome} */ of) => percent(outcomes.filter((one) => one === of).length, outcomes.length);
  return {
    count: scores.length,
    shown: percent(sum(scores.map(({ shown }) => shown)), scores.length),
    whole: percent(scores.filter(({ shown }) => shown === 1).length, scores.length),
    passage: share("passage"),
    page: share("page"),
    nothing: share("nothing"),
    repeats: percent(sum(scores.map(({ repeats }) => repeats)), sum(scores.map(({ results }) => results))),
  };
}
