// A process of `fleet-goals.mjs`: opens a memory, does one thing with it, and prints what that took as a line of JSON.
// argv: JSON of the job.
import { appendFileSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MODEL, prepareEnv } from "../../bench/adapters/oc-common.mjs";
import { quantiles } from "../../bench/quantiles.mjs";

/**
 * `url`: of the database; none = a file. `workspace`, `state`: folders. `what`: what is done.
 * @typedef {{what: string, workspace: string, state: string, embedUrl: string, url?: string, schema?: string, search?: string,
 *   agent?: string, counter?: string, token?: string}} Job
 */

/** @type {Job} */
const job = JSON.parse(process.argv[2]);
prepareEnv(job.state);
const agentId = job.agent ?? "main";
const store = job.url
  ? {
      driver: "postgres",
      postgres: { url: job.url, schema: job.schema, search: job.search ?? "auto", statementTimeoutMs: 300_000 },
    }
  : {};
const memorySearch = {
  provider: "openai",
  model: MODEL,
  remote: { baseUrl: `${job.embedUrl}/v1`, apiKey: "sk-bench" },
  sync: { onSearch: false, onSessionStart: false, watch: false },
};
const cfg = {
  agents: { defaults: { workspace: job.workspace, memorySearch } },
  plugins: { entries: { "memory-core-rs": { config: { store } } } },
};

const began = performance.now();
const since = () => performance.now() - began;
const { MemoryIndexManager } = await import("../../lib/manager.js");
const imported = since();
/** How often the line to the server was waited for so far. @param {boolean} isReading Whether nobody waits for a COMMIT. */
function waits(isReading) {
  const [all, commits] = JSON.parse(readFileSync(String(job.counter), "latin1") || "[0, 0]");
  return isReading ? all - commits : all;
}
/** What is printed. @type {Record<string, any>} */
const told = {};

/** @param {any} manager @param {string[]} questions @param {object} [options] */
async function searches(manager, questions, options = {}) {
  const times = [];
  let counted = 0;
  for (const question of questions) {
    await sleep(3);
    const before = job.counter ? waits(true) : 0;
    const asked = performance.now();
    await manager.search(question, { maxResults: 6, ...options });
    times.push(performance.now() - asked);
    // The line counts in a process of its own.
    if (job.counter) {
      await sleep(5);
      counted += waits(true) - before;
    }
  }
  return { ...quantiles(times), ...(job.counter && { waits: counted / questions.length }) };
}

if (job.what === "copy") {
  const [{ prepare }, { HostPort }, { native }] = await Promise.all([
    import("../../lib/request.js"),
    import("../../lib/host-port.js"),
    import("../../lib/native.js"),
  ]);
  const { nativeRequest } = await prepare({ cfg: /** @type {any} */ (cfg), agentId });
  told.copied = await native().copyStore(nativeRequest, true, undefined, new HostPort({}).native());
} else {
  const manager = await MemoryIndexManager.get({ cfg: /** @type {any} */ (cfg), agentId });
  if (!manager) throw new Error("there is no memory");
  told.openMs = since() - imported;
  /** @type {{queries: string[]}} */
  const { queries } = JSON.parse(readFileSync(`${job.workspace}.queries.json`, "utf8"));
  if (job.what === "index" || job.what === "again") {
    const started = performance.now();
    await manager.sync({ reason: "bench", force: job.what === "again" });
    told.indexMs = performance.now() - started;
    told.chunks = manager.status().chunks;
  } else if (job.what === "first") {
    const words = await manager.search(queries[1], { maxResults: 6, lexicalOnly: true });
    told.wordsMs = since() - imported;
    const both = await manager.search(queries[1], { maxResults: 6 });
    Object.assign(told, { bothMs: since() - imported, found: [words.length, both.length] });
  } else if (job.what === "search") {
    // What all searches share is read by then, and the rows that are asked for are not.
    await searches(manager, queries.slice(0, 40));
    told.cold = await searches(manager, queries.slice(40));
    told.warm = await searches(manager, queries.slice(40));
    told.warmWords = await searches(manager, queries.slice(40), { lexicalOnly: true });
  } else if (job.what === "write") {
    process.stdout.write("ready\n");
    await new Promise((go) => process.stdin.once("data", go));
    const before = job.counter ? waits(false) : 0;
    appendFileSync(path.join(job.workspace, "MEMORY.md"), `\n- The ${job.token} is new.\n`);
    const started = performance.now();
    await manager.sync({ reason: "bench" });
    Object.assign(told, { syncMs: performance.now() - started, at: Date.now() });
    await sleep(20);
    if (job.counter) told.waits = waits(false) - before;
  } else if (job.what === "find") {
    await searches(manager, queries.slice(0, 5));
    process.stdout.write("ready\n");
    while ((await manager.search(String(job.token), { maxResults: 1, lexicalOnly: true })).length === 0) await sleep(5);
    told.at = Date.now();
  }
  await manager.close();
}
process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit(0));
