// A search that finds nothing because of a fault is an error with its code, and its command ends with 1: it answered
// "No matches." with 0.

import { spawnSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { constants } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { commandLine } from "../support/command-line.mjs";
import { makeWorkspace } from "../support/workspace.mjs";
import { buildLibrary, Control, FAULTS } from "./fault-control.mjs";

test("with a folder in place of the index", async () => {
  const { stateDir, run, json } = await commandLine();
  const index = path.join(stateDir, "memory-core-rs/main/index.sqlite");
  await run("index");
  await rm(path.dirname(index), { recursive: true });
  await mkdir(index, { recursive: true });
  const said = await run("search", "sencha");
  expect(said).toMatchObject({ code: 1, stdout: "", output: expect.stringMatching(/index\.sqlite is not a regular file.*\[MEM_PATH\]/) });
  expect(await json("search", "sencha")).toMatchObject({ error: { code: "MEM_PATH", remedy: expect.any(String) } });
  expect(process.exitCode).toBe(1);
});

/** How a process begins that may soon open only as many files as are left. */
const LIMITED = `
  import { closeSync, openSync } from "node:fs";
  import { writeFile } from "node:fs/promises";
  const { root, request, left, note } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  const { native } = await import(root + "lib/native.js");
  const held = [];
  const limit = () => {
    try {
      while (left !== undefined) held.push(openSync("/dev/null"));
    } catch {}
    for (const file of left ? held.splice(-left) : []) closeSync(file);
  };
  const release = () => held.splice(0).forEach((file) => closeSync(file));
  const error = ({ code, message, remedy }) => ({ code, message, remedy });
`;

/** Searches in such a process, which has the engine already or not. */
const search = (/** @type {boolean} */ loaded) => `${LIMITED}
  if (${loaded}) native();
  limit();
  let told;
  try {
    const manager = await Manager.get(request);
    told = { hits: (await manager.search("sencha")).length };
    await manager.close();
  } catch (thrown) {
    told = error(thrown);
  }
  release();
  console.log(JSON.stringify(told));
  process.exit();
`;
const SEARCH = search(true);

/** Indexes a new note in such a process, and the old one anew. */
const UPDATE = `${LIMITED}
  const manager = await Manager.get(request);
  await manager.sync();
  await writeFile(note, "The harbour pilot is called Ines.");
  limit();
  const report = await manager.sync({ force: true }).catch(error);
  const meanwhile = await manager.searchDetailed("harbour pilot").catch(error);
  release();
  const kept = (await manager.search("sencha")).length;
  const later = await manager.sync();
  console.log(JSON.stringify({ report, meanwhile, kept, later, found: (await manager.search("harbour pilot")).length }));
  process.exit();
`;

/**
 * @param {string} script
 * @param {string} limit What the shell does first.
 * @param {{left?: number, env?: Record<string, string>, request?: object, note?: string}} [more] Files that may still be opened.
 */
async function within(script, limit, { left, env, note, request } = {}) {
  const home = request ? undefined : await makeWorkspace();
  const call = {
    root: pathToFileURL(`${process.cwd()}/`).href,
    request: { ...(request ?? home?.request), purpose: "cli" },
    note: note ?? (home && path.join(home.workspace, "USER.md")),
    left,
  };
  const args = ["-c", `${limit}; exec "$@"`, "sh", process.execPath, "--input-type=module", "-e", script, JSON.stringify(call)];
  const { stdout, stderr } = spawnSync("sh", args, { encoding: "utf8", timeout: 60_000, env: { ...process.env, ...env } });
  expect(stdout, stderr).not.toBe("");
  return JSON.parse(stdout);
}

test.runIf(process.platform === "linux")(
  "with too few file descriptors, at whichever moment they run out",
  async () => {
    const told = [];
    for (let left = 0; left <= 8; left++) told.push(await within(SEARCH, "ulimit -n 64", { left }));
    for (const { hits, code } of told) expect(hits === 1 || /^MEM_(IO|READ_ONLY)$/.test(code), JSON.stringify(told)).toBe(true);
    expect(told[0]).toHaveProperty("code");
    // It advised to make the folder writable, which it was.
    const words = told.map(({ message }) => message ?? "").join("\n");
    expect(words).not.toMatch(/writable/);
    expect(words).toMatch(/open files/);
  },
  120_000,
);

// The engine's threads could not be started, which ended the process, a gateway too.
test.runIf(process.platform === "linux")(
  "with too few file descriptors to start the engine",
  async () => {
    for (let left = 0; left <= 14; left += 2) {
      const told = await within(search(false), "ulimit -n 64", { left });
      expect(told.hits === 1 || told.code === "MEM_IO", JSON.stringify({ left, told })).toBe(true);
      if (left < 12) expect(told).toMatchObject({ code: "MEM_IO", remedy: expect.stringMatching(/ulimit -n/) });
    }
  },
  60_000,
);

// Notes that could not be opened were left out without a word, and a rebuild took the place of an index that had them.
test.runIf(process.platform === "linux")(
  "notes for which no descriptor is left are said to be unread, stay in the index, and are read later",
  async () => {
    let unread = 0;
    for (let left = 0; left <= 8; left++) {
      const told = await within(UPDATE, "ulimit -n 64", { left });
      const { report, meanwhile, kept, found } = told;
      expect({ left, kept, found }, JSON.stringify(told)).toEqual({ left, kept: 1, found: 1 });
      if (meanwhile.hits?.length > 0) continue;
      expect(report.code ?? report.warning, JSON.stringify(told)).toMatch(/^MEM_IO$|open files/);
      expect(meanwhile.code, JSON.stringify(told)).toBe("MEM_IO");
      unread += report.warning ? 1 : 0;
    }
    expect(unread).toBeGreaterThan(0);
  },
  120_000,
);

const FULL = { code: "MEM_DISK_FULL", remedy: expect.stringMatching(/Free some space/) };

test.runIf(process.platform === "linux")(
  "with no room for the index",
  async () => {
    expect(await within(SEARCH, "trap '' XFSZ; ulimit -f 0")).toMatchObject(FULL);
  },
  60_000,
);

/** Indexes, or asks by meaning where nothing has a vector yet. */
const BY_MEANING = `
  const { root, request, left } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  const manager = await Manager.get(request);
  const told = left ? await manager.sync() : await manager.searchDetailed("a warm drink that somebody likes");
  await manager.close();
  console.log(JSON.stringify(told));
  process.exit();
`;

// It said that the notes are still being embedded, as if the provider were at fault.
test.runIf(process.platform === "linux")(
  "with a full disk before anything is embedded",
  async () => {
    const { dir, request, stateDir, config } = await makeWorkspace();
    const [file, fault] = [path.join(dir, "control"), FAULTS.find(({ error }) => error === constants.errno.ENOSPC)];
    const control = new Control(file);
    onTestFinished(() => control.close());
    const env = { LD_PRELOAD: buildLibrary(dir), IO_FAULTS_FOLDER: `${stateDir}/`, IO_FAULTS_CONTROL: file };
    const embedded = { ...request, cfg: config({ provider: "embedded" }) };
    // The model is unpacked, and the notes are known by their words only.
    await within(BY_MEANING, ":", { env, request: embedded, left: 1 });
    await rm(path.join(stateDir, "memory-core-rs/main"), { recursive: true });
    await within(BY_MEANING, ":", { env, request: { ...request, cfg: config({ provider: "none" }) }, left: 1 });
    control.arm(/** @type {import("./fault-control.mjs").Fault} */ (fault), 0);
    expect(await within(BY_MEANING, ":", { env, request: embedded })).toMatchObject({ ...FULL, hits: [], mode: "fts-only" });
  },
  120_000,
);

test.runIf(process.platform === "linux")(
  "with a disk that is full from the first write on, or from any later one",
  async () => {
    const { dir, request, stateDir } = await makeWorkspace();
    const [file, fault] = [path.join(dir, "control"), FAULTS.find(({ error }) => error === constants.errno.ENOSPC)];
    const control = new Control(file);
    onTestFinished(() => control.close());
    const env = { LD_PRELOAD: buildLibrary(dir), IO_FAULTS_FOLDER: `${stateDir}/`, IO_FAULTS_CONTROL: file };
    for (const skip of [0, 1, 3, 9, 27]) {
      await rm(stateDir, { recursive: true, force: true });
      control.arm(/** @type {import("./fault-control.mjs").Fault} */ (fault), skip);
      const told = await within(SEARCH, ":", { env, request });
      if (control.disarm() === 0) continue;
      expect(told, `after ${skip}`).toMatchObject(FULL);
      // What the first one left half made was taken for a damaged index.
      control.arm(/** @type {import("./fault-control.mjs").Fault} */ (fault), 0);
      expect(await within(SEARCH, ":", { env, request }), `again after ${skip}`).toMatchObject(FULL);
      control.disarm();
    }
    // A full disk is no reason not to search what is there.
    await rm(stateDir, { recursive: true, force: true });
    expect(await within(SEARCH, ":", { env, request })).toEqual({ hits: 1 });
    control.arm(/** @type {import("./fault-control.mjs").Fault} */ (fault), 0);
    expect(await within(SEARCH, ":", { env, request })).toEqual({ hits: 1 });
  },
  120_000,
);
