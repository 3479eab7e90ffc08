// Writes THIRD-PARTY-NOTICES.md; with --check only says whether it is current.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { linkedCrates } from "./ship/crates.mjs";
import { allowedLicences, renderNotices } from "./ship/notices.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = path.join(root, "THIRD-PARTY-NOTICES.md");
/** @param {string} name */
const read = (name) => readFileSync(path.join(root, name), "utf8");

const { napi } = JSON.parse(read("package.json"));
const crates = linkedCrates(root, napi.targets);
const stemmers = crates.find(({ name }) => name === "rust-stemmers");
if (!stemmers) throw new Error("rust-stemmers is not linked any more: take the part about Snowball out of scripts/notices.mjs");

// What others made that no package of Cargo's declares.
const PARTS = [
  {
    title: "SQLite",
    body: "The addon holds SQLite (<https://sqlite.org>), which its authors dedicated to the public domain.",
  },
  {
    title: "Snowball",
    body: [
      "The stemmers of rust-stemmers are generated from the algorithms of the Snowball project (<https://snowballstem.org>):",
      "",
      "```text",
      readFileSync(path.join(stemmers.folder, "algorithms/LICENSE"), "utf8").trim(),
      "```",
    ].join("\n"),
  },
  {
    title: "Stop words",
    body: [
      "The lists of stop-words come from NLTK (<https://www.nltk.org>, Apache-2.0), which has most of them from the Snowball",
      "project (above).",
    ].join("\n"),
  },
  {
    title: "all-MiniLM-L6-v2",
    body: [
      ...["The embedded model and the words of similar meaning:", "", "```text", read("model/NOTICE").trim(), "```", ""],
      "The text of the Apache License 2.0 is below, at the packages under it.",
    ].join("\n"),
  },
];

const notices = renderNotices(crates, allowedLicences(read("deny.toml")), PARTS);
if (!process.argv.includes("--check")) {
  writeFileSync(file, notices);
  console.log(`${path.basename(file)}: ${Math.round(notices.length / 1024)} KB`);
} else if (!existsSync(file) || readFileSync(file, "utf8") !== notices) {
  console.error(`${path.basename(file)} is not current: run "npm run notices" and commit it`);
  process.exitCode = 1;
}
