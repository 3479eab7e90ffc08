// The README's table of what works on which host, made of what the suites of the real hosts did when they last ran there.
//
//   npm run hosts               writes the table from the record, __test__/host/results.json
//   npm run hosts -- --record   first takes over what was seen in this working copy (any run of a whole host suite)
//   npm run hosts -- --check    says whether the table is the record's, and the record names what there is

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ALWAYS, BY_TURNS, features } from "../__test__/host/versions.mjs";
import { readOutcomes, SEEN } from "../__test__/support/host-report.mjs";
import { compareVersions } from "../lib/versions.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const [readme, record] = [path.join(root, "README.md"), path.join(root, "__test__/host/results.json")];

const BEGIN = "<!-- hosts: made by `npm run hosts` -->";
const END = "<!-- /hosts -->";

/** What a user knows each suite as. @type {Record<string, string>} */
const TITLES = {
  openclaw: "install, set up, index, search, the agent's tools, remove",
  "active-memory": "active memory before a reply",
  "active-memory-agent": "active memory as an agent that searches",
  "active-memory-privacy": "what active memory sends where",
  "active-memory-turns": "which turns active memory serves, and what it costs them",
  automatic: "recall, capture, short-term memory, session notes",
  "automatic-facts": "stored facts: `memory_store`, `memory_recall`, `memory_forget`",
  "automatic-safety": "nothing lost at compactions, resets and hanging models",
  consolidation: "consolidation into `MEMORY.md`, and taking it back",
  forgetting: "forgetting by words, session, person and date, and taking it back",
  curated: "trigger lines, importance, projects, whose words",
  multimodal: "pictures and sounds",
  intents: "standing intents",
  losses: "the Dreams switch, `/dreaming`",
  page: "the page in the gateway, in a real browser on the oldest and the newest",
  postgres: "the index in a PostgreSQL database",
  predecessors: "switching from memory-core-plus and short-term-memory, as their descriptions say they are",
  "private-recall": "recall of earlier private conversations",
  providers: "embedding providers of the host and of other plugins",
  switch: "weeks with memory-core, then one command: what could be done before, done after",
  takeover: "switching from memory-core and memory-lancedb",
  transcripts: "conversations as a source",
  upgrade: "upgrading from 0.1.0",
};

/** @typedef {import("../__test__/support/host-report.mjs").Outcomes} Outcomes */

const versions = [...ALWAYS, ...BY_TURNS].toSorted(compareVersions);
const suites = ["openclaw", ...features];

/** @param {string} version @param {string} suite */
const exists = (version, suite) => existsSync(path.join(root, `__test__/host/${suite}-${version}.test.mjs`));

/** @param {Outcomes} outcomes @param {string} version @param {string} suite */
function cell(outcomes, version, suite) {
  if (!exists(version, suite)) return "–";
  const seen = outcomes[version]?.[suite];
  if (!seen) return "";
  const { passed, failed, skipped } = seen;
  return failed > 0 ? `✗ ${failed} of ${passed + failed + skipped}` : `✓ ${passed}`;
}

/** @param {Outcomes} outcomes */
function table(outcomes) {
  const known = suites.filter((suite) => versions.some((version) => outcomes[version]?.[suite]));
  const rows = known.map((suite) => [TITLES[suite] ?? suite, ...versions.map((version) => cell(outcomes, version, suite))]);
  const lines = [["OpenClaw", ...versions], ["---", ...versions.map(() => "---")], ...rows];
  return [BEGIN, ...lines.map((cells) => `| ${cells.join(" | ")} |`), END].join("\n");
}

/** What is wrong with the record and with the titles. @param {Outcomes} outcomes */
function complaints(outcomes) {
  const recorded = Object.entries(outcomes).flatMap(([version, all]) => Object.keys(all).map((suite) => ({ version, suite })));
  return [
    ...recorded
      .filter(({ version, suite }) => !exists(version, suite))
      .map((one) => `there is no ${one.suite}-${one.version}.test.mjs any more`),
    ...suites.filter((suite) => !(suite in TITLES)).map((suite) => `${suite} has no title in scripts/hosts.mjs`),
    ...Object.keys(TITLES)
      .filter((suite) => !suites.includes(suite))
      .map((suite) => `scripts/hosts.mjs has a title for ${suite}, which is no suite`),
  ];
}

const outcomes = readOutcomes(record);
if (process.argv.includes("--record")) {
  for (const [version, seen] of Object.entries(readOutcomes(SEEN))) {
    const known = Object.entries(seen).filter(([suite]) => exists(version, suite));
    outcomes[version] = { ...outcomes[version], ...Object.fromEntries(known) };
  }
  const sorted = versions.filter((version) => outcomes[version]).map((version) => [version, outcomes[version]]);
  writeFileSync(record, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
const text = readFileSync(readme, "utf8");
const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
const wrong = complaints(outcomes);
if (from < 0 || to < from) wrong.push(`README.md has no ${BEGIN} … ${END}`);
const written = from < 0 ? text : text.slice(0, from) + table(outcomes) + text.slice(to + END.length);
if (process.argv.includes("--check")) {
  if (written !== text) wrong.push("the table in README.md is not that of __test__/host/results.json: npm run hosts");
} else if (wrong.length === 0) writeFileSync(readme, written);
for (const complaint of wrong) console.error(complaint);
process.exitCode = wrong.length > 0 ? 1 : 0;
