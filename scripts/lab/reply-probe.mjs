// Runs inside a gateway (see reply.mjs): calls the hooks of the automatic memory on the gateway's own engine and
// event loop, once the order to do so is there.
//
// The calls are made twice. First only their time is taken. Then a chain of immediates, which keeps a processor busy,
// notes every gap between two turns of the event loop while a call runs: a gap is how long somebody held it, we, the
// gateway, or the machine that had something else to do. The gateway's garbage collections, of a heap that is not ours,
// are taken off. Every call is made in several rounds: what it costs by itself, it costs in each of them.

import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const { REPLY_PATH_ORDER: orderFile, REPLY_PATH_RESULT: resultFile } = process.env;

/** Calls before the measured ones; enough for every note to have been found once. */
const WARM_UP = 200;

/** Rounds with the same calls. */
const ROUNDS = 5;

/** What comes after a reply: it is written through to the disk, and nobody waits for it. */
const AFTER_REPLY = "end of a turn with intents";

/** Length of a window without a call, in milliseconds. */
const IDLE_MS = 20;

/** Gaps that are kept, in milliseconds: of the others there are millions, and all together they are some gigabytes. */
const LEAST_GAP_MS = 0.05;

/** Pause after a recorded turn, in milliseconds: turns of a person do not follow each other at once. */
const PAUSE_MS = 30;

/** Garbage collections: start and end, in milliseconds. @type {[number, number][]} */
const collections = [];

if (orderFile && resultFile && process.argv.includes("gateway")) {
  const timer = setInterval(() => {
    // Hosts may start the gateway through a process of its own: only the one with our engine takes the order.
    const hasEngine = Object.getOwnPropertySymbols(globalThis).some((symbol) => symbol.description?.startsWith("memory-core-rs/managers"));
    if (!hasEngine || !existsSync(orderFile)) return;
    clearInterval(timer);
    probe()
      .catch((error) => ({ error: String(error?.stack ?? error) }))
      .then(async (result) => {
        await writeFile(`${resultFile}.new`, JSON.stringify(result));
        await rename(`${resultFile}.new`, resultFile);
      });
  }, 200);
  timer.unref();
}

async function probe() {
  const order = JSON.parse(await readFile(String(orderFile), "utf8"));
  const load = (/** @type {string} */ file) => import(pathToFileURL(path.join(order.plugin, file)).href);
  const [{ Host }, { promptContext }, { captureTurn }, { showIntents, settleIntents }] = await Promise.all([
    load("host.js"),
    load("hooks/prompt.js"),
    load("hooks/capture.js"),
    load("intents/hooks.js"),
  ]);
  /** The plugin with more settings than the gateway has. @param {Record<string, unknown>} more */
  const pluginWith = (more) => {
    const { plugins } = order.config;
    const entry = plugins.entries[order.id];
    const entries = { ...plugins.entries, [order.id]: { ...entry, config: { ...entry.config, ...more } } };
    const config = { ...order.config, plugins: { ...plugins, entries } };
    const api = {
      config,
      logger: console,
      runtime: {
        version: order.version,
        config: { current: () => config },
        state: { resolveStateDir: () => order.stateDir },
        agent: { resolveAgentWorkspaceDir: () => order.workspace },
      },
    };
    return { api, host: new Host(api) };
  };
  const [plugin, withTriggers] = [pluginWith({}), pluginWith({ triggerRecall: true })];
  const ctx = { agentId: "main", sessionKey: "agent:main:main", sessionId: "probe", trigger: "user" };
  const question = (/** @type {number} */ n) => order.questions[n % order.questions.length];
  // A session of some length, in more than one script: the hook must not get slower with either.
  const earlier = Array.from({ length: 200 }, (_, n) => ({
    role: n % 2 ? "assistant" : "user",
    content: `${question(n)} ${"The meeting is at ten. A reunião é às dez. 会议十点开始。 ".repeat(12)}`,
  }));
  const turn = (/** @type {number} */ n) => ({
    success: true,
    runId: `probe-${n}`,
    messages: [...earlier, { role: "user", content: question(n) }, { role: "assistant", content: "It is in your notes." }],
  });
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push([startTime, startTime + duration]);
  });
  observer.observe({ entryTypes: ["gc"] });
  let [shown, lines, mentions, runs] = [0, 0, 0, 0];
  // Each is a turn of its own: one that is built again is shown what it was, and reserves nothing.
  const nextRun = () => ({ ...ctx, runId: `probe-${runs++}` });
  const rows = {
    // What the gateway itself does meanwhile, in as long a time as a recall takes.
    "the gateway alone": await measure(order.calls, () => pause(IDLE_MS)),
    recall: await measure(order.calls, async (n) => {
      if (await promptContext(plugin, { prompt: question(n) }, ctx)) shown++;
    }),
    "recall, triggers and intents": await measure(order.calls, async (n) => {
      const of = nextRun();
      const parts = [promptContext(withTriggers, { prompt: question(n) }, of), showIntents(withTriggers.host, { prompt: question(n) }, of)];
      const [recalled, intents] = (await Promise.all(parts)).map((part) => JSON.stringify(part ?? ""));
      if (recalled.includes("that was asked for")) lines++;
      if (intents.includes("standing_intents")) mentions++;
      // The turn ends: what it showed is free for the next one, and nothing of that is measured here.
      return () => settleIntents(withTriggers.host, { success: true, runId: of.runId }, of);
    }),
    [AFTER_REPLY]: await measure(order.calls, async (n) => {
      const of = nextRun();
      await showIntents(withTriggers.host, { prompt: question(n) }, of);
      await settleIntents(withTriggers.host, { success: true, runId: of.runId }, of);
    }),
    record: await measure(order.calls, (n) => captureTurn(plugin, turn(n), ctx), PAUSE_MS),
  };
  if (shown < order.calls) throw new Error(`only ${shown} of some ${2 * order.calls} questions found anything; this measures nothing`);
  if (lines === 0 || mentions === 0) throw new Error(`${lines} triggers and ${mentions} intents came up; this measures nothing`);
  return { rows, afterReply: AFTER_REPLY };
}

/**
 * How long calls take, and for how long they hold the event loop; of all of them, and of the best of each in all rounds.
 * @param {number} calls
 * @param {(n: number) => Promise<unknown>} work It may give what is to be done after it and not measured.
 * @param {number} [pauseMs] Pause after each call.
 */
async function measure(calls, work, pauseMs = 0) {
  const [since, stolenBefore] = [performance.now(), await stolenMs()];
  const different = Math.ceil(calls / ROUNDS);
  const after = async (/** @type {unknown} */ rest) => (typeof rest === "function" ? await rest() : undefined);
  for (let n = 0; n < WARM_UP; n++) await after(await work(n % different));
  const wall = [];
  for (let n = 0; n < different * ROUNDS; n++) {
    const started = performance.now();
    const rest = await work(n % different);
    wall.push(performance.now() - started);
    await after(rest);
    if (pauseMs) await pause(pauseMs);
  }
  const gaps = [];
  for (let n = 0; n < different * ROUNDS; n++) {
    let rest;
    gaps.push(await gapsOf(async () => (rest = await work(n % different))));
    await after(rest);
    if (pauseMs) await pause(pauseMs);
  }
  // Collections are reported in a turn of their own.
  await pause(IDLE_MS);
  const hold = gaps.map(longest);
  const best = (/** @type {number[]} */ values) =>
    Array.from({ length: different }, (_, n) => Math.min(...values.filter((_, at) => at % different === n)));
  const stolen = ((await stolenMs()) - stolenBefore) / (performance.now() - since) / availableParallelism();
  return { wall: { ...summary(wall), best: summary(best(wall)) }, hold: { ...summary(hold), best: summary(best(hold)) }, stolen };
}

/** Time of all processors that a virtual machine was due and others got, in milliseconds since it started; 0 where nobody says. */
async function stolenMs() {
  const [total] = (await readFile("/proc/stat", "utf8").catch(() => "")).split("\n");
  // cpu user nice system idle iowait irq softirq steal, in hundredths of a second.
  return 10 * (Number(total.split(/ +/)[8]) || 0);
}

/**
 * The gaps between turns of the event loop while a call runs: start and end, in milliseconds.
 * @param {() => Promise<unknown>} work
 */
async function gapsOf(work) {
  /** @type {[number, number][]} */
  const gaps = [];
  let isRunning = true;
  await new Promise((resolve) => setImmediate(resolve));
  let at = performance.now();
  const tick = () => {
    const now = performance.now();
    if (now - at >= LEAST_GAP_MS) gaps.push([at, now]);
    at = now;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isRunning = false;
  return gaps;
}

/** The longest of some gaps. @param {[number, number][]} gaps */
function longest(gaps) {
  let most = 0;
  for (const gap of gaps) if (gap[1] - gap[0] > most) most = Math.max(most, withoutCollections(gap));
  return most;
}

/** @param {[number, number]} gap */
function withoutCollections([from, to]) {
  let length = to - from;
  for (const [start, end] of collections) length -= Math.max(0, Math.min(end, to) - Math.max(start, from));
  return length;
}

/** @param {number[]} values */
function summary(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
