// `npm run eval`: which evidence a search really shows, for memory-core-rs and, in the same run, for memory-core of an
// installed host. Prints one table per set.
//   npm run eval -- [--sets exact,time] [--engines keywords,embedded,memory-core] [--external DIR …]
//                   [--endpoint URL --model NAME] [--hosts 2026.9.6,2026.4.12] [--alone] [--failures] [--work DIR]
//                   [--halves dev]
// `--external` takes further sets: folders of cases, each with ws/, queries.jsonl and meta.json. `--endpoint` adds hybrid
// search over an OpenAI-compatible endpoint, for both engines. `--halves` leaves the other turns of a chat, or questions about
// documentation, alone: rules are tuned on one half, and shown on the other.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { installHost } from "../__test__/support/install.mjs";
import { activeRates, MODELS, runActive } from "./active.mjs";
import { answerRates, runAnswers } from "./answers.mjs";
import { besideOf, runBeside } from "./beside.mjs";
import { casesOf, readQueries } from "./cases.mjs";
import { documentRates, makeDocumentCase, readDocumentQuestions, scoreDocument } from "./documents.mjs";
import { scoreQuery, summarise } from "./metrics.mjs";
import { kindOf, readMeta, recallRates, runRecall } from "./recall.mjs";

const { values: args } = parseArgs({
  options: {
    sets: { type: "string", default: "" },
    engines: { type: "string", default: "" },
    external: { type: "string", multiple: true, default: [] },
    endpoint: { type: "string" },
    model: { type: "string", default: "all-minilm-l6-v2" },
    hosts: { type: "string", default: "2026.9.6" },
    alone: { type: "boolean", default: false },
    failures: { type: "boolean", default: false },
    halves: { type: "string", default: "" },
    work: { type: "string", default: path.join(os.tmpdir(), "memory-core-rs-eval") },
  },
});
const here = import.meta.dirname;
const list = (/** @type {string} */ text) => text.split(",").filter(Boolean);

/**
 * What answers: an adapter with a provider, or the memory-core of a host.
 * @typedef {{name: string, adapter: string, provider: string, embed?: {baseUrl: string, model: string}, host?: string}} Engine
 */

const embed = args.endpoint ? { baseUrl: args.endpoint, model: args.model } : undefined;
/** @type {Engine[]} */
const engines = [
  { name: "keywords", adapter: "ours.mjs", provider: "none" },
  { name: "embedded", adapter: "ours.mjs", provider: "embedded" },
  ...(embed ? [{ name: "hybrid", adapter: "ours.mjs", provider: "openai", embed }] : []),
];
for (const version of args.alone ? [] : list(args.hosts)) {
  const host = path.join(await installHost(version), "node_modules", "openclaw");
  engines.push({ name: `memory-core ${version} keywords`, adapter: "memory-core.mjs", provider: "none", host });
  if (embed) engines.push({ name: `memory-core ${version} hybrid`, adapter: "memory-core.mjs", provider: "openai", embed, host });
}
const wanted = list(args.engines);
const chosen = engines.filter((engine) => wanted.length === 0 || wanted.some((name) => engine.name.startsWith(name)));

const own = path.join(here, "sets");
// Other folders there hold labelled messages, not questions.
const sets = fs
  .readdirSync(own)
  .filter((name) => fs.statSync(path.join(own, name)).isDirectory() && casesOf(path.join(own, name)).length > 0);
const picked = list(args.sets);
const halves = args.halves ? list(args.halves) : undefined;
const roots = [
  ...sets.filter((name) => picked.length === 0 || picked.includes(name)).map((name) => path.join(own, name)),
  ...args.external,
];

/**
 * Runs all queries of a case through an engine, in a process of its own; the results by the id of the query.
 * @param {Engine} engine @param {string} caseDir @param {string} label
 * @returns {Record<string, import("./metrics.mjs").Found>}
 */
function runCase(engine, caseDir, label) {
  const out = path.join(args.work, "runs", engine.name.replaceAll(" ", "-"), `${label}.json`);
  const state = path.join(args.work, "state", engine.name.replaceAll(" ", "-"), label);
  fs.rmSync(state, { recursive: true, force: true });
  fs.rmSync(out, { force: true });
  for (const dir of [path.dirname(out), state]) fs.mkdirSync(dir, { recursive: true });
  // The engine works on a copy: hosts write into workspaces.
  const workspace = path.join(state, "workspace");
  fs.cpSync(path.join(caseDir, "ws"), workspace, { recursive: true });
  const { now } = JSON.parse(fs.readFileSync(path.join(caseDir, "meta.json"), "utf8"));
  const job = {
    ...engine,
    workspace,
    out,
    stateDir: path.join(state, "state"),
    queries: path.join(caseDir, "queries.jsonl"),
    nowMs: now * 1000,
  };
  const child = spawnSync(process.execPath, [path.join(here, "run.mjs"), JSON.stringify(job)], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    env: { ...process.env, OPENCLAW_STATE_DIR: job.stateDir, TZ: "UTC" },
  });
  if (!fs.existsSync(out)) throw new Error(`${engine.name} on ${label}: ${child.stderr.slice(-2000)}`);
  return JSON.parse(fs.readFileSync(out, "utf8"));
}

/** Only our engines answer sets that ask more than one thing of each question. */
const ours = chosen.filter(({ adapter, embed: remote }) => adapter === "ours.mjs" && !remote);

const COLUMNS = ["seen@6", "seen+6", "more", "hit@6", "rank1", "mrr", "b2000", "shown", "shown2000", "none", "overlap"];
/** Turns of a chat instead of questions: what automatic recall shows beside each. Only ours does that. @param {string} root */
async function printRecall(root) {
  console.log(`\n### ${path.basename(root)}: turns of a chat, and the notes shown beside them\n`);
  console.log("| engine | half | turns | right note | needless block |\n|---|---|---:|---:|---:|");
  for (const engine of ours) {
    await rows(engine, {});
    await rows({ ...engine, name: `${engine.name}, or what is nearest` }, { autoRecallUnsure: "nearest" });
  }

  /** @param {Engine} engine @param {Record<string, unknown>} config */
  async function rows(engine, config) {
    const outcomes = await runRecall(root, engine.provider, halves, config);
    for (const half of halves ?? readMeta(root).halves) {
      const { turns, right, needless } = recallRates(outcomes.filter(({ turn }) => turn.half === half));
      console.log(`| ${engine.name} | ${half} | ${turns} | ${right.toFixed(1)} | ${needless.toFixed(1)} |`);
    }
    if (args.failures) {
      for (const { turn, ok } of outcomes) if (!ok) console.log(`  ${engine.name}: ${turn.category}: ${turn.query}`);
    }
  }
}

/** The same turns with active memory, by what follows a rule in the place of a model. @param {string} root */
async function printActive(root) {
  console.log(`\n### ${path.basename(root)}: active memory beside each turn\n`);
  console.log(
    "| engine | mode | model | right note | right of shown | must not be shown | invented | needless block | in ordinary turns | asked | " +
      "asked for nothing | in ordinary turns | tokens a call | tokens a turn |",
  );
  console.log(`|---|---|---|${"---:|".repeat(11)}`);
  for (const engine of ours) {
    for (const mode of ["escalate", "always"]) {
      for (const model of Object.keys(MODELS)) {
        await row(engine, { model, mode, answer: "pick" });
      }
      // A line in the model's own words is where inventions could come through.
      await row(engine, { model: "liar", mode, answer: "summary" });
    }
  }

  /** @param {Engine} engine @param {{model: string, mode: string, answer: "pick" | "summary"}} how */
  async function row(engine, how) {
    const r = activeRates(await runActive(root, engine.provider, how, halves));
    const shares = [r.right, r.gold, r.leaked, r.invented, r.needless, r.ordinaryNeedless, r.asked, r.askedForNothing, r.ordinaryAsked];
    const cells = [...shares, r.tokensPerCall, r.tokensPerTurn].map((value) => value.toFixed(1));
    const model = how.answer === "pick" ? how.model : `${how.model}, in its own words`;
    console.log(`| ${[engine.name, how.mode, model, ...cells].join(" | ")} |`);
  }
}

/** Questions with and without an answer in the notes. @param {string} root */
async function printAnswers(root) {
  console.log(`\n### ${path.basename(root)}: questions with and without an answer\n`);
  console.log("| engine | written | answered | shown | right line | unanswered | nothing found | nothing recalled |");
  console.log(`|---|---|${"---:|".repeat(6)}`);
  for (const engine of ours) {
    rows(engine.name, await runAnswers(root, engine.provider));
    if (besideOf(root)) {
      const { others, own } = await runBeside(root, engine.provider);
      rows(`${engine.name}, beside notes in its language`, others);
      rows(`${engine.name}, about those`, own);
    }
  }

  /** @param {string} name @param {import("./answers.mjs").Outcome[]} outcomes */
  function rows(name, outcomes) {
    for (const half of new Set(outcomes.map(({ question }) => question.half))) {
      const r = answerRates(outcomes.filter(({ question }) => question.half === half));
      const percent = [r.shown, r.right, r.empty, r.silent].map((value) => value.toFixed(1));
      const cells = [
        name,
        half === "before" || half === "after" ? `${half} tuning` : half,
        r.answered,
        percent[0],
        percent[1],
        r.unanswered,
        percent[2],
        percent[3],
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
    if (args.failures) {
      for (const { question, right } of outcomes)
        if (!right) console.log(`  ${name}: ${question.lang}: ${question.category}: ${question.query}`);
    }
  }
}

/** Questions about the documentation of a host, by category and half. @param {string} root */
async function printDocuments(root) {
  const name = path.basename(root);
  const { host } = JSON.parse(fs.readFileSync(path.join(root, "meta.json"), "utf8"));
  const pages = path.join(await installHost(host), "node_modules", "openclaw", "docs");
  const caseDir = path.join(args.work, "cases", name);
  makeDocumentCase(root, pages, caseDir);
  const questions = readDocumentQuestions(root, halves);
  console.log(`\n### ${name}: questions about documentation, in the budget\n`);
  console.log("| engine | half | category | questions | shown | whole | wrong passage | wrong page | nothing | repeats |");
  console.log(`|---|---|---|${"---:|".repeat(7)}`);
  for (const engine of chosen) {
    const found = runCase(engine, caseDir, name);
    const scores = questions.map((question) => scoreDocument(question, found[question.id].budget));
    for (const half of new Set(questions.map((question) => question.half))) {
      const ofHalf = scores.filter(({ question }) => question.half === half);
      for (const category of [...new Set(ofHalf.map(({ question }) => question.category)), undefined]) {
        const of = category ? ofHalf.filter(({ question }) => question.category === category) : ofHalf;
        const { count, ...rates } = documentRates(of);
        const cells = [engine.name, half, category ?? "all", count, ...Object.values(rates).map((rate) => rate.toFixed(1))];
        console.log(`| ${cells.join(" | ")} |`);
      }
    }
    if (args.failures) {
      for (const { question, shown, outcomes } of scores)
        if (shown < 1) console.log(`  ${engine.name}: ${question.category}: ${outcomes.join(", ")}: ${question.query}`);
    }
  }
}

/** @type {Record<string, (root: string) => Promise<void>>} */
const PRINTERS = { recall: printRecall, answers: printAnswers, documents: printDocuments };
for (const root of roots) {
  const print = PRINTERS[kindOf(root) ?? ""];
  if (print) {
    await print(root);
    if (print === printRecall) await printActive(root);
    continue;
  }
  /** @type {[engine: string, sums: Record<string, number>][]} */
  const rows = [];
  for (const engine of chosen) {
    const scores = [];
    for (const caseDir of casesOf(root)) {
      const label = `${path.basename(root)}-${path.basename(caseDir)}`;
      const found = runCase(engine, caseDir, label);
      for (const query of readQueries(caseDir)) scores.push(scoreQuery(query, found[query.id], path.join(caseDir, "ws")));
    }
    rows.push([engine.name, summarise(scores)]);
    if (args.failures) {
      for (const { ok, category, query } of scores) if (!ok) console.log(`  ${engine.name}: ${category}: ${query}`);
    }
  }
  console.log(`\n### ${path.basename(root)} (${rows[0]?.[1].count ?? 0} queries)\n`);
  console.log(`| engine | ${COLUMNS.join(" | ")} |\n|---|${"---:|".repeat(COLUMNS.length)}`);
  for (const [name, sums] of rows) {
    console.log(`| ${name} | ${COLUMNS.map((column) => sums[column]?.toFixed(1) ?? "–").join(" | ")} |`);
  }
}
