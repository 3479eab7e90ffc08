// What 0.1.0 left on a disk (support/make-state.mjs), opened by the addon of today: everything is there, nothing is paid
// for again.

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { closeAllMemoryIndexManagers, MemoryIndexManager } from "../../index.js";
import { native } from "../../lib/native.js";

const FIXTURE = fileURLToPath(new URL("../fixtures/0.1.0/", import.meta.url));
const found = JSON.parse(await readFile(path.join(FIXTURE, "found.json"), "utf8"));
const config = found.cfg.plugins.entries["memory-core-rs"].config;

/** @type {string} */
let dir;
/** @type {import("../../index.js").ManagerRequest} */
let request;
/** @type {import("../../index.js").AutomaticAgent} */
let agent;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-"));
  const folder = dir;
  onTestFinished(async () => {
    await closeAllMemoryIndexManagers();
    await rm(folder, { recursive: true, force: true });
  });
  execFileSync("tar", ["-xzf", path.join(FIXTURE, "state.tar.gz"), "-C", dir]);
  const stateDir = path.join(dir, "state");
  const cfg = { ...found.cfg, agents: { defaults: { workspace: path.join(dir, "workspace") } } };
  request = { cfg, agentId: "main", stateDir, env: {}, purpose: "cli" };
  agent = { config, agentId: "main", isDefaultAgent: true, stateDir };
});

const opened = async () => /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));

/** Every question finds the passage that it found then, today perhaps with more around it. @param {MemoryIndexManager} manager */
async function expectAnswers(manager) {
  for (const { query, hit: then } of found.answers) {
    const [hit] = await manager.search(query, { maxResults: 1 });
    expect(hit?.path, query).toBe(then?.path);
    if (!then) continue;
    expect(hit.startLine, query).toBeLessThanOrEqual(then.startLine);
    expect(hit.endLine, query).toBeGreaterThanOrEqual(then.endLine);
  }
}

test("an index of 0.1.0 answers as it did, and nothing of it is embedded again", async () => {
  const manager = await opened();
  expect(manager.status()).toMatchObject(found.status);
  await expectAnswers(manager);
  // Rows of today leave comments out: they are written anew, once, and find every vector by its text.
  expect(await manager.sync()).toMatchObject({ changed: found.status.files, removed: 0, embedded: 0, pending: 0 });
  expect(manager.status()).toMatchObject(found.status);
  await expectAnswers(manager);
  expect(await manager.sync()).toMatchObject({ changed: 0, removed: 0, chunks: 0, embedded: 0, pending: 0 });
});

test("facts and what is forgotten are those of 0.1.0", async () => {
  const manager = await opened();
  expect(await manager.run((engine) => engine.facts())).toEqual(found.facts);
  expect(await manager.forgotten()).toEqual(found.forgotten);
  await manager.undoForget(found.forgotten[0].id);
  await manager.sync();
  expect(await manager.search("surprise party for Ana", { maxResults: 1 })).toMatchObject([{ path: "memory/private.md" }]);
});

test("the last turns of 0.1.0 are shown, everybody's own", async () => {
  expect(native().shortTermBlock(agent)).toBe(found.block);
  expect(native().shortTermBlock(agent, "ana")).toBe(found.blockOfAna);
  native().recordTurn(agent, "One more question?", "One more answer.");
  expect(native().shortTermBlock(agent)).toContain("And when does the backup run?");
  expect(native().shortTermBlock(agent)).toContain("One more question?");
});

test("turns that waited in 0.1.0 are captured once, and what was judged before is not judged again", async () => {
  expect(await native().listCaptures(agent, 10)).toEqual({ captures: found.captures, waiting: found.waiting });
  const manager = await opened();
  // The same turn reported again, as a host does after a restart, and what somebody took back, said again.
  const messages = ["I prefer trains to planes.", "I live in Braga near the market."].map((text) => ({
    role: /** @type {const} */ ("user"),
    text,
  }));
  native().queueCapture(agent, { id: "again", sessionKey: "agent:main:main", messages });
  await manager.capture(agent);
  const { captures, waiting } = await native().listCaptures(agent, 20);
  expect(waiting).toBe(0);
  const stored = captures.filter(({ status }) => status === "stored").map(({ text }) => text);
  expect(stored.sort()).toEqual(["I always order the vegetarian dish.", "I prefer trains to planes.", "My dog is called Faísca."]);
  const note = captures.find(({ text }) => text.includes("Faísca"))?.path ?? "";
  expect((await readFile(path.join(dir, "workspace", note), "utf8")).match(/Faísca/g)).toHaveLength(1);
});
