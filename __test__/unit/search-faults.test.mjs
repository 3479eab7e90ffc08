// A search that finds nothing because of a fault is an error with its code, and its command ends with 1: it answered
// "No matches." with 0.

import { spawnSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { commandLine } from "./command-line.mjs";
import { makeWorkspace } from "./workspace.mjs";

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

/** Searches in a process of its own, which may open only as many files as are left. */
const SEARCH = `
  import { closeSync, openSync } from "node:fs";
  const { root, request, left } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  (await import(root + "lib/native.js")).native();
  const held = [];
  try {
    while (left !== undefined) held.push(openSync("/dev/null"));
  } catch {}
  for (const file of left ? held.splice(-left) : []) closeSync(file);
  let told;
  try {
    const manager = await Manager.get(request);
    told = { hits: (await manager.search("sencha")).length };
  } catch ({ code, message }) {
    told = { code, message };
  }
  for (const file of held) closeSync(file);
  console.log(JSON.stringify(told));
  process.exit();
`;

/**
 * @param {string} limit What the shell does first.
 * @param {number} [left] Files that may still be opened.
 */
async function searchWithin(limit, left) {
  const { request } = await makeWorkspace();
  const call = JSON.stringify({ root: pathToFileURL(`${process.cwd()}/`).href, request: { ...request, purpose: "cli" }, left });
  const args = ["-c", `${limit}; exec "$@"`, "sh", process.execPath, "--input-type=module", "-e", SEARCH, call];
  const { stdout, stderr } = spawnSync("sh", args, { encoding: "utf8", timeout: 60_000 });
  expect(stdout, stderr).not.toBe("");
  return JSON.parse(stdout);
}

test.runIf(process.platform === "linux")(
  "with too few file descriptors, at whichever moment they run out",
  async () => {
    const told = [];
    for (let left = 0; left <= 8; left++) told.push(await searchWithin("ulimit -n 64", left));
    for (const { hits, code } of told) expect(hits === 1 || /^MEM_(IO|READ_ONLY)$/.test(code), JSON.stringify(told)).toBe(true);
    expect(told[0]).toHaveProperty("code");
    // It advised to make the folder writable, which it was.
    const words = told.map(({ message }) => message ?? "").join("\n");
    expect(words).not.toMatch(/writable/);
    expect(words).toMatch(/open files/);
  },
  120_000,
);

test.runIf(process.platform === "linux")(
  "with no room for the index",
  async () => {
    expect(await searchWithin("trap '' XFSZ; ulimit -f 0")).toMatchObject({ code: expect.stringMatching(/^MEM_(IO|DISK_FULL)$/) });
  },
  60_000,
);
