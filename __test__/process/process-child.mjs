// One of the processes that share an index. Tells what happens to it, one JSON line each; ends at the end of its input.
//   node process-child.mjs <request as JSON> <role> <number> <seed>
// gateway: stays open, watches and searches. writer: edits files of its own, syncs and looks for what it wrote.
// command: one sync and one search, as the command line does. rebuild: one forced sync.

import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryIndexManager } from "../../index.js";
import { random } from "../support/random.mjs";

const [request, role, number, seed] = [JSON.parse(process.argv[2]), ...process.argv.slice(3)];
const next = random(Number(seed));
/** Files that a writer has; it edits them again and again. */
const FILES = 12;

let isOver = false;
process.stdin.on("data", () => undefined).once("end", () => (isOver = true));

const tell = (/** @type {object} */ what) => process.stdout.write(`${JSON.stringify(what)}\n`);

/**
 * Does one thing and tells of it; what failed gives undefined.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 */
async function attempt(what, work) {
  const began = Date.now();
  try {
    const done = await work();
    const refusal = /** @type {any} */ (done)?.embeddingError;
    tell(refusal ? { what, code: refusal.code, message: refusal.message } : { what, ms: Date.now() - began });
    return done;
  } catch (error) {
    const { code, message } = /** @type {any} */ (error);
    tell({ what, code: code ?? "none", message });
    return undefined;
  }
}

const purpose = role === "gateway" ? undefined : "cli";
const opened = await attempt("open", async () => await MemoryIndexManager.get({ ...request, purpose, env: {} }));
if (!opened) process.exit(1);
const manager = opened;

const search = async () => await attempt("search", async () => await manager.search("zanzibar", { lexicalOnly: true }));

let edits = 0;

/** Edits files of this writer; gives the last text and where it is to be found, if it was not a removal. */
async function edit() {
  let last = { name: "", word: "" };
  for (let left = 1 + Math.floor(next() * 4); left > 0; left--) {
    const name = `memory/writer-${number}-${Math.floor(next() * FILES)}.md`;
    const file = path.join(request.cfg.agents.defaults.workspace, name);
    const word = `w${number}x${process.pid}x${++edits}`;
    const isRemoval = next() < 0.15;
    if (isRemoval) await rm(file, { force: true });
    else
      await writeFile(
        file,
        Array.from({ length: 20 }, (_, line) => `- ${word} line ${line}: ${"words that are said ".repeat(3)}`).join("\n"),
      );
    last = { name, word: isRemoval ? "" : word };
  }
  return last;
}

async function write() {
  const { name, word } = await edit();
  const report = await attempt("sync", async () => await manager.sync());
  if (!report || !word) return;
  const hits = await attempt("search", async () => await manager.search(word, { lexicalOnly: true }));
  if (hits && hits[0]?.path !== name) tell({ what: "lost", name, word, found: hits[0]?.path ?? null });
}

/** @type {Record<string, () => Promise<unknown>>} */
const ROLES = {
  gateway: async () => {
    while (!isOver) {
      await search();
      await pause(100);
    }
  },
  writer: async () => {
    while (!isOver) {
      await write();
      await pause(next() * 60);
    }
  },
  command: async () => {
    await attempt("sync", async () => await manager.sync());
    await search();
  },
  rebuild: async () => void (await attempt("sync", async () => await manager.sync({ force: true }))),
};
await ROLES[role]();
await attempt("close", async () => await manager.close());
process.stdin.destroy();
