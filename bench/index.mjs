// `npm run bench`: memory-core-rs beside memory-core of an installed host, one fresh process per measurement, and the
// ratios that the project promises.
//   npm run bench -- [--sizes 1000,10000] [--work DIR] [--seconds 20] [--with-2026.4] [--latency-ms 50] [--dims 1536]
// 100,000 chunks are measured for memory-core-rs alone (`--sizes 100000 --alone`): memory-core needs most of an hour.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { installHost } from "../__test__/support/install.mjs";
import { FACE } from "../scripts/ship/stale.mjs";
import { figure, readRows } from "./rows.mjs";

const { values: args } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,10000" },
    scenarios: { type: "string", default: "index,noop,touch,cold,search,legs" },
    work: { type: "string", default: path.join(os.tmpdir(), "memory-core-rs-bench") },
    seconds: { type: "string", default: "20" },
    "latency-ms": { type: "string", default: "0" },
    dims: { type: "string", default: "1536" },
    alone: { type: "boolean", default: false },
    "with-2026.4": { type: "boolean", default: false },
  },
});
const here = import.meta.dirname;
const root = path.dirname(here);
const packageDir = async (/** @type {string} */ version) => path.join(await installHost(version), "node_modules", "openclaw");

/** @type {NodeJS.ProcessEnv} */
const env = { ...process.env, BENCH_RS: path.join(root, FACE) };
const engines = ["rs"];
if (!args.alone) {
  env.BENCH_OC_2026_9 = await packageDir("2026.9.6");
  engines.unshift("oc-2026.9");
}
if (args["with-2026.4"]) {
  env.BENCH_OC_2026_4 = await packageDir("2026.4.12");
  engines.unshift("oc-2026.4");
}
fs.mkdirSync(args.work, { recursive: true });
const results = path.join(args.work, "results.jsonl");
fs.rmSync(results, { force: true });
const flags = ["--work", args.work, "--engines", engines.join(","), "--sizes", args.sizes, "--scenarios", args.scenarios];
flags.push("--seconds", args.seconds, "--latency-ms", args["latency-ms"], "--dims", args.dims, "--timeout-s", "1800");
const run = spawnSync(process.execPath, [path.join(here, "run.mjs"), ...flags], { env, stdio: "inherit" });
if (run.status !== 0) process.exit(run.status ?? 1);
spawnSync(process.execPath, [path.join(here, "report.mjs"), results], { stdio: "inherit" });

// What the project promises against memory-core 2026.9.6, as shares of its figure in the same run.
/** @type {[scenario: string, label: string, at: string, promised: number][]} */
const PROMISES = [
  ["index", "CPU of a full index", "cpuMs", 1 / 20],
  ["search", "p50 of a hybrid search", "sequential.latency.p50", 1 / 40],
  ["search", "CPU of a hybrid search", "sequential.cpuPerSearchMs", 1 / 40],
  ["cold", "open + first result", "openToFirstResultMs", 1 / 10],
  ["index", "peak RSS of the process", "rss.treeMb", 1],
  ["index", "database size", "db.main", 1 / 2],
];
if (Number(args["latency-ms"]) >= 50) PROMISES.push(["index", "time of a full index, ms", "wallMs", 1 / 10]);
const rows = readRows(results);
/** @param {string} engine @param {string} scenario @param {number} chunks */
const rowOf = (engine, scenario, chunks) => rows.find((row) => row.engine === engine && row.scenario === scenario && row.size === chunks);
for (const chunks of args.sizes.split(",").map((size) => Number.parseInt(size, 10))) {
  console.log(`\n### ${chunks.toLocaleString("en")} chunks: memory-core-rs as a share of memory-core 2026.9.6\n`);
  console.log("| what | memory-core | memory-core-rs | ratio | promised at 10,000 |\n|---|---:|---:|---:|---:|");
  for (const [scenario, label, at, promised] of PROMISES) {
    const of = (/** @type {string} */ engine) => figure(rowOf(engine, scenario, chunks), at);
    const [theirs, ours] = [of("oc-2026.9"), of("rs")];
    if (ours === undefined) continue;
    const ratio = theirs === undefined ? "-" : `1/${(theirs / ours).toFixed(1)}`;
    console.log(`| ${label} | ${theirs?.toFixed(1) ?? "-"} | ${ours.toFixed(1)} | ${ratio} | ≤ 1/${(1 / promised).toFixed(0)} |`);
  }
  for (const [scenario, at] of [
    ["index", "loop.p99Ms"],
    ["search", "concurrent.2.loop.p99Ms"],
  ]) {
    const row = rowOf("rs", scenario, chunks);
    const what = scenario === "index" ? "full index" : "32 searches at once";
    if (row) console.log(`| event-loop delay p99, ${what}, ms | | ${figure(row, at)?.toFixed(2)} | | < 3 |`);
  }
}
