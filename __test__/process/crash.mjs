// Kills a process at random instants of its work on one index that lives on from round to round, and looks after each
// kill whether the index is whole, answers, holds no stray file, and goes on.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MemoryIndexManager } from "../../index.js";
import { firstDifference } from "../support/content.mjs";
import { startProvider } from "../support/provider.mjs";
import { random } from "../support/random.mjs";

const CHILD = fileURLToPath(new URL("./crash-child.mjs", import.meta.url));

/** The file that is never edited: the last complete generation always has it. */
const ANCHOR = "memory/anchor.md";

/** Chunk sizes that the rounds change between; a change of them rebuilds the whole index. */
const CHUNK_TOKENS = [400, 200];

/** Files that may lie beside the database. */
const EXPECTED = /^index\.sqlite(-wal|-shm)?$/;

/** How long a round waits for the moment of its kill at most, in milliseconds. */
const LATEST_KILL_MS = 400;

/**
 * @typedef {{round: number, killed: boolean, afterMs: number, work: string, problems: string[]}} Round `problems` is empty
 *   when everything that was promised holds.
 */

/**
 * @param {{rounds: number, files: number, seed: number}} options
 * @returns {AsyncGenerator<Round>}
 */
export async function* crashRounds({ rounds, files, seed }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-crash-"));
  const provider = await startProvider({ latencyMs: 2 });
  const next = random(seed);
  const home = new Home(dir, provider.baseUrl, next);
  try {
    await home.fill(files);
    await home.use("state", async (manager) => void (await manager.sync()));
    for (let round = 0; round < rounds; round++) {
      const edits = await home.edit();
      const work = home.chooseWork();
      const { killed, afterMs } = await home.killSync(work, next() ** 2 * LATEST_KILL_MS);
      const problems = await home.check();
      yield { round, killed, afterMs, work: `${work}, ${edits}`, problems };
    }
    yield {
      round: rounds,
      killed: false,
      afterMs: 0,
      work: "the end",
      problems: [...(await home.compare()), ...overpaid(provider.counts, rounds)],
    };
  } finally {
    provider.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Texts that were sent more often than kills can explain: what is under way at a kill is sent again, and nothing else.
 * @param {Map<string, number>} counts
 * @param {number} rounds
 */
function overpaid(counts, rounds) {
  const again = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
  // Requests under way at a kill, times what a request holds at this size.
  const allowed = rounds * 64;
  return again > allowed ? [`${again} texts were sent again, more than ${allowed}`] : [];
}

class Home {
  #dir;
  #baseUrl;
  #next;
  #tokens = 0;
  /** Files by name, with the number of their edition. @type {Map<string, number>} */
  #files = new Map();

  /**
   * @param {string} dir
   * @param {string} baseUrl
   * @param {() => number} next
   */
  constructor(dir, baseUrl, next) {
    this.#dir = dir;
    this.#baseUrl = baseUrl;
    this.#next = next;
  }

  get #workspace() {
    return path.join(this.#dir, "workspace");
  }

  /** @param {string} state */
  #request(state) {
    const search = {
      provider: "openai-compatible",
      model: "m",
      remote: { baseUrl: this.#baseUrl },
      chunking: { tokens: CHUNK_TOKENS[this.#tokens], overlap: 20 },
    };
    const cfg = { agents: { defaults: { workspace: this.#workspace } }, memory: { search } };
    // Without the embedded model: it would embed single lines as well, which is another pass and takes long.
    return { cfg, agentId: "main", stateDir: path.join(this.#dir, state), modelPaths: [], env: {} };
  }

  /**
   * @template T
   * @param {string} state
   * @param {(manager: MemoryIndexManager) => Promise<T>} work
   */
  async use(state, work) {
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...this.#request(state), purpose: "cli" }));
    try {
      return await work(manager);
    } finally {
      await manager.close();
    }
  }

  /** @param {string} name */
  async #write(name) {
    const edition = (this.#files.get(name) ?? 0) + 1;
    const lines = Array.from({ length: 12 }, (_, line) => `- Note ${line} of ${name}, edition ${edition}: ${"what was said ".repeat(4)}`);
    await writeFile(path.join(this.#workspace, name), lines.join("\n"));
    this.#files.set(name, edition);
  }

  /** @param {number} count */
  async fill(count) {
    await mkdir(path.join(this.#workspace, "memory"), { recursive: true });
    await writeFile(path.join(this.#workspace, ANCHOR), "The quokka keeps the anchor word zanzibar.\n");
    for (let n = 0; n < count; n++) await this.#write(`memory/note-${n}.md`);
  }

  #name() {
    const names = [...this.#files.keys()];
    return /** @type {string} */ (names[Math.floor(this.#next() * names.length)]);
  }

  /** Changes, removes, renames and adds some files. */
  async edit() {
    const edits = 1 + Math.floor(this.#next() * 40);
    for (let n = 0; n < edits; n++) {
      const chance = this.#next();
      const name = this.#name();
      if (chance < 0.6) await this.#write(name);
      else if (chance < 0.8) {
        const renamed = `memory/note-${Math.floor(this.#next() * 1e9)}.md`;
        await rename(path.join(this.#workspace, name), path.join(this.#workspace, renamed));
        this.#files.set(renamed, this.#files.get(name) ?? 1);
        this.#files.delete(name);
      } else {
        await rm(path.join(this.#workspace, name));
        this.#files.delete(name);
        await this.#write(`memory/note-${Math.floor(this.#next() * 1e9)}.md`);
      }
    }
    return `${edits} edits`;
  }

  chooseWork() {
    const chance = this.#next();
    if (chance < 0.15) return "rebuild";
    if (chance > 0.25) return "update";
    this.#tokens = 1 - this.#tokens;
    return "other chunks";
  }

  /**
   * @param {string} work
   * @param {number} afterMs
   */
  async killSync(work, afterMs) {
    const options = JSON.stringify({ reason: "crash", force: work === "rebuild" });
    const child = spawn(process.execPath, [CHILD, JSON.stringify(this.#request("state")), options], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    const working = once(child.stdout, "data");
    // A third of the kills come while the process still starts and opens the index.
    if (this.#next() > 0.33) await Promise.race([working, ended]);
    await pause(afterMs);
    const killed = child.kill("SIGKILL");
    await ended;
    return { killed: killed && !output.includes("done"), afterMs: Math.round(afterMs) };
  }

  /** What does not hold after a kill. */
  async check() {
    const problems = [];
    const own = path.join(this.#dir, "state", "memory-core-rs", "main");
    const stray = (await readdir(own)).filter((name) => !EXPECTED.test(name));
    if (stray.length > 0) problems.push(`stray files: ${stray.join(", ")}`);
    await this.use("state", async (manager) => {
      const [hit] = await manager.search("zanzibar", { lexicalOnly: true });
      if (hit?.path !== ANCHOR) problems.push(`the last complete generation is not served: ${JSON.stringify(hit ?? null)}`);
      const checks = await manager.doctor({ repair: false });
      // The disk and the vectors are behind: that is what was killed.
      const bad = checks.filter(({ name, ok }) => !ok && name !== "disk" && name !== "embeddings");
      problems.push(...bad.map(({ name, found }) => `${name}: ${found}`));
      if (this.#next() < 0.2) {
        const report = await manager.sync();
        if (report.pending || report.embeddingError) problems.push(`not resumed: ${JSON.stringify(report)}`);
        const after = await manager.doctor({ repair: false });
        problems.push(...after.filter(({ ok }) => !ok).map(({ name, found }) => `after resuming, ${name}: ${found}`));
      }
    });
    return problems;
  }

  /** Whether the index that lived through it all is the one that a fresh start gives. */
  async compare() {
    const [old, fresh] = ["state", "fresh"].map((state) => path.join(this.#dir, `${state}.sqlite`));
    for (const [state, copy] of [
      ["state", old],
      ["fresh", fresh],
    ]) {
      await this.use(state, async (manager) => {
        await manager.sync();
        await manager.backup(copy);
      });
    }
    const different = await firstDifference(old, fresh);
    return different ? [`the index differs from a fresh one, first in ${different}`] : [];
  }
}
