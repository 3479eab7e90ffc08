// What an index of many chunks, or a huge conversation, costs while it is made, searched and followed: memory, threads
// and descriptors, and that a transcript of gigabytes is read without being held.
//   npm run lab -- bounds chunks [--chunks 100000] [--dims 1536]
//   npm run lab -- bounds transcript [--mib 2048]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { held } from "../../__test__/support/held.mjs";
import { quantiles } from "../../bench/quantiles.mjs";
import { MemoryIndexManager } from "../../index.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    chunks: { type: "string", default: "100000" },
    dims: { type: "string", default: "1536" },
    mib: { type: "string", default: "2048" },
  },
});

const EMBED_SERVER = fileURLToPath(new URL("../../bench/embed-server.mjs", import.meta.url));
/** Chunks of one note, and lines of one chunk at the default size. */
const CHUNKS_PER_FILE = 50;
const LINES_PER_CHUNK = 16;
/** Length of what a tool said between two messages, in bytes. */
const TOOL_BYTES = 100 * 1024;
const SAMPLE_MS = 50;

const dir = await mkdtemp(path.join(os.tmpdir(), "memory-bounds-"));
const workspace = path.join(dir, "workspace");
await mkdir(path.join(workspace, "memory"), { recursive: true });

/** Highest figures since the last look. */
let highest = { threads: 0, fds: 0, rssMiB: 0 };
async function look() {
  const { rssMiB, ...counted } = await held();
  const now = { ...counted, rssMiB: Math.round(rssMiB) };
  highest = {
    threads: Math.max(highest.threads, now.threads),
    fds: Math.max(highest.fds, now.fds),
    rssMiB: Math.max(highest.rssMiB, now.rssMiB),
  };
  return now;
}
const timer = setInterval(look, SAMPLE_MS);

/** @template T @param {string} name @param {() => Promise<T>} work */
async function measured(name, work) {
  highest = { threads: 0, fds: 0, rssMiB: 0 };
  const started = performance.now();
  const result = await work();
  await look();
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s; at most ${JSON.stringify(highest)}`);
  return result;
}

/** @param {Record<string, unknown>} search */
async function openManager(search) {
  const cfg = { agents: { defaults: { workspace } }, memory: { search } };
  const request = { cfg, agentId: "main", stateDir: dir, modelPaths: [], env: {} };
  return /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
}

async function ofChunks() {
  const files = Math.ceil(Number(values.chunks) / CHUNKS_PER_FILE);
  for (let file = 0; file < files; file++) {
    const lines = Array.from(
      { length: CHUNKS_PER_FILE * LINES_PER_CHUNK },
      (_, line) => `- Note ${line} of file ${file}: ${"what was said about it ".repeat(3)}${(file * 7919 + line) % 99991}`,
    );
    await mkdir(path.join(workspace, "memory", String(file % 100)), { recursive: true });
    await writeFile(path.join(workspace, "memory", String(file % 100), `${file}.md`), lines.join("\n"));
  }
  // A process of its own: its memory is not ours.
  const server = spawn(process.execPath, [EMBED_SERVER, "--dims", values.dims], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout.setEncoding("utf8"), "data");
  const manager = await openManager({
    provider: "openai-compatible",
    model: "m",
    remote: { baseUrl: `http://127.0.0.1:${JSON.parse(line).port}/v1` },
  });
  console.log(`open, nothing indexed: ${JSON.stringify(await look())}`);
  const report = await measured("indexing", () => manager.sync());
  console.log(`${report.chunks} chunks, ${report.embedded} vectors of ${values.dims} numbers`);
  const first = () => manager.search("what was said in note 3 of file 7", { deadlineMs: 30_000 });
  await measured("the first search", first);
  const taken = /** @type {number[]} */ ([]);
  await measured("300 searches, six at a time", async () => {
    for (let round = 0; round < 50; round++) {
      const asked = Array.from({ length: 6 }, async (_, n) => {
        const started = performance.now();
        await manager.search(`note ${round * 11 + n} of file ${round * 31 + n}`, { deadlineMs: 30_000 });
        taken.push(performance.now() - started);
      });
      await Promise.all(asked);
    }
  });
  const { p50, p99 } = quantiles(taken);
  console.log(`a search took ${Math.round(p50 ?? 0)} ms (median), ${Math.round(p99 ?? 0)} ms (p99)`);
  await measured("a status that looks at the disk", () => manager.inspect());
  await pause(15_000);
  console.log(`at rest: ${JSON.stringify(await look())}`);
  await manager.close();
  server.kill();
}

async function ofTranscript() {
  const folder = path.join(dir, "agents", "main", "sessions");
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "long.jsonl");
  const said = (/** @type {string} */ role, /** @type {string} */ text) =>
    `${JSON.stringify({ type: "message", message: { role, content: [{ type: "text", text }] } })}\n`;
  const handle = await open(file, "a");
  const output = said("toolResult", "x".repeat(TOOL_BYTES));
  for (let n = 0; n * TOOL_BYTES < Number(values.mib) * 2 ** 20; n++) {
    await handle.write(said("user", `Remark ${n}: the meter of room ${(n * 7919) % 1000} reads ${n * 31}.`) + output);
  }
  await handle.close();
  const manager = await openManager({ provider: "none", sources: ["sessions"], experimental: { sessionMemory: true } });
  console.log(`open, nothing indexed: ${JSON.stringify(await look())}`);
  const size = ((await stat(file)).size / 2 ** 30).toFixed(2);
  const report = await measured(`reading a transcript of ${size} GiB`, () => manager.sync());
  console.log(`${(await manager.inspect()).status.chunks} chunks (${JSON.stringify(report)})`);
  await appendFile(file, said("user", "The quokka sleeps in the attic."));
  await measured("one message more", () => manager.sync());
  const [hit] = await manager.search("where does the quokka sleep");
  console.log(hit?.snippet.includes("attic") ? "it is found" : `it is not found: ${JSON.stringify(hit)}`);
  if (!hit?.snippet.includes("attic")) process.exitCode = 1;
  await manager.close();
}

try {
  if (positionals[0] === "chunks") await ofChunks();
  else if (positionals[0] === "transcript") await ofTranscript();
  else throw new Error("say what to measure: chunks or transcript");
} finally {
  clearInterval(timer);
  await rm(dir, { recursive: true, force: true });
}
