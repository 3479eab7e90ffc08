// The goals of a memory on PostgreSQL, beside a file and in one run: searches, indexing and first answers with a server that is a
// millisecond away, how often it is waited for, words of another process, and what is paid for again.
//   npm run lab -- fleet-goals [--chunks 100000 --small 10000 --dims 384 --delay-ms 1]
// Needs an addon that speaks with PostgreSQL. Starts PostgreSQL 18 (npm run pg), unless MEMORY_CORE_TEST_PG names a server, and the
// embedding server of the benchmark, whose vectors are made up.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildCorpus } from "../../bench/corpus.mjs";
import { binFolder } from "../postgres/binaries.mjs";
import { openLine } from "./fleet-line.mjs";

const { values } = parseArgs({
  options: {
    chunks: { type: "string", default: "100000" },
    small: { type: "string", default: "10000" },
    dims: { type: "string", default: "384" },
    "delay-ms": { type: "string", default: "1" },
  },
});
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const server =
  process.env.MEMORY_CORE_TEST_PG || execFileSync(process.execPath, [here("../postgres.mjs"), "start"], { encoding: "utf8" }).trim();
const schema = `goals_${process.pid}`;
const psql = (/** @type {string} */ sql) => execFileSync(path.join(binFolder("18"), "psql"), [server, "-qc", sql], { stdio: "pipe" });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "fleet-goals-"));
const counter = path.join(folder, "waits");
psql("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
const line = await openLine(new URL(server), Number(values["delay-ms"]), counter);

const embedding = spawn(process.execPath, [here("../../bench/embed-server.mjs"), "--dims", values.dims], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [first] = await once(createInterface(embedding.stdout), "line");
const embedUrl = `http://127.0.0.1:${JSON.parse(first).port}`;
/** Texts that were paid for so far. @returns {Promise<number>} */
const paid = async () => /** @type {any} */ (await (await fetch(`${embedUrl}/__stats`)).json()).inputs;

/**
 * A probe in a process of its own: what it prints, and a promise for when it is ready.
 * @param {Omit<import("./fleet-goals-probe.mjs").Job, "embedUrl">} job
 */
function probe(job) {
  const child = spawn(process.execPath, [here("fleet-goals-probe.mjs"), JSON.stringify({ ...job, embedUrl })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let ready = () => {};
  const isReady = new Promise((done) => (ready = () => done(undefined)));
  const told = (async () => {
    let last = "";
    for await (const text of createInterface(child.stdout)) {
      if (text === "ready") ready();
      else last = text;
    }
    if (!last) throw new Error(`${job.what} failed`);
    return JSON.parse(last);
  })();
  return { told, isReady, go: () => child.stdin.write("go\n") };
}
/** @type {[what: string, goal: string, file: string, database: string][]} */
const table = [];
const note = (/** @type {string} */ what, goal = "", file = "–", database = "–") => {
  table.push([what, goal, file, database]);
  console.error(`${new Date().toISOString().slice(11, 19)} load ${os.loadavg()[0].toFixed(1)}: ${what}: ${file}, ${database}`);
};
const ms = (/** @type {number} */ time) =>
  time < 100 ? `${time.toFixed(1)} ms` : time < 10_000 ? `${time.toFixed(0)} ms` : `${(time / 1000).toFixed(1)} s`;
const share = (/** @type {any} */ times) => `${ms(times.p50)}, p95 ${ms(times.p95)}`;

/** Notes of about so many chunks, and a file and a tenant for them. @param {string} chunks */
function place(chunks) {
  const workspace = path.join(folder, `notes-${chunks}`);
  buildCorpus({ out: workspace, chunks: Number(chunks) });
  const of = (/** @type {string} */ what, /** @type {object} */ more = {}) =>
    probe({ what, workspace, state: path.join(folder, `file-${chunks}`), ...more });
  const there = { url: line.url, schema: `${schema}_${chunks}`, state: path.join(folder, `database-${chunks}`), counter };
  const at = (/** @type {string} */ what, /** @type {object} */ more = {}) => of(what, { ...there, ...more });
  return { workspace, of, at, schema: there.schema };
}

/** What an update of one changed note took. @param {ReturnType<typeof probe>} writer */
async function changed(writer) {
  await writer.isReady;
  writer.go();
  return await writer.told;
}

/** The same from a file and in the database, with nobody else at it. @param {ReturnType<typeof place>} there @param {number} chunks */
async function noteChange({ of, at }, chunks) {
  const [inFile, inDatabase] = [await changed(of("write", { token: "xylograph" })), await changed(at("write", { token: "quillwort" }))];
  note(
    `a whole update with one changed note, ${chunks} chunks`,
    "",
    ms(inFile.syncMs),
    `${ms(inDatabase.syncMs)}, ${inDatabase.waits} waits`,
  );
}

const started = { load: os.loadavg()[0].toFixed(1), at: new Date().toISOString() };
/** @type {ReturnType<typeof place>[]} */
const places = [];
try {
  const small = place(values.small);
  places.push(small);
  const [inFile, inDatabase] = [await small.of("index").told, await small.at("index").told];
  note(
    `full index, ${inFile.chunks} chunks`,
    "≤ 1.5 × file",
    ms(inFile.indexMs),
    `${ms(inDatabase.indexMs)}, ${(inDatabase.indexMs / inFile.indexMs).toFixed(2)} ×`,
  );
  let before = await paid();
  await small.at("again").told;
  note("texts paid for again by a rebuild", "0", "–", String((await paid()) - before));
  before = await paid();
  await small.at("index", { agent: "second" }).told;
  note("by a second agent of the tenant", "0", "–", String((await paid()) - before));
  const [smallFile, smallFirst] = [await small.of("first").told, await small.at("first").told];
  const both = (/** @type {any} */ first) => `words ${ms(first.wordsMs)}, meaning ${ms(first.bothMs)}`;
  note(`first answers of an empty process, ${inFile.chunks} chunks`, "≤ 1 s", both(smallFile), both(smallFirst));

  const token = "zylophanter";
  const other = path.join(folder, "elsewhere");
  const reader = small.at("find", { state: other, token, counter: undefined });
  await reader.isReady;
  const [written, found] = [await changed(small.at("write", { token })), await reader.told];
  note("a new word in another process, after it was written", "≤ 2.5 s", "–", ms(Math.max(0, found.at - written.at)));
  await noteChange(small, inFile.chunks);

  const large = place(values.chunks);
  places.push(large);
  const largeFile = await large.of("index").told;
  before = await paid();
  const { copied } = await large.at("copy", { state: path.join(folder, `file-${values.chunks}`) }).told;
  const largeDatabase = await large.at("index").told;
  note(`by a copy of ${copied.vectors} vectors, and the index after it`, "0", "–", String((await paid()) - before));
  note(`index, ${largeFile.chunks} chunks, vectors there in the database`, "", ms(largeFile.indexMs), ms(largeDatabase.indexMs));
  await noteChange(large, largeFile.chunks);
  note(
    `first answers of an empty process, ${largeFile.chunks} chunks`,
    "≤ 5 s",
    both(await large.of("first").told),
    both(await large.at("first").told),
  );
  psql(`ANALYZE`);
  const [ofFile, ofDatabase] = [await large.of("search").told, await large.at("search").told];
  note(`hybrid search, ${largeFile.chunks} chunks, all in memory: p50`, "≤ 20 ms", share(ofFile.warm), share(ofDatabase.warm));
  note("with rows that are not, and a question to embed", "≤ 30 ms", share(ofFile.cold), share(ofDatabase.cold));
  note("by words alone, all in memory", "", share(ofFile.warmWords), share(ofDatabase.warmWords));
  note("waits of a search: warm, cold", "1, 2", "–", `${ofDatabase.warm.waits.toFixed(2)}, ${ofDatabase.cold.waits.toFixed(2)}`);
  const far = await large.at("search", { search: "database" }).told;
  note("the same with vectors compared by the database: warm, cold", "", "–", `${share(far.warm)}; ${share(far.cold)}`);
} finally {
  console.log(
    `${os.cpus().length} cores, load ${started.load} to ${os.loadavg()[0].toFixed(1)}, from ${started.at}; vectors of ${values.dims} numbers, ${values["delay-ms"]} ms\n`,
  );
  console.log("| | goal | file | PostgreSQL |\n| --- | ---: | ---: | ---: |");
  for (const row of table) console.log(`| ${row.join(" | ")} |`);
  embedding.kill();
  line.close();
  for (const { schema: name } of places) psql(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
  fs.rmSync(folder, { recursive: true });
}
