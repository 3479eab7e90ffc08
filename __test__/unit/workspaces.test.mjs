// An index belongs to a workspace, also when two workspaces share the agent and the state folder.

import { execFile } from "node:child_process";
import { cp, mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

const CHILD = fileURLToPath(new URL("./workspace-child.mjs", import.meta.url));

/** Two workspaces of the agent `main`, and what opens them. */
async function twoWorkspaces() {
  const { dir, stateDir } = await makeWorkspace({});
  for (const [name, text] of [
    ["a", "The zebra sleeps in the kitchen of Ana."],
    ["b", "The boiler code of Ben is E17."],
  ]) {
    await mkdir(path.join(dir, name, "memory"), { recursive: true });
    await writeFile(path.join(dir, name, "memory", `${name}.md`), text);
  }
  /** @param {string} name @param {Record<string, unknown>} [search] */
  const request = (name, search = { provider: "none" }) => ({
    cfg: { agents: { defaults: { workspace: path.join(dir, name) } }, memory: { search } },
    agentId: "main",
    stateDir,
    env: {},
  });
  return { dir, request };
}

// Opening the second workspace removed what the first had indexed, and the first one's searches gave the second one's text.
test("two managers of one agent with two workspaces never see each other's notes", async () => {
  const { request } = await twoWorkspaces();
  const [a, b] = /** @type {MemoryIndexManager[]} */ (
    await Promise.all([MemoryIndexManager.get(request("a")), MemoryIndexManager.get(request("b"))])
  );
  await Promise.all([a.sync(), b.sync()]);
  for (let round = 0; round < 3; round++) {
    await a.sync({ force: round === 1 });
    expect((await a.search("zebra kitchen")).map(({ path }) => path)).toEqual(["memory/a.md"]);
    expect(await a.search("boiler code")).toEqual([]);
    expect((await b.search("boiler code")).map(({ path }) => path)).toEqual(["memory/b.md"]);
    expect(await b.search("zebra kitchen")).toEqual([]);
    await b.sync();
  }
  expect(a.status().dbPath).not.toBe(b.status().dbPath);
  await Promise.all([a.close(), b.close()]);
});

// The manager of the second workspace put the first one's to rest, which then noticed no change any more.
test("two workspaces of one agent are watched at the same time", { timeout: 60_000 }, async () => {
  const { dir, request } = await twoWorkspaces();
  const watched = { provider: "none", sync: { watch: true, watchDebounceMs: 50 } };
  const a = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request("a", watched)));
  await a.sync();
  const b = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request("b", watched)));
  await b.sync();
  expect(await MemoryIndexManager.get(request("a", watched))).toBe(a);
  for (const [name, manager] of /** @type {const} */ ([
    ["a", a],
    ["b", b],
  ])) {
    await writeFile(path.join(dir, name, "memory", "new.md"), `A fresh walrus of ${name} sings.`);
    // The status is read from memory and wakes nothing up: only the watcher can have counted the file.
    await expect.poll(() => manager.status().files, { timeout: 20_000 }).toBe(2);
  }
  await Promise.all([a.close(), a.close(), b.close()]);
});

test("in a host an agent has one workspace: the manager of the former one comes to rest", async () => {
  const { dir, request } = await twoWorkspaces();
  const watched = { provider: "none", sync: { watch: true, watchDebounceMs: 50 } };
  const ofHost = (/** @type {string} */ name) => ({ ...request(name, watched), reopens: true, workspaceDir: path.join(dir, name) });
  const former = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(ofHost("a")));
  await former.sync();
  const now = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(ofHost("b")));
  await writeFile(path.join(dir, "a", "memory", "new.md"), "A fresh walrus sings.");
  await now.sync();
  // The one in use notices a later change: the former one would have noticed the earlier by then.
  await writeFile(path.join(dir, "b", "memory", "new.md"), "A fresh otter sings.");
  await expect.poll(() => now.status().files, { timeout: 20_000 }).toBe(2);
  expect(former.status().files).toBe(1);
  await now.close();
});

test("two processes that open two workspaces of one agent at once keep them apart", { timeout: 60_000 }, async () => {
  const { request } = await twoWorkspaces();
  const asked = [
    ["a", "zebra kitchen", "boiler code"],
    ["b", "boiler code", "zebra kitchen"],
  ];
  const found = await Promise.all(
    asked.map(async ([name, own, other]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(request(name)), own, other]);
      return JSON.parse(stdout);
    }),
  );
  expect(found.map(({ own, other }) => [own, other])).toEqual([
    [10, 0],
    [10, 0],
  ]);
  expect(found[0].dbPath).not.toBe(found[1].dbPath);
});

test("a workspace that moved keeps its vectors and shows no old row", async () => {
  const { dir, request } = await twoWorkspaces();
  let made = 0;
  const embed = async (/** @type {string[]} */ texts) => {
    made += texts.length;
    return texts.map((text) => [1, text.length]);
  };
  const search = { provider: "bedrock", model: "titan" };
  const before = await MemoryIndexManager.get({ ...request("a", search), embed });
  await before?.sync();
  await before?.close();
  expect(made).toBe(1);
  await rename(path.join(dir, "a"), path.join(dir, "moved"));
  const after = await MemoryIndexManager.get({ ...request("moved", search), embed });
  expect(await after?.sync()).toMatchObject({ files: 1, embedded: 0, pending: 0 });
  expect(made).toBe(1);
  await after?.close();
});

// After a move outside a host, what had been forgotten came back: only vectors were taken over.
test("a workspace that moved keeps what was forgotten; a second one beside it inherits nothing", async () => {
  const { dir, request } = await twoWorkspaces();
  await writeFile(path.join(dir, "a", "memory", "secret.md"), "The walrus hides in the bath tub.");
  const open = async (/** @type {string} */ name) => {
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request(name)));
    await manager.sync();
    return manager;
  };
  const a = await open("a");
  await a.forget({ paths: ["memory/secret.md"] });
  await a.close();
  // The same notes in another place, while the first place is still there: somebody else's, as far as anybody can tell.
  await cp(path.join(dir, "a"), path.join(dir, "copy"), { recursive: true, preserveTimestamps: true });
  const copy = await open("copy");
  expect((await copy.search("walrus bath tub")).map(({ path }) => path)).toEqual(["memory/secret.md"]);
  expect(await copy.forgotten()).toEqual([]);
  await copy.close();
  await rename(path.join(dir, "a"), path.join(dir, "moved"));
  const moved = await open("moved");
  expect((await moved.forgotten()).map(({ name }) => name)).toEqual(["memory/secret.md"]);
  expect(await moved.search("walrus bath tub")).toEqual([]);
  expect(await moved.search("zebra kitchen")).toHaveLength(1);
  await moved.close();
  // The first place is gone, and these are other notes: they begin with nothing.
  await writeFile(path.join(dir, "b", "memory", "secret.md"), "The boiler hums.");
  const b = await open("b");
  expect(await b.forgotten()).toEqual([]);
  expect(await b.search("boiler hums")).not.toEqual([]);
  await b.close();
});
