// Three questions that the user's own notes answer, so that the end of the set-up shows what it is for.

import { listArtifacts } from "../artifacts.js";

/** @typedef {{question: string, path: string, line: number, snippet: string, score: number}} Answered */

const WANTED = 3;
/** Notes that are looked into, the newest first, and lines of each. */
const NOTES = 40;
const LINES = 200;
/** Passages among which the best is chosen. */
const TIED = 5;
/** Headings that every note has, and dates, ask for nothing. */
const EMPTY_HEADING = /^(?:memory|notes?|day|today|summary|todo|log|misc|index|session\b.*|conversation.*|[\d\s:./-]+.*)$/i;

/** Words of the beginning of a line that ask for it. */
const FIRST_WORDS = 6;

/**
 * Topics of a note: its headings, what lines are labelled with, and how they begin, as in a diary.
 * @param {string} text
 */
export function topicsOf(text) {
  const lines = text.split(/\r?\n/);
  const headings = lines.flatMap((line) => /^#{1,4}\s+(.+?)\s*#*\s*$/.exec(line)?.[1] ?? []);
  const labels = lines.flatMap((line) => /^\s*[-*]\s+\**([\p{L}][\p{L}\p{N} '’-]{2,40}?)\**\s*[:：]/u.exec(line)?.[1] ?? []);
  const beginnings = lines.flatMap(beginningOf);
  return [...headings, ...labels, ...beginnings].map((topic) => topic.replace(/[*_`[\]]/g, "").trim()).filter(isTopic);
}

/**
 * The first words of a line of text, up to a sign that ends what they say.
 * @param {string} line
 */
function beginningOf(line) {
  const text = /^\s*(?:[-*+]\s+(?:\[.\]\s+)?|\d+[.)]\s+)?([\p{L}\p{N}"'“„«*_].*)$/u.exec(line)?.[1] ?? "";
  const words = text
    .split(/[.,;:!?()–—。、，；：！？]/u)[0]
    .trim()
    .split(/\s+/);
  return words.length > 1 || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{4}/u.test(words[0])
    ? [words.slice(0, FIRST_WORDS).join(" ")]
    : [];
}

/** @param {string} topic */
function isTopic(topic) {
  const length = [...topic].length;
  return length >= 2 && length <= 60 && !EMPTY_HEADING.test(topic);
}

/**
 * Questions about what is in the notes, with the passage that answers each.
 * @param {import("../host.js").Host} host
 * @param {import("../cli/agents.js").OneAgent} agent
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @returns {Promise<Answered[]>}
 */
export async function answeredQuestions(host, { cfg, agentId }, manager) {
  const notes = (await listArtifacts(host, cfg)).filter(({ agentIds }) => agentIds.includes(agentId));
  const newest = notes.map(({ relativePath }) => relativePath).toReversed();
  /** @type {Answered[]} */
  const answered = [];
  for (const relPath of newest.slice(0, NOTES)) {
    if (answered.length === WANTED) break;
    const { text } = await manager.readFile({ relPath, lines: LINES });
    const topic = topicsOf(text).find((name) => !answered.some(({ question }) => question.includes(name)));
    if (!topic) continue;
    const hits = await manager.search(topic, { maxResults: TIED });
    // Short questions tie, and the note that the topic is from is the one that is about it.
    const hit = hits.find((found) => found.path === relPath && found.score === hits[0].score) ?? hits[0];
    if (hit) answered.push({ question: topic, path: hit.path, line: hit.startLine, snippet: hit.snippet, score: hit.score });
  }
  return answered;
}

/**
 * The line of a passage that answers: of those with most words of the question the first, or what stands below it when it
 * is a heading.
 * @param {string} question
 * @param {string} snippet
 */
export function answeringLine(question, snippet) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const lines = snippet.split("\n").map((line) => line.trim());
  const found = lines.map((line) => words.filter((word) => line.toLowerCase().includes(word)).length);
  const best = found.indexOf(Math.max(...found));
  const isText = (/** @type {string} */ line) => line !== "" && !line.startsWith("#");
  return lines.slice(best).find(isText) ?? lines.find(isText) ?? "";
}
