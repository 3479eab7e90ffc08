// A home server's life in fast motion: edits, searches, restarts, a second process and a provider that fails. Memory,
// descriptors, threads and the database must not grow.
//   npm run lab -- soak [--minutes 60] [--files 400] [--seed N] [--json samples.json]
// Its index is a file, or in the database that MEMORY_CORE_SOAK_DATABASE says (soak-fleet).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { held } from "../../__test__/support/held.mjs";
import { tableSizes } from "../../__test__/support/postgres.mjs";
import { startProvider } from "../../__test__/support/provider.mjs";
import { random } from "../../__test__/support/random.mjs";
import { quantiles } from "../../bench/quantiles.mjs";
import { MemoryIndexManager } from "../../index.js";
import { PLUGIN_ID } from "../../lib/package-info.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    files: { type: "string", default: "400" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    json: { type: "string" },
  },
});

const CHILD = fileURLToPath(new URL("../../__test__/process/index-once.mjs", import.meta.url));
const SAMPLE_MS = 5_000;
/** Share of the time that counts as warming up. */
const WARM_UP = 0.35;
/** Minutes that a run must last for its thirds to be alike: pools and caches are then as full as they get. */
const SETTLED_MINUTES = 10;
const isShort = Number(values.minutes) < SETTLED_MINUTES;
/** Time limit of a search, and how late an answer may be on a busy machine, in milliseconds. */
const DEADLINE_MS = 2000;
const LATE_MS = 500;
/** Vectors kept beside those in use. */
const MAX_VECTORS = 6_000;
/**
 * Growth between the middle third and the last one that counts as flat: a share, and what is noise in any case. Pools
 * of connections fill and empty while it works, and the log is cut when it is full: what leaks slowly shows between
 * closing and opening.
 */
const FLAT = {
  rssMiB: { share: 0.06, noise: isShort ? 48 : 8 },
  // Two for a connection to the provider, which is in this process: between 35 and 71 of one run, few just after a restart.
  fds: { share: 0, noise: isShort ? 36 : 8 },
  threads: { share: 0, noise: 1 },
  databaseMiB: { share: 0.05, noise: 2 },
  logMiB: { share: 0, noise: 16 },
};
/** The same of what is held between closing and opening. */
const FLAT_CLOSED = { fds: { share: 0, noise: 5 }, threads: { share: 0, noise: 1 } };
/** How long connections to the provider, with both their ends here, may outlive a manager: a search's whole deadline. */
const UNWINDING_MS = DEADLINE_MS + LATE_MS;
const UNWINDING_PAUSE_MS = 20;
/** How long vectors may be missing after the last outage: the breaker's minute, and the pass after it. */
const RECOVERY_MS = 90_000;

const next = random(Number(values.seed));
const chance = (/** @type {number} */ share) => next() < share;
const counters = { edits: 0, searches: 0, partial: 0, late: 0, restarts: 0, others: 0, faults: 0, failedSyncs: 0, failedSearches: 0 };
/** How long searches took, in milliseconds. @type {number[]} */
const latencies = [];
/** How long this process could not do anything, in milliseconds: then no answer can be taken in. */
const stalls = { all: 0, longest: 0 };
const TICK_MS = 50;
let ticked = performance.now();
setInterval(() => {
  const now = performance.now();
  const stalled = Math.max(0, now - ticked - 2 * TICK_MS);
  stalls.all += stalled;
  stalls.longest = Math.max(stalls.longest, stalled);
  ticked = now;
}, TICK_MS).unref();
/** What failed, by its message, with how often. @type {Map<string, number>} */
const failures = new Map();
const failed = (/** @type {"failedSyncs" | "failedSearches"} */ what) => (/** @type {any} */ error) => {
  counters[what]++;
  const message = `${what} ${error?.code ?? ""} ${error?.message ?? error}`;
  failures.set(message, (failures.get(message) ?? 0) + 1);
};

const dir = await mkdtemp(path.join(os.tmpdir(), "memory-soak-"));
const workspace = path.join(dir, "workspace");
const stateDir = path.join(dir, "state");
// It must not remember the texts: their number grows all the time.
const provider = await startProvider({ latencyMs: 3, counting: false });
/** Until when the provider fails, and how. */
let outage = { until: 0, status: 503 };
provider.fault = () => (Date.now() < outage.until ? outage.status : chance(0.02) ? 500 : 0);

const search = {
  provider: "openai-compatible",
  model: "m",
  remote: { baseUrl: provider.baseUrl },
  cache: { enabled: true, maxEntries: MAX_VECTORS },
};
/** The database that the index is in, and which of its agents this is. @type {{url: string, schema: string, agent: string} | undefined} */
const database = process.env.MEMORY_CORE_SOAK_DATABASE && JSON.parse(process.env.MEMORY_CORE_SOAK_DATABASE);
const store = database && { driver: "postgres", postgres: { url: database.url, schema: database.schema } };
const agentId = database?.agent ?? "main";
const cfg = {
  agents: { list: [{ id: agentId, default: true, workspace }] },
  memory: { search },
  plugins: store && { entries: { [PLUGIN_ID]: { config: { store } } } },
};
// Without the embedded model: its threads and memory are measured elsewhere.
const request = { cfg, agentId, stateDir, modelPaths: [], env: {} };

/** @param {number} n */
async function write(n) {
  const lines = Array.from(
    { length: 40 },
    (_, line) => `- Note ${line} of file ${n}, said ${Math.floor(next() * 1e6)} times: ${"and some more words ".repeat(3)}`,
  );
  await writeFile(path.join(workspace, "memory", `note-${n}.md`), lines.join("\n"));
}

async function sizeOf(/** @type {string} */ name) {
  const file = path.join(stateDir, "memory-core-rs", "main", name);
  return (await stat(file).catch(() => ({ size: 0 }))).size / 2 ** 20;
}

async function sample() {
  globalThis.gc?.();
  return {
    ...(await held()),
    // All tables, whoever's rows they hold.
    databaseMiB: database ? tableSizes(database.schema).reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20 : await sizeOf("index.sqlite"),
    logMiB: await sizeOf("index.sqlite-wal"),
  };
}

/** @typedef {Awaited<ReturnType<typeof sample>>} Sample */

const files = Number(values.files);
await mkdir(path.join(workspace, "memory"), { recursive: true });
for (let n = 0; n < files; n++) await write(n);

const endAt = Date.now() + Number(values.minutes) * 60_000;
let manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
await manager.sync();

/** Several searches at once, as several conversations ask them. */
async function searches() {
  const all = Array.from({ length: 1 + Math.floor(next() * 6) }, async () => {
    const query = `note ${Math.floor(next() * 40)} of file ${Math.floor(next() * files)} ${Math.floor(next() * 1e6)}`;
    const [asked, stalled] = [performance.now(), stalls.all];
    const answer = await manager.searchDetailed(query, { deadlineMs: DEADLINE_MS }).catch(failed("failedSearches"));
    const stalledMs = stalls.all - stalled + Math.max(0, performance.now() - ticked - 2 * TICK_MS);
    const took = performance.now() - asked - stalledMs;
    latencies.push(took);
    counters.searches++;
    counters.partial += answer?.partial ? 1 : 0;
    counters.late += took > DEADLINE_MS + LATE_MS ? 1 : 0;
  });
  await Promise.all(all);
}

async function edits() {
  const several = 1 + Math.floor(next() * 8);
  for (let n = 0; n < several; n++) {
    const file = Math.floor(next() * files);
    if (chance(0.1)) await rm(path.join(workspace, "memory", `note-${file}.md`), { force: true });
    else await write(file);
    counters.edits++;
  }
}

async function otherProcess() {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(request)], { stdio: "ignore" });
  const ended = once(child, "close");
  if (chance(0.5)) {
    await pause(next() * 600);
    child.kill("SIGKILL");
  }
  await ended;
  counters.others++;
}

/**
 * What is held once nothing more is let go. What leaks stays; connections that were asked something when all was closed
 * go a moment later, and their number says only how busy the last second was.
 */
async function heldAfterClosing() {
  const few = Math.min(...closed.map(({ fds }) => fds)) + FLAT_CLOSED.fds.noise;
  let least = await held();
  for (const until = Date.now() + UNWINDING_MS; least.fds > few && Date.now() < until; ) {
    await pause(UNWINDING_PAUSE_MS);
    const now = await held();
    if (now.fds < least.fds) least = now;
  }
  return least;
}

async function restart() {
  await manager.close();
  closed.push(await heldAfterClosing());
  manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
  counters.restarts++;
}

/** When the last round of work began: work that never ends would look perfectly flat. */
let lastRound = Date.now();
/** Longest round in milliseconds. */
const STALLED_MS = 120_000;

async function live() {
  while (Date.now() < endAt) {
    lastRound = Date.now();
    await searches();
    if (chance(0.3)) await edits();
    if (chance(0.05)) await manager.sync({ force: chance(0.2) }).catch(failed("failedSyncs"));
    if (chance(0.02)) await restart();
    if (chance(0.01)) await otherProcess();
    if (chance(0.01)) {
      outage = { until: Date.now() + next() * 8000, status: chance(0.5) ? 503 : 429 };
      counters.faults++;
    }
    await pause(20 + next() * 60);
  }
}

/** While it works. @type {Sample[]} */
const samples = [];
/** Between closing and opening. @type {Awaited<ReturnType<typeof held>>[]} */
const closed = [];
const started = Date.now();
let isOver = false;
const sampling = (async () => {
  while (!isOver) {
    await pause(SAMPLE_MS);
    const taken = await sample();
    samples.push(taken);
    if (Date.now() - lastRound > STALLED_MS) {
      console.log(`stalled: one round of work has not ended for ${STALLED_MS / 1000} s; ${JSON.stringify(counters)}`);
      process.exit(1);
    }
    if (samples.length % 12 === 0) {
      const figures = Object.entries(taken).map(([name, value]) => `${name} ${value.toFixed(1)}`);
      console.log(`${((Date.now() - started) / 60_000).toFixed(1)} min: ${figures.join(", ")}`);
    }
  }
})();
console.log(`seed ${values.seed}`);
await live();
isOver = true;
await sampling;
outage.until = 0;
provider.fault = null;
const recoveredBy = Date.now() + RECOVERY_MS;
let checks = [];
for (;;) {
  await manager.sync();
  checks = await manager.doctor({ repair: false });
  if (checks.every(({ ok }) => ok) || Date.now() > recoveredBy) break;
  await pause(SAMPLE_MS);
}
await manager.close();

/** Mean of a part of some values, from and to as shares of their number. */
function mean(/** @type {number[]} */ all, /** @type {number} */ from, /** @type {number} */ to) {
  const part = all.slice(Math.floor(all.length * from), Math.ceil(all.length * to));
  return part.reduce((sum, value) => sum + value, 0) / part.length;
}

/**
 * Prints whether values are flat; too few of them are not.
 * @param {string} what
 * @param {number[]} all
 * @param {{ share: number, noise: number }} limit
 */
function judged(what, all, { share, noise }) {
  const middle = (1 + WARM_UP) / 2;
  const [before, after] = [mean(all, WARM_UP, middle), mean(all, middle, 1)];
  const allowed = Math.max(noise, before * share);
  const ok = after - before <= allowed;
  console.log(`${ok ? "flat " : "GROWS"} ${what}: ${before.toFixed(1)} → ${after.toFixed(1)} (allowed +${allowed.toFixed(1)})`);
  return ok;
}

let isFlat = true;
for (const [name, limit] of Object.entries(FLAT)) {
  isFlat =
    judged(
      name,
      samples.map((one) => one[/** @type {keyof Sample} */ (name)]),
      limit,
    ) && isFlat;
}
for (const [name, limit] of Object.entries(FLAT_CLOSED)) {
  isFlat =
    judged(
      `${name} when closed`,
      closed.map((one) => one[/** @type {"fds" | "threads"} */ (name)]),
      limit,
    ) && isFlat;
}
const { p50, p99, max } = quantiles(latencies);
const [median, late, slowest] = [p50, p99, max].map((ms) => Math.round(ms ?? 0));
console.log(`searches took ${median} ms (median), ${late} ms (p99), ${slowest} ms (slowest)`);
console.log(`this process stood still for ${Math.round(stalls.longest)} ms at most, ${Math.round(stalls.all)} ms in all`);
console.log(JSON.stringify(counters));
for (const [message, times] of failures) console.log(`${times} × ${message}`);
const unsound = checks.filter(({ ok }) => !ok);
for (const { name, found } of unsound) console.log(`unsound at the end, ${name}: ${found}`);
if (values.json)
  await writeFile(
    values.json,
    JSON.stringify(
      {
        seed: values.seed,
        counters,
        latency: { p50: median, p99: late, slowest },
        stalls,
        failures: [...failures],
        samples,
        closed,
        checks,
      },
      null,
      1,
    ),
  );
provider.stop();
await rm(dir, { recursive: true, force: true });
process.exitCode = isFlat && unsound.length === 0 && counters.failedSearches === 0 && counters.late === 0 ? 0 : 1;
