// Kills a process while it indexes, lets another one finish, and counts what was paid for.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { random } from "../support/random.mjs";

const CHILD = fileURLToPath(new URL("./index-once.mjs", import.meta.url));

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

/**
 * Kills one process each after a random share of the texts, in a fresh index each: a file, or one schema of a PostgreSQL
 * database, which serves one round.
 * @param {{rounds: number, chunks: number, seed: number, database?: {url: string, schema: string}}} options
 * @returns {AsyncGenerator<Round>}
 */
export async function* killRounds({ rounds, chunks, seed, database }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-kill-"));
  const next = random(seed);
  try {
    const workspace = path.join(dir, "workspace");
    await writeWorkspace(workspace, chunks);
    for (let round = 0; round < rounds; round++) {
      const state = path.join(dir, `state-${round}`);
      const store = database && { driver: "postgres", postgres: { url: database.url, schema: database.schema } };
      yield await killRound({ workspace, stateDir: state, store, killAfter: 1 + Math.floor(next() * chunks) });
      await rm(state, { recursive: true, force: true });
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
 * @param {{workspace: string, stateDir: string, killAfter: number, store?: Record<string, unknown>}} options
 * @returns {Promise<Round>}
 */
async function killRound({ workspace, stateDir, killAfter, store }) {
  let texts = 0;
  /** @type {Set<string>} */
  const distinct = new Set();
  /** @type {import("node:child_process").ChildProcess | null} */
  let victim = null;
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const { input } = JSON.parse(body);
    texts += input.length;
    for (const text of input) distinct.add(text);
    if (texts >= killAfter) {
      victim?.kill("SIGKILL");
      victim = null;
    }
    const data = input.map((/** @type {string} */ text, /** @type {number} */ index) => ({ index, embedding: vectorOf(text) }));
    setTimeout(() => response.setHeader("content-type", "application/json").end(JSON.stringify({ data })), LATENCY_MS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const search = { provider: "openai-compatible", model: "m", remote: { baseUrl: `http://127.0.0.1:${port}/v1` } };
  const plugins = store && { entries: { [PLUGIN_ID]: { config: { store } } } };
  const request = JSON.stringify({ cfg: { agents: { defaults: { workspace } }, memory: { search }, plugins }, agentId: "main", stateDir });
  try {
    const first = start(request);
    victim = first.child;
    const { signal } = await first.ended;
    if (signal !== "SIGKILL") throw new Error(`the process ended before it was killed, after ${texts} of ${killAfter} texts`);
    const second = await start(request).ended;
    if (second.code !== 0) throw new Error(`the second process failed with ${second.code}: ${second.output}`);
    return { killAfter, texts, distinct: distinct.size, report: JSON.parse(second.output) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** @param {string} request */
function start(request) {
  const child = spawn(process.execPath, [CHILD, request], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, output }));
  return { child, ended };
}

/** @param {string} text */
function vectorOf(text) {
  return Array.from({ length: DIMS }, (_, at) => 1 + text.charCodeAt(at % text.length));
}
