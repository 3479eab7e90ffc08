// Runs inside a gateway (see reply-path.mjs): calls the hooks of the automatic memory on the gateway's own engine and
// event loop, once the order to do so is there.
//
// While a hook runs, a chain of immediates notes every gap between two turns of the event loop: a gap is how long
// somebody held it, we or the gateway. The thread's CPU time of the gap tells work from waiting for a processor on a busy
// machine; the CPU time until the hook gives control back is ours alone.

import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const { REPLY_PATH_ORDER: orderFile, REPLY_PATH_RESULT: resultFile } = process.env;

/** Calls before the measured ones; enough for every note to have been found once. */
const WARM_UP = 200;

/** Length of a window without a call, in milliseconds. */
const IDLE_MS = 20;

/** Pause after a recorded turn, in milliseconds: turns of a person do not follow each other at once. */
const PAUSE_MS = 50;

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
  const load = (/** @type {string} */ file) => import(pathToFileURL(path.join(order.plugin, "plugin", file)).href);
  const [{ Host }, { promptContext }, { captureTurn }] = await Promise.all([
    load("host.js"),
    load("hooks/prompt.js"),
    load("hooks/capture.js"),
  ]);
  const api = {
    config: order.config,
    logger: console,
    runtime: {
      version: order.version,
      config: { current: () => order.config },
      state: { resolveStateDir: () => order.stateDir },
      agent: { resolveAgentWorkspaceDir: () => order.workspace },
    },
  };
  const plugin = { api, host: new Host(api) };
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
  let shown = 0;
  const rows = {
    // What the gateway itself does meanwhile, in as long a time as a recall takes.
    "the gateway alone": await measure(order.calls, () => pause(IDLE_MS)),
    recall: await measure(order.calls, async (n) => {
      if (await promptContext(plugin, { prompt: question(n) }, ctx)) shown++;
    }),
    record: await measure(order.calls, (n) => captureTurn(plugin, turn(n), ctx), PAUSE_MS),
  };
  if (shown < order.calls / 2) throw new Error(`only ${shown} of ${order.calls} questions found anything; this measures nothing`);
  return { rows };
}

/**
 * @param {number} calls
 * @param {(n: number) => Promise<unknown>} work
 * @param {number} [pauseMs] Pause after each call.
 */
async function measure(calls, work, pauseMs = 0) {
  /** @type {Record<"wall" | "hold" | "cpu" | "own", number[]>} */
  const samples = { wall: [], hold: [], cpu: [], own: [] };
  for (let n = 0; n < calls + WARM_UP; n++) {
    const sample = await watched(() => work(n));
    if (pauseMs) await pause(pauseMs);
    if (n < WARM_UP) continue;
    for (const [name, value] of Object.entries(sample)) samples[/** @type {keyof typeof samples} */ (name)].push(value);
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, summary(values)]));
}

/** Milliseconds of CPU of this thread. */
function threadCpu() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** @param {() => Promise<unknown>} work */
async function watched(work) {
  let hold = 0;
  let cpu = 0;
  let isRunning = true;
  let [at, used] = [performance.now(), threadCpu()];
  const tick = () => {
    const [now, usedNow] = [performance.now(), threadCpu()];
    hold = Math.max(hold, now - at);
    cpu = Math.max(cpu, usedNow - used);
    [at, used] = [now, usedNow];
    if (isRunning) setImmediate(tick);
  };
  await new Promise((resolve) => setImmediate(resolve));
  [at, used] = [performance.now(), threadCpu()];
  const started = at;
  setImmediate(tick);
  const before = threadCpu();
  const done = work();
  const own = threadCpu() - before;
  await done;
  const wall = performance.now() - started;
  await new Promise((resolve) => setImmediate(resolve));
  isRunning = false;
  return { wall, hold, cpu, own };
}

/** @param {number[]} values */
function summary(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
