// What active memory costs beside the one that comes with the host, on one real host, with the same notes, the same search
// and the same model, which follows a rule: it takes the note that shares most words with the message. Counted is what
// reaches the model: requests before the reply, their tokens, what is added to the reply's own request, how long the reply
// waits, and whether the right note is beside the message.
//
//   npm run lab -- active-memory [--host 2026.9.6] [--turns 40] [--model-ms 300] [--half dev]

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TestHost } from "../../__test__/host/harness.mjs";
import { dataOf, SlowModel } from "../../__test__/host/slow-model.mjs";
import { packPlugin } from "../../__test__/support/pack.mjs";
import { lexical, words } from "../../eval/active.mjs";
import { readTurns } from "../../eval/recall.mjs";

const { values: args } = parseArgs({
  options: {
    host: { type: "string", default: "2026.9.6" },
    turns: { type: "string", default: "40" },
    "model-ms": { type: "string", default: "300" },
    half: { type: "string", default: "dev" },
  },
});
const set = fileURLToPath(new URL("../../eval/sets/active-memory", import.meta.url));
/** How long somebody waits for a reply that does not come, in milliseconds. */
const PATIENCE_MS = 120_000;
/** Longest that each lets a reply wait. */
const [OUR_MS, THEIR_MS] = [2500, 15_000];

/** Every so many-th turn, long ones and empty ones apart: each says the same to all. */
const all = readTurns(set, [args.half]).filter(({ query, pad }) => query.trim() !== "" && !pad);
const every = Math.max(1, Math.floor(all.length / Number(args.turns)));
const turns = all.filter((_, at) => at % every === 0).slice(0, Number(args.turns));
const lineOf = await notes();

const { file: tarball } = await packPlugin();
const host = await TestHost.start(args.host, { files: {}, rules: [{ match: ".", reply: "HELLO" }] });
const model = new SlowModel(host.baseUrl);
try {
  await cp(path.join(set, "ws"), host.workspace, { recursive: true });
  model.server.listen(0, "127.0.0.1");
  await once(model.server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (model.server.address());
  model.delayMs = Number(args["model-ms"]);
  model.answer = (body) => lexical({ query: newestIn(dataOf(body)) }, dataOf(body));
  model.answerBundled = bundledSays;
  await host.addPlugin(tarball);
  await host.edit((entry, config) => {
    config.models.providers.fake.baseUrl = `http://127.0.0.1:${port}/v1`;
    entry.config = { ...entry.config, provider: "none", autoRecallTimeoutMs: 5000, activeMemory: { enabled: false } };
  });
  await host.ok("memory", "index");
  await host.startGateway();
  const ours = (/** @type {string} */ mode) => ({ enabled: true, mode, timeoutMs: OUR_MS });
  const theirs = (/** @type {string} */ mode) => ({ enabled: true, mode, agents: ["main"], timeoutMs: THEIR_MS });
  /** @type {[name: string, ours: object, theirs: object | undefined][]} */
  const runs = [
    ["none", { enabled: false }, undefined],
    ["ours, escalate", ours("escalate"), undefined],
    ["ours, always", ours("always"), undefined],
    ["bundled, escalate", { enabled: false }, theirs("escalate")],
    ["bundled, always", { enabled: false }, theirs("always")],
  ];
  console.log(
    `OpenClaw ${args.host}, ${turns.length} turns, a model that answers after ${args["model-ms"]} ms; tokens are characters / 4\n`,
  );
  console.log(
    "| active memory | asked, of turns | requests a turn | tokens a turn | tokens added to the reply's request | reply waits: p50 ms | p95 ms | right note beside it | needless block |",
  );
  console.log(`|---|${"---:|".repeat(8)}`);
  /** @type {Turned[] | undefined} */
  let plain;
  for (const [name, own, bundled] of runs) {
    await host.reconfigure((entry, config) => {
      entry.config = { ...entry.config, activeMemory: own };
      if (bundled) config.plugins.entries["active-memory"] = { enabled: true, config: bundled };
      else delete config.plugins.entries["active-memory"];
    });
    await say("hello there", `warm${name.length}`);
    const turned = await run(name);
    plain ??= turned;
    report(name, turned, plain);
  }
} finally {
  model.server.closeAllConnections();
  model.server.close();
  await host.stop();
}

/** @typedef {{needed: boolean, right: boolean, shown: boolean, requests: number, tokens: number, main: number, ms: number}} Turned */

/** @param {string} name @returns {Promise<Turned[]>} */
async function run(name) {
  /** @type {Turned[]} */
  const turned = [];
  for (const [n, { query, evidence }] of turns.entries()) {
    const from = [model.asked.length, model.bundled.length];
    const { body, ms } = await say(query, `${name.replaceAll(/\W/g, "")}${n}`);
    const asked = [...model.asked.slice(from[0]), ...model.bundled.slice(from[1])];
    const newest = messageText(body.messages.findLast((/** @type {any} */ one) => one.role === "user" && messageText(one).includes(query)));
    turned.push({
      needed: evidence.length > 0,
      right: evidence.some(([file, line]) => newest.includes(lineOf(file, line))),
      shown: /<(?:active_memory_plugin|relevant-memories)>/.test(newest),
      requests: asked.length,
      tokens: asked.reduce((sum, one) => sum + tokensOf(one.body), 0),
      main: tokensOf(body),
      ms,
    });
    // The next turn begins when this one is over.
    await pause(300);
  }
  return turned;
}

/** Says something in a conversation of its own, and waits for the reply's request. @param {string} message @param {string} name */
async function say(message, name) {
  const from = model.main.length;
  const began = Date.now();
  await host.callAsOwner("chat.send", { sessionKey: `agent:main:direct:${name.toLowerCase()}`, message, idempotencyKey: randomUUID() });
  for (;;) {
    const found = model.main
      .slice(from)
      .find(({ body }) => body.messages.some((/** @type {any} */ one) => messageText(one).includes(message)));
    if (found) return { body: found.body, ms: found.at - began };
    if (Date.now() - began > PATIENCE_MS) throw new Error(`no reply to "${message}":\n${host.gatewayOutput.slice(-3000)}`);
    await pause(10);
  }
}

/** @param {string} name @param {Turned[]} turned @param {Turned[]} plain */
function report(name, turned, plain) {
  const percent = (/** @type {Turned[]} */ of, /** @type {(one: Turned) => boolean} */ test) =>
    `${((100 * of.filter(test).length) / of.length).toFixed(1)} %`;
  const mean = (/** @type {(one: Turned, at: number) => number} */ of) =>
    turned.reduce((sum, one, at) => sum + of(one, at), 0) / turned.length;
  const times = turned.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  const cells = [
    percent(turned, ({ requests }) => requests > 0),
    mean(({ requests }) => requests).toFixed(2),
    mean(({ tokens }) => tokens).toFixed(0),
    mean(({ main }, n) => main - plain[n].main).toFixed(0),
    at(0.5),
    at(0.95),
    percent(
      turned.filter(({ needed }) => needed),
      ({ right }) => right,
    ),
    percent(
      turned.filter(({ needed }) => !needed),
      ({ shown }) => shown,
    ),
  ];
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}

/** What a request costs, roughly. @param {any} body */
function tokensOf({ messages, tools }) {
  return (JSON.stringify(messages).length + JSON.stringify(tools ?? []).length) / 4;
}

/** @param {any} message @returns {string} */
function messageText(message) {
  const content = message?.content;
  return typeof content === "string" ? content : (content ?? []).map((/** @type {any} */ part) => part.text ?? "").join("");
}

/** The newest message in the data of a request of ours. @param {string} data */
function newestIn(data) {
  return /Newest message:\n(.*)/.exec(data)?.[1] ?? "";
}

/**
 * What the same model says as the agent of the bundled plugin: it searches once, then gives the line that shares most words.
 * @param {any} body
 * @returns {import("../../__test__/host/slow-model.mjs").Said}
 */
function bundledSays(body) {
  const asked = messageText(body.messages.find((/** @type {any} */ one) => one.role === "user"));
  const query = /Bounded memory search query:\n([\s\S]*?)\n\nConversation context:/.exec(asked)?.[1] ?? "";
  const result = body.messages.findLast((/** @type {any} */ one) => one.role === "tool");
  if (!result) {
    const names = (body.tools ?? []).map((/** @type {any} */ tool) => tool.function?.name);
    if (names.includes("memory_search")) return { name: "memory_search", arguments: { query } };
    return { name: "tool_call", arguments: { id: "memory_search", args: { query } } };
  }
  const known = words(query);
  const lines = messageText(result)
    .split(/\\+n|\n/)
    .filter((line) => line.includes("- "));
  const scored = lines.map((line) => ({ line, count: [...words(line)].filter((word) => known.has(word)).length }));
  const [best] = scored.sort((a, b) => b.count - a.count);
  return best && best.count > 0 ? best.line.replace(/^.*?- /, "").trim() : "NONE";
}

/** The lines of the notes, without their sign. */
async function notes() {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const { evidence } of turns)
    for (const [file] of evidence) if (!files.has(file)) files.set(file, (await readFile(path.join(set, "ws", file), "utf8")).split("\n"));
  return (/** @type {string} */ file, /** @type {number} */ line) => (files.get(file)?.[line - 1] ?? "").replace(/^- /, "");
}
