// Sets of labelled questions on disk: a case is a folder with ws/ (the workspace), queries.jsonl and meta.json ({now}, in
// seconds since 1970). A set is a case or a folder of cases.
import fs from "node:fs";
import path from "node:path";

/** The cases of a set, in the order of their names. @param {string} root @returns {string[]} */
export function casesOf(root) {
  if (fs.existsSync(path.join(root, "queries.jsonl"))) return [root];
  const below = fs.readdirSync(root).map((name) => path.join(root, name));
  return below.filter((dir) => fs.existsSync(path.join(dir, "queries.jsonl"))).sort();
}

/**
 * The questions of a case. No evidence means that nothing should be found.
 * @typedef {{id: string, category: string, query: string, evidence: [string, number][]}} Query
 * @param {string} caseDir @returns {Query[]}
 */
export function readQueries(caseDir) {
  const text = fs.readFileSync(path.join(caseDir, "queries.jsonl"), "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line));
}
