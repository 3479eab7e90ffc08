// Thousands of files and folders created, renamed and removed in a burst, under the eyes of a gateway that has nothing but
// the events of the system: in the end its index must equal the disk, and watching must not cost more.

import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryIndexManager } from "../../index.js";
import { firstDifference } from "../support/content.mjs";
import { held } from "../support/held.mjs";

/** Where Linux keeps the number of events that may wait for a reader; each watch takes it over when it begins. */
const QUEUE = "/proc/sys/fs/inotify/max_queued_events";
const FOLDERS = 40;
/** Time for the index to follow on a busy machine, in milliseconds. */
const LATEST_MS = 120_000;
/** Descriptors and threads that come and go with work. */
const NOISE = { fds: 6, threads: 4 };

/**
 * @typedef {Awaited<ReturnType<typeof held>>} Held
 * @typedef {{changes: number, burstMs: number, settledMs: number, watched: number, before: Held, after: Held,
 *   problems: string[]}} Outcome `problems` is empty when all promises hold.
 * @param {{files: number, queue?: number}} options With `queue` so many events may wait: what comes beyond is lost. It needs
 *   the right to set it, and is set for the moment in which watching begins.
 * @returns {Promise<Outcome>}
 */
export async function storm({ files, queue }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-storm-"));
  const memory = path.join(dir, "workspace/memory");
  await mkdir(memory, { recursive: true });
  await writeFile(path.join(memory, "anchor.md"), "The quokka keeps the anchor word zanzibar.\n");
  // Nothing but events tells of a change.
  const search = { provider: "none", sync: { reconcileSeconds: 86_400 } };
  const cfg = { agents: { defaults: { workspace: path.join(dir, "workspace") } }, memory: { search } };
  const request = (state = "state") => ({ cfg, agentId: "main", stateDir: path.join(dir, state), modelPaths: [], env: {} });
  /** @type {MemoryIndexManager[]} */
  const managers = [];
  const open = async (/** @type {any} */ about) => {
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(about));
    managers.push(manager);
    return manager;
  };
  try {
    const gateway = await withQueue(queue, async () => {
      const manager = await open(request());
      while (watching(manager)?.mode !== "native") await pause(10);
      return manager;
    });
    await gateway.sync();
    const before = await held();
    const began = Date.now();
    const changes = await burst(memory, files);
    const quiet = Date.now();
    const isBehind = async () => {
      const { plan } = await gateway.plan();
      return plan.changed.length + plan.removed.length > 0;
    };
    while ((await isBehind()) && Date.now() - quiet < LATEST_MS) await pause(100);
    const settledMs = Date.now() - quiet;
    const problems = [];
    if (await isBehind()) problems.push("the index does not follow the disk");
    // Folders of the burst are watched like all others.
    await writeFile(path.join(memory, "folder-1-renamed/late.md"), "The wombat was written late.\n");
    const late = Date.now();
    while ((await isBehind()) && Date.now() - late < LATEST_MS) await pause(50);
    if (await isBehind()) problems.push("a folder of the burst is not watched");
    const after = await held();
    for (const name of /** @type {("fds" | "threads")[]} */ (["fds", "threads"])) {
      if (after[name] - before[name] > NOISE[name]) problems.push(`${name} grew from ${before[name]} to ${after[name]}`);
    }
    const fresh = await open({ ...request("fresh"), purpose: "cli" });
    await fresh.sync();
    const [old, anew] = [path.join(dir, "old.sqlite"), path.join(dir, "fresh.sqlite")];
    await gateway.backup(old);
    await fresh.backup(anew);
    const different = await firstDifference(old, anew);
    if (different) problems.push(`the index differs from a fresh one, first in ${different}`);
    return { changes, burstMs: quiet - began, settledMs, watched: watching(gateway)?.folders ?? 0, before, after, problems };
  } finally {
    for (const manager of managers) await manager.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** @param {MemoryIndexManager} manager @returns {{mode: string, folders: number} | undefined} */
function watching(manager) {
  return /** @type {any} */ (manager.status().custom)?.watch;
}

/**
 * @template T
 * @param {number | undefined} queue
 * @param {() => Promise<T>} work
 */
async function withQueue(queue, work) {
  if (queue === undefined) return await work();
  const before = await readFile(QUEUE, "utf8");
  await writeFile(QUEUE, String(queue));
  try {
    return await work();
  } finally {
    await writeFile(QUEUE, before);
  }
}

/** Creates files in folders, and renames, moves and removes a part of them and of the folders; gives the number of changes. */
async function burst(/** @type {string} */ memory, /** @type {number} */ files) {
  let changes = 0;
  const counted = async (/** @type {Promise<unknown>} */ change) => {
    await change;
    changes++;
  };
  const folderOf = (/** @type {number} */ n) => path.join(memory, `folder-${n % FOLDERS}`);
  for (let n = 0; n < FOLDERS; n++) await counted(mkdir(path.join(folderOf(n), "below"), { recursive: true }));
  for (let n = 0; n < files; n++) {
    const file = path.join(folderOf(n), n % 7 ? `${n}.md` : `below/${n}.md`);
    await counted(writeFile(file, `- Note ${n} of the storm.\n`));
    if (n % 3 === 0) await counted(rename(file, path.join(folderOf(n + 1), `renamed-${n}.md`)));
    else if (n % 11 === 0) await counted(rm(file));
  }
  for (let n = 1; n < FOLDERS; n += 5) await counted(rename(folderOf(n), `${folderOf(n)}-renamed`));
  for (let n = 3; n < FOLDERS; n += 10) await counted(rm(folderOf(n), { recursive: true }));
  return changes;
}
