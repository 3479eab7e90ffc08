// Runs the packed plugin in real hosts, with `--all` every suite on every host. A real host waits for clocks, ports and
// other processes: a file that fails is run once more on a new host, which is said, and its second result counts. Where the
// tests must end in time (MEMORY_CORE_TESTS_END, seconds since the epoch), a machine that is too slow leaves out what has its turn
// by the commit, and says so.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { always, byTurns, everything, filesOf, TURNS } from "../__test__/host/versions.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** More failed files than this are no accident of a busy machine. */
const MOST_RETRIED = 4;
const DAY_MS = 86_400_000;

/** @typedef {{name: string, status: string, assertionResults: {status: string}[]}} FileResult */

/** Whose turn it is: by the commit, so that the same commit tests the same; without git by the day. */
function turnOf() {
  const commit = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).stdout?.trim();
  if (commit) return { turn: Number.parseInt(commit.slice(0, 8), 16) % TURNS, by: `commit ${commit.slice(0, 8)}` };
  const day = Math.floor(Date.now() / DAY_MS);
  return { turn: day % TURNS, by: `day ${day}` };
}

/**
 * @param {string[]} files
 * @returns {FileResult[]}
 */
function run(files) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-hosts-"));
  const report = path.join(folder, "report.json");
  try {
    const kept = "--reporter=./__test__/support/host-report.mjs";
    const reporters = ["--reporter=default", kept, "--reporter=json", `--outputFile.json=${report}`];
    const args = ["run", "--project", "host", "--project", "more-hosts", ...reporters, ...files];
    const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
    const { status, signal } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: "inherit" });
    if (!existsSync(report)) throw new Error(`vitest ended with ${signal ?? status} and left no report`);
    /** @type {FileResult[]} */
    const results = JSON.parse(readFileSync(report, "utf8")).testResults;
    if (status !== 0 && results.every((file) => file.status === "passed")) throw new Error(`vitest ended with ${status}`);
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
const relative = (file) => path.relative(root, file).split(path.sep).join("/");

/** Tests of some files that ended in a way. @param {FileResult[]} files @param {string} status */
const count = (files, status) => files.flatMap((file) => file.assertionResults).filter((test) => test.status === status).length;

const { turn, by } = turnOf();
const first = process.argv.includes("--all") ? everything() : always(turn);
const then = process.argv.includes("--all") ? [] : byTurns(turn);
const hosts = [...new Set([...first, ...then].map(({ version }) => version))];
console.log(`Real hosts: ${hosts.join(", ")} (turn ${turn + 1} of ${TURNS} by ${by})`);
const files = first.flatMap(filesOf);
const began = Date.now();
/** @type {Map<string, FileResult>} */
const results = new Map(run(files).map((result) => [relative(result.name), result]));

const more = then.flatMap(filesOf);
const end = Number(process.env.MEMORY_CORE_TESTS_END || Number.POSITIVE_INFINITY) * 1000;
const theirsMs = ((Date.now() - began) * more.length) / files.length;
const isTime = Date.now() + theirsMs < end;
if (isTime && more.length > 0) {
  files.push(...more);
  for (const result of run(more)) results.set(relative(result.name), result);
}

const failed = files.filter((file) => results.get(file)?.status !== "passed");
const retried = failed.length <= MOST_RETRIED ? failed : [];
if (retried.length > 0) {
  console.log(`Run once more, each on a new host: ${retried.join(", ")}`);
  for (const result of run(retried)) results.set(relative(result.name), result);
}
console.log("");
for (const hostRun of isTime ? [...first, ...then] : first) {
  const own = filesOf(hostRun).flatMap((file) => results.get(file) ?? []);
  const again = retried.filter((file) => filesOf(hostRun).includes(file)).length;
  const counts = ["passed", "failed", "skipped"].map((status) => `${count(own, status)} ${status}`).join(", ");
  console.log(`OpenClaw ${hostRun.version}: ${hostRun.suites.join(", ")}: ${counts}${again > 0 ? `, ${again} files run twice` : ""}`);
}
if (!isTime) console.log(`Left out, these would have taken ${Math.round(theirsMs / 60_000)} minutes more: ${more.join(", ")}`);
const broken = files.filter((file) => results.get(file)?.status !== "passed");
if (broken.length > 0) {
  console.error(`Failed in real hosts: ${broken.join(", ")}`);
  process.exitCode = 1;
}
