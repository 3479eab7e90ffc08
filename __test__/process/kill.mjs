// Kills a process while it indexes, and lets another one finish; or the server of its database, and lets it go on. Counts what
// was paid for.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { random } from "../support/random.mjs";

const ONCE = fileURLToPath(new URL("./index-once.mjs", import.meta.url));
const UNTIL_DONE = fileURLToPath(new URL("./index-until-done.mjs", import.meta.url));

/** Files of the workspace; the chunks are spread over them. */
const FILES = 400;
/** Lines of a chunk that no other chunk has, at the default chunk size and overlap. */
const LINES_PER_CHUNK = 16;
/** Numbers in a vector. */
const DIMS = 8;
/** Time the provider takes, in milliseconds: several requests are then under way at every moment. */
const LATENCY_MS = 4;

/**
 * @typedef {{killAfter: number, texts: number, distinct: number, report: Record<string, any>}} Round `texts` and `distinct`
 *   are what the provider was sent by both processes together.
 */

/** What is killed while an index is made, and goes on. @typedef {(request: {cfg: Record<string, any>, stateDir: string}, round: number) => Victim} Kill */

/**
 * @typedef Victim
 * @property {() => void} strike Kills it.
 * @property {() => Promise<string>} ended What whoever has finished the index says of it.
 */

/**
 * Kills one process each after a random share of the texts, in a fresh index each: a file, or one schema of a PostgreSQL
 * database, which serves one round.
 * @param {{rounds: number, chunks: number, seed: number, database?: {url: string, schema: string}}} options
 * @returns {AsyncGenerator<Round>}
 */
export async function* killRounds({ database, ...options }) {
  yield* rounds({ ...options, storeOf: () => database && storeIn(database), kill: killProcess });
}

/**
 * The same, but what is killed is the server, with SIGQUIT and SIGKILL in turn, which starts again at once.
 * @param {{rounds: number, chunks: number, seed: number, server: import("../support/own-server.mjs").OwnServer}} options
 * @returns {AsyncGenerator<Round>}
 */
export async function* serverKillRounds({ server, ...options }) {
  /** @type {Kill} */
  const kill = (request, round) => {
    const { ended } = start(UNTIL_DONE, request);
    const signal = round % 2 === 0 ? "SIGQUIT" : "SIGKILL";
    let restarted = Promise.resolve();
    let struck = false;
    return {
      strike: () => {
        struck = true;
        restarted = server.restartAfter(signal);
      },
      ended: async () => {
        const output = await finished(ended);
        if (!struck) throw new Error("the index was there before the server was killed");
        await restarted;
        return output;
      },
    };
  };
  yield* rounds({ ...options, storeOf: (round) => storeIn({ url: server.url, schema: `round_${round}` }), kill });
}

/** The setting of a database. @param {{url: string, schema: string}} database */
const storeIn = ({ url, schema }) => ({ driver: "postgres", postgres: { url, schema } });

/** @type {Kill} */
function killProcess(request) {
  const first = start(ONCE, request);
  return {
    strike: () => first.child.kill("SIGKILL"),
    ended: async () => {
      const { signal } = await first.ended;
      if (signal !== "SIGKILL") throw new Error("the process ended before it was killed");
      return finished(start(ONCE, request).ended);
    },
  };
}

/**
 * @param {{rounds: number, chunks: number, seed: number, storeOf: (round: number) => Record<string, unknown> | undefined, kill: Kill}} options
 * @returns {AsyncGenerator<Round>}
 */
async function* rounds({ rounds, chunks, seed, storeOf, kill }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-kill-"));
  const next = random(seed);
  try {
    const workspace = path.join(dir, "workspace");
    await writeWorkspace(workspace, chunks);
    for (let round = 0; round < rounds; round++) {
      const stateDir = path.join(dir, `state-${round}`);
      const killAfter = 1 + Math.floor(next() * chunks);
      yield await killRound({ workspace, stateDir, store: storeOf(round), killAfter, kill: (request) => kill(request, round) });
      await rm(stateDir, { recursive: true, force: true });
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * @param {string} workspace
 * @param {number} chunks
 */
async function writeWorkspace(workspace, chunks) {
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  const lines = Math.ceil(chunks / FILES) * LINES_PER_CHUNK;
  for (let file = 0; file < FILES; file++) {
    const text = Array.from({ length: lines }, (_, line) => `- Note ${line} of file ${file}: ${"what was said about it ".repeat(3)}`);
    await writeFile(path.join(workspace, "memory", `note-${file}.md`), text.join("\n"));
  }
}

/**
 * @param {{workspace: string, stateDir: string, killAfter: number, store?: Record<string, unknown>,
 *   kill: (request: Parameters<Kill>[0]) => Victim}} options
 * @returns {Promise<Round>}
 */
async function killRound({ workspace, stateDir, killAfter, store, kill }) {
  let texts = 0;
  /** @type {Set<string>} */
  const distinct = new Set();
  /** @type {Victim | null} */
  let victim = null;
  const provider = http.createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const { input } = JSON.parse(body);
    texts += input.length;
    for (const text of input) distinct.add(text);
    if (texts >= killAfter) {
      victim?.strike();
      victim = null;
    }
    const data = input.map((/** @type {string} */ text, /** @type {number} */ index) => ({ index, embedding: vectorOf(text) }));
    setTimeout(() => response.setHeader("content-type", "application/json").end(JSON.stringify({ data })), LATENCY_MS);
  });
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (provider.address());
  const search = { provider: "openai-compatible", model: "m", remote: { baseUrl: `http://127.0.0.1:${port}/v1` } };
  const plugins = store && { entries: { [PLUGIN_ID]: { config: { store } } } };
  try {
    const killed = kill({ cfg: { agents: { defaults: { workspace } }, memory: { search }, plugins }, stateDir });
    victim = killed;
    const report = JSON.parse(await killed.ended());
    return { killAfter, texts, distinct: distinct.size, report };
  } finally {
    provider.closeAllConnections();
    provider.close();
  }
}

/**
 * Starts a process that indexes.
 * @param {string} script @param {{cfg: Record<string, any>, stateDir: string}} request
 */
function start(script, request) {
  const child = spawn(process.execPath, [script, JSON.stringify({ ...request, agentId: "main" })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, output }));
  return { child, ended };
}

/** What a process says that ends well. @param {ReturnType<typeof start>["ended"]} ended */
async function finished(ended) {
  const { code, output } = await ended;
  if (code !== 0) throw new Error(`the process that was to finish failed with ${code}: ${output}`);
  return output;
}

/** @param {string} text */
function vectorOf(text) {
  return Array.from({ length: DIMS }, (_, at) => 1 + text.charCodeAt(at % text.length));
}
