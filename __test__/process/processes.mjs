// Several processes on one workspace: gateways that stay, commands that come and go, writers that edit and sync. Those
// that hold the writer lease are killed and stopped. Nobody may see a busy error, no edit may be lost, and the lease must
// change hands soon.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MemoryIndexManager } from "../../index.js";
import { firstDifference, writtenRows } from "../support/content.mjs";
import { startProvider } from "../support/provider.mjs";
import { random } from "../support/random.mjs";

const fileOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const WRITERS = 4;
/** Longest time until somebody else holds the lease, in milliseconds. */
const HAND_OVER_MS = 30_000;
/** How often a process goes on until it is stopped inside a write transaction, and looks for the moment to stop it. */
const TRIES = 40;
const LOOKS = 2000;
/** How often it is looked whether a process stands still. */
const STOP_LOOKS = 5000;
/** Time that a process which went on has to write what it must not, in milliseconds. */
const AWAKE_MS = 4000;
/** Time that an end of the run may take on a busy machine, in milliseconds. */
const END_MS = 20_000;

/**
 * @typedef {{what: string, ms?: number, code?: string, message?: string, name?: string, found?: string | null}} Event
 * @typedef {{role: string, number: number, child: import("node:child_process").ChildProcess, isStopped: boolean, wasStopped: boolean,
 *   ended: Promise<unknown>}} Member
 * @typedef {{syncs: number, searches: number, kills: number, stops: number, stoppedInside: number,
 *   slowestSyncMs: number, handOverMs: {killed: number[], stopped: number[]}, settledMs: number, problems: string[]}} Outcome
 *   `stoppedInside` counts processes that were stopped inside a write transaction: what they hold only they can give back.
 *   `problems` is empty when all promises hold.
 */

class Lease {
  /** Who holds it, 0 for nobody. */
  pid = 0;
  #child;
  /** @type {((answer: any) => void)[]} */
  #asked = [];

  /** @param {string} database */
  constructor(database) {
    this.#child = spawn(process.execPath, ["--no-warnings", fileOf("./lease-child.mjs"), database], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface(this.#child.stdout).on("line", (line) => {
      const said = JSON.parse(line);
      if (said.lease) this.pid = said.lease.pid;
      else this.#asked.shift()?.(said);
    });
  }

  /** @param {string} question */
  async ask(question) {
    this.#child.stdin.write(`${question}\n`);
    return await new Promise((resolve) => this.#asked.push(resolve));
  }

  /**
   * Whether a stopped process sits inside a write transaction; lets it go on until it does, some times.
   * @param {import("node:child_process").ChildProcess} child
   * @param {number} tries
   */
  async isStuckAfter(child, tries) {
    for (let left = tries; left > 0; left--) {
      if (await this.isStuck()) return true;
      child.kill("SIGCONT");
      for (let looks = LOOKS; looks > 0 && !(await this.ask("locked?")).locked; looks--);
      await stop(child);
    }
    return await this.isStuck();
  }

  /** Whether a process that was just stopped sits inside a write transaction: all others leave theirs soon. */
  async isStuck() {
    for (let left = 20; left > 0; left--) {
      if (!(await this.ask("locked?")).locked) return false;
      await pause(15);
    }
    return true;
  }

  /**
   * Waits until somebody holds it that is welcome; gives the milliseconds it took, or undefined.
   * @param {(pid: number) => boolean} isWelcome
   * @param {number} patienceMs
   */
  async heldBy(isWelcome, patienceMs) {
    const began = Date.now();
    while (Date.now() - began < patienceMs) {
      if (this.pid && isWelcome(this.pid)) return Date.now() - began;
      await pause(5);
    }
    return undefined;
  }

  async end() {
    const ended = once(this.#child, "close");
    this.#child.stdin.end();
    await ended;
  }
}

/** Stops a process, and waits until all its threads stand still. @param {import("node:child_process").ChildProcess} child */
async function stop(child) {
  child.kill("SIGSTOP");
  const tasks = `/proc/${child.pid}/task`;
  const stands = async (/** @type {string} */ task) => / [TZX] /.test(await readFile(`${tasks}/${task}/stat`, "utf8").catch(() => " X "));
  for (let left = STOP_LOOKS; left > 0; left--) {
    const states = await Promise.all((await readdir(tasks).catch(() => [])).map(stands));
    if (states.every(Boolean)) return;
    await pause(2);
  }
  throw new Error(`process ${child.pid} does not stop`);
}

class Home {
  #dir;
  #search;

  /**
   * @param {string} dir
   * @param {string} baseUrl
   */
  constructor(dir, baseUrl) {
    this.#dir = dir;
    // Events are trusted here; what they miss must not wait a minute in a run of seconds.
    const sync = { watchDebounceMs: 200, reconcileSeconds: 5 };
    this.#search = { provider: "openai-compatible", model: "m", remote: { baseUrl }, sync };
  }

  get database() {
    return path.join(this.#dir, "state/memory-core-rs/main/index.sqlite");
  }

  request(state = "state") {
    const cfg = { agents: { defaults: { workspace: path.join(this.#dir, "workspace") } }, memory: { search: this.#search } };
    return { cfg, agentId: "main", stateDir: path.join(this.#dir, state), modelPaths: [], env: {} };
  }

  /** @param {number} files */
  async fill(files) {
    await mkdir(path.join(this.#dir, "workspace/memory"), { recursive: true });
    await this.write("anchor", "The quokka keeps the anchor word zanzibar.\n");
    for (let n = 0; n < files; n++) await this.write(`note-${n}`, `- Note ${n}: ${"what was said ".repeat(4)}\n`.repeat(30));
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  async write(name, text) {
    await writeFile(path.join(this.#dir, `workspace/memory/${name}.md`), text);
  }

  /**
   * @template T
   * @param {(manager: MemoryIndexManager) => Promise<T>} work
   * @param {string} [state]
   */
  async use(work, state) {
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...this.request(state), purpose: "cli" }));
    try {
      return await work(manager);
    } finally {
      await manager.close();
    }
  }

  /** A copy of the index. @param {string} name @param {string} [state] */
  async copy(name, state) {
    const copy = path.join(this.#dir, name);
    await this.use(async (manager) => void (await manager.backup(copy)), state);
    return copy;
  }
}

/**
 * @param {(home: Home, lease: Lease, begin: typeof startMember) => Promise<void>} work
 * @param {number} files
 */
async function withHome(work, files) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-processes-"));
  const provider = await startProvider({ latencyMs: 2, counting: false });
  const home = new Home(dir, provider.baseUrl);
  /** @type {Member[]} */
  const members = [];
  /** @type {Lease | undefined} */
  let lease;
  try {
    await home.fill(files);
    await home.use(async (manager) => void (await manager.sync()));
    lease = new Lease(home.database);
    await work(home, lease, (...about) => {
      const member = startMember(...about);
      members.push(member);
      return member;
    });
  } finally {
    await lease?.end();
    for (const { child } of members) child.kill("SIGKILL");
    provider.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * @param {Home} home
 * @param {string} role
 * @param {number} number
 * @param {(member: Member, event: Event) => void} hear
 * @returns {Member}
 */
function startMember(home, role, number, hear) {
  const args = [fileOf("./process-child.mjs"), JSON.stringify(home.request()), role, String(number), String(Date.now() % 2 ** 31)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  /** @type {Member} */
  const member = { role, number, child, isStopped: false, wasStopped: false, ended: once(child, "close") };
  // One that was killed has no input any more.
  child.stdin.on("error", () => undefined);
  createInterface(child.stdout).on("line", (line) => hear(member, JSON.parse(line)));
  return member;
}

/**
 * @param {{seconds: number, seed: number, files: number, hurry: boolean}} options With `hurry` the lease of a stopped
 *   process is made to run out at once, which otherwise takes 20 s.
 * @returns {Promise<Outcome>}
 */
export async function processRun({ seconds, seed, files, hurry }) {
  const next = random(seed);
  /** @type {Outcome} */
  const outcome = {
    syncs: 0,
    searches: 0,
    kills: 0,
    stops: 0,
    stoppedInside: 0,
    slowestSyncMs: 0,
    handOverMs: { killed: [], stopped: [] },
    settledMs: 0,
    problems: [],
  };

  /** @type {(member: Member, event: Event) => void} */
  const hear = (member, { what, ms, code, message, name, found }) => {
    const who = `${member.role} ${member.number}`;
    if (what === "lost") outcome.problems.push(`${who} does not find what it wrote to ${name} but ${found}`);
    else if (code) outcome.problems.push(`${who}, ${what}: ${code} ${message}`);
    if (what === "sync" && ms !== undefined) {
      outcome.syncs++;
      if (!member.wasStopped) outcome.slowestSyncMs = Math.max(outcome.slowestSyncMs, ms);
      member.wasStopped = member.isStopped;
    }
    if (what === "search") outcome.searches++;
  };

  await withHome(async (home, lease, begin) => {
    const started = Date.now();
    const left = () => started + seconds * 1000 - Date.now();
    const places = [["gateway", 0], ["gateway", 1], ["command", 0], ...Array.from({ length: WRITERS }, (_, n) => ["writer", n])];
    /** @type {Map<string, Member>} */
    const members = new Map();
    let [isOver, latecomers] = [false, 0];
    /** Keeps a place taken: whoever ends is followed by another one. @type {(role: string, number: number) => void} */
    const keep = (role, number) => {
      const member = begin(home, role, number, hear);
      members.set(`${role} ${number}`, member);
      void member.ended.then(() => isOver || keep(role, number));
    };
    for (const [role, number] of places) keep(String(role), Number(number));

    const holder = () => [...members.values()].find(({ child }) => child.pid === lease.pid);
    const killHolder = async () => {
      const victim = holder() ?? [...members.values()][Math.floor(next() * members.size)];
      const { pid } = victim.child;
      const isHolder = pid === lease.pid;
      victim.child.kill("SIGKILL");
      outcome.kills++;
      const ms = isHolder ? await lease.heldBy((now) => now !== pid, HAND_OVER_MS) : 0;
      if (ms === undefined) outcome.problems.push(`nobody replaced ${victim.role} ${victim.number} after its end`);
      else if (isHolder) outcome.handOverMs.killed.push(ms);
    };
    const stopHolder = async () => {
      await lease.heldBy(() => holder() !== undefined, 2000);
      const victim = holder();
      if (!victim) return;
      const { pid } = victim.child;
      [victim.isStopped, victim.wasStopped] = [true, true];
      await stop(victim.child);
      // Every second one is to sit inside a write transaction, where it keeps the file locked.
      const isStuck = await lease.isStuckAfter(victim.child, outcome.stops++ % 2 ? TRIES : 0);
      if (isStuck) {
        outcome.stoppedInside++;
        // Longer than anybody waits for a lock. One that comes now can open and wait.
        const late = begin(home, "command", 1, hear);
        await pause(hurry ? 1000 : 7000);
        void late.ended.then(() => latecomers--);
        latecomers++;
      } else if (lease.pid === pid) {
        if (hurry) while (!(await lease.ask("expire")).expired) await pause(10);
        const ms = await lease.heldBy((now) => now !== pid, HAND_OVER_MS);
        if (ms === undefined) outcome.problems.push(`nobody replaced ${victim.role} ${victim.number} while it was stopped`);
        else outcome.handOverMs.stopped.push(ms);
        await pause(500);
      }
      victim.isStopped = false;
      victim.child.kill("SIGCONT");
    };

    await pause(1000);
    while (left() > 0) {
      // Without hurry a stop takes 20 s. There is one of each kind in any case.
      const isTime = hurry || left() > HAND_OVER_MS;
      if (isTime && (outcome.stops < 2 || next() < 0.3)) await stopHolder();
      else await killHolder();
      await pause(200 + next() * 1300);
    }

    // The writers end; the gateway is what keeps the index fresh from here on.
    isOver = true;
    const gateway = /** @type {Member} */ (members.get("gateway 0"));
    for (const member of members.values()) if (member !== gateway) member.child.stdin?.end();
    await Promise.all([...members.values()].filter((member) => member !== gateway).map(({ ended }) => ended));
    while (latecomers > 0) await pause(20);
    const quiet = Date.now();
    const isBehind = async () => {
      const { plan } = await home.use(async (manager) => await manager.plan());
      return plan.changed.length + plan.removed.length + plan.texts > 0;
    };
    while ((await isBehind()) && Date.now() - quiet < END_MS) await pause(100);
    outcome.settledMs = Date.now() - quiet;
    if (await isBehind()) outcome.problems.push("the gateway does not bring the index up to date");
    gateway.child.stdin?.end();
    await gateway.ended;
    await home.use(async (manager) => void (await manager.sync()), "fresh");
    const different = await firstDifference(await home.copy("old.sqlite"), await home.copy("fresh.sqlite", "fresh"));
    if (different) outcome.problems.push(`the index differs from a fresh one, first in ${different}`);
  }, files);
  return outcome;
}

/**
 * Stops a process in the middle of a rebuild, lets another one take over and finish, and lets the first one go on while
 * somebody holds the lease.
 * @param {{files: number, hurry: boolean}} options
 * @returns {Promise<{sync: Event | undefined, handOverMs: number | undefined, written: string[]}>} What the stopped one
 *   told of its rebuild, how long it took until somebody held its lease, and the rows that it wrote while it had none.
 */
export async function stoppedHolder({ files, hurry }) {
  /** @type {Event[]} */
  const heard = [];
  /** @type {{sync: Event | undefined, handOverMs: number | undefined, written: string[]}} */
  const outcome = { sync: undefined, handOverMs: undefined, written: [] };
  await withHome(async (home, lease, begin) => {
    const stopped = begin(home, "rebuild", 0, (_, event) => heard.push(event));
    const { pid } = stopped.child;
    await lease.heldBy((now) => now === pid, END_MS);
    await stop(stopped.child);
    while (await lease.isStuck()) {
      stopped.child.kill("SIGCONT");
      await pause(3);
      await stop(stopped.child);
    }
    if (lease.pid !== pid) throw new Error("the rebuild was over before it was stopped: it needs more files");
    await home.write("late", "Written while the holder was stopped.\n");
    if (hurry && !(await lease.ask("expire")).expired) throw new Error("the lease cannot be made to run out");
    const successor = begin(home, "command", 0, (_, event) => heard.push({ ...event, what: `successor: ${event.what}` }));
    outcome.handOverMs = await lease.heldBy((now) => now === successor.child.pid, HAND_OVER_MS);
    if (outcome.handOverMs === undefined) return;
    await successor.ended;
    if (!(await lease.ask("take")).taken) throw new Error("the lease cannot be taken");
    const before = await writtenRows(await home.copy("before.sqlite"));
    stopped.child.kill("SIGCONT");
    await pause(AWAKE_MS);
    const after = await writtenRows(await home.copy("after.sqlite"));
    outcome.written = after.filter((row, n) => row !== before[n]);
    await lease.ask("expire");
    await stopped.ended;
    outcome.sync = heard.find(({ what }) => what === "sync");
  }, files);
  return outcome;
}
