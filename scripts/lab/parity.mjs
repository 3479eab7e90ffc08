// Whether PostgreSQL shows what a file does: the first six results of each question of eval/sets and of 200 questions of the
// benchmark's notes, by words alone and with the embedded model, from a file, from a database with vectors in memory, and from
// one that compares them itself. Prints a table, and the questions that are answered otherwise.
//   npm run lab -- parity [--chunks 3000 --sets exact,time]
// Starts PostgreSQL 18 (npm run pg), unless MEMORY_CORE_TEST_PG names a server.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildCorpus } from "../../bench/corpus.mjs";
import { casesOf } from "../../eval/cases.mjs";
import { binFolder } from "../postgres/binaries.mjs";

const { values } = parseArgs({ options: { chunks: { type: "string", default: "3000" }, sets: { type: "string", default: "" } } });
const start = () => execFileSync(process.execPath, ["scripts/postgres.mjs", "start"], { encoding: "utf8" }).trim();
const url = process.env.MEMORY_CORE_TEST_PG || start();
const schema = `parity_${process.pid}`;
const psql = (/** @type {string} */ sql) => execFileSync(path.join(binFolder("18"), "psql"), [url, "-qc", sql], { stdio: "pipe" });

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "parity-"));
const notes = path.join(folder, "bench");
const { queries } = buildCorpus({ out: path.join(notes, "ws"), chunks: Number(values.chunks) });
fs.writeFileSync(path.join(notes, "meta.json"), JSON.stringify({ now: Date.UTC(2026, 10, 20) / 1000 }));
fs.writeFileSync(path.join(notes, "queries.jsonl"), queries.map((query, at) => JSON.stringify({ id: `bench/${at}`, query })).join("\n"));
const wanted = values.sets.split(",").filter(Boolean);
const sets = fs
  .readdirSync("eval/sets")
  .filter((name) => casesOf(path.join("eval/sets", name)).length > 0 && (wanted.length === 0 || wanted.includes(name)))
  .map((name) => path.join("eval/sets", name));

psql("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
const { status } = spawnSync(
  "cargo",
  ["run", "--locked", "--profile", "local", "-p", "cli", "--features", "postgres", "--", "parity", "--schema", schema, ...sets, notes],
  { env: { ...process.env, MEMORY_PG_URL: url }, stdio: "inherit" },
);
psql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
fs.rmSync(folder, { recursive: true });
process.exit(status ?? 1);
