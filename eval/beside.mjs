// Notes in two languages: those of a set, and beside them the ones that another set has in the language of its questions.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runAnswers } from "./answers.mjs";
import { readTurns } from "./recall.mjs";

/** The set whose notes stand beside those of this one; none of most. @param {string} root @returns {string | undefined} */
export function besideOf(root) {
  const { beside } = JSON.parse(fs.readFileSync(path.join(root, "meta.json"), "utf8"));
  return beside && path.join(path.dirname(root), beside);
}

/**
 * Asks each question of a set beside notes in its own language, and what those are asked; the outcomes apart.
 * @param {string} root @param {string} provider
 * @returns {Promise<{others: import("./answers.mjs").Outcome[], own: import("./answers.mjs").Outcome[]}>}
 */
export async function runBeside(root, provider) {
  const beside = besideOf(root);
  if (!beside) throw new Error(`${root} names no notes that could stand beside its own`);
  const [others, own] = [readTurns(root), readTurns(beside)];
  const folderOf = (/** @type {string} */ lang) => path.join(beside, "ws", "memory", lang);
  const languages = [...new Set(others.map(({ lang }) => lang))].filter((lang) => fs.existsSync(folderOf(lang)));
  const outcomes = [];
  for (const lang of languages) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-beside-"));
    fs.cpSync(path.join(root, "ws"), path.join(dir, "ws"), { recursive: true });
    fs.cpSync(folderOf(lang), path.join(dir, "ws", "memory", lang), { recursive: true });
    fs.copyFileSync(path.join(root, "meta.json"), path.join(dir, "meta.json"));
    const asked = [...others, ...own].filter((question) => question.lang === lang);
    fs.writeFileSync(path.join(dir, "queries.jsonl"), asked.map((question) => `${JSON.stringify(question)}\n`).join(""));
    try {
      outcomes.push(...(await runAnswers(dir, provider)));
    } finally {
      fs.rmSync(dir, { recursive: true, force: true });
    }
  }
  const isOwn = new Set(own.map(({ id }) => id));
  return {
    others: outcomes.filter(({ question }) => !isOwn.has(question.id)),
    own: outcomes.filter(({ question }) => isOwn.has(question.id)),
  };
}
