// Runs the engine of an installed host 2026.4.12 on one job.
//
//   node host-engine.mjs PACKAGE_DIR JOB.json ANSWER.json
//
// A job is { chunk: [{ text, tokens, overlap }] } or { home, now, searches: [{ workspace, memorySearch, queries }] }.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [packageDir, jobFile, answerFile] = process.argv.slice(2);
const job = JSON.parse(fs.readFileSync(jobFile, "utf8"));
const load = (/** @type {string} */ file) => import(pathToFileURL(path.join(packageDir, "dist", file)).href);

/** @param {{text: string, tokens: number, overlap: number}[]} cases */
async function chunk(cases) {
  const { chunkMarkdown } = await load("plugin-sdk/memory-core-host-engine-storage.js");
  // The database that keeps the text has no lone surrogates: they are stored as U+FFFD.
  return cases.map(({ text, ...chunking }) =>
    chunkMarkdown(text, chunking).map((/** @type {any} */ c) => [c.startLine, c.endLine, c.text.toWellFormed()]),
  );
}

/**
 * @param {object} job
 * @param {string} job.home
 * @param {number} job.now
 * @param {{workspace: string, memorySearch: object, queries: {query: string}[]}[]} job.searches
 */
async function search({ home, now, searches }) {
  process.env.HOME = home;
  process.env.OPENCLAW_STATE_DIR = path.join(home, "state");
  fs.mkdirSync(home, { recursive: true });
  const { getMemorySearchManager } = await load("extensions/memory-core/runtime-api.js");
  const answers = [];
  for (const { workspace, memorySearch, queries } of searches) {
    const cfg = { agents: { defaults: { workspace, memorySearch } } };
    const { manager, error } = await getMemorySearchManager({ cfg, agentId: "main" });
    if (!manager) throw new Error(error);
    await manager.sync({ reason: "oracle" });
    const clock = Date.now;
    Date.now = () => now;
    const results = [];
    for (const { query, ...options } of queries) results.push(await manager.search(query, options));
    Date.now = clock;
    answers.push(results);
    await manager.close();
  }
  return answers;
}

const answer = job.chunk ? await chunk(job.chunk) : await search(job);
fs.writeFileSync(answerFile, JSON.stringify(answer));
process.exit(0);
