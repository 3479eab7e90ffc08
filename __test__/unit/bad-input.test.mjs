// What a user can get wrong, and what a disk or a provider can do: one message with a code and a remedy, search goes on
// with what is good, and what was wrong is made good by itself afterwards.

import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

const NOTE = { "memory/good.md": "The spare key is under the blue pot.\n" };
const KEY = "sk-canary0123456789abcdef";
const PNG_HEAD = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000", "hex");
const PICTURE = Buffer.concat([PNG_HEAD, Buffer.from("lighthouse lamps"), Buffer.alloc(64, 1)]);

/** @param {object} request */
async function open(request) {
  return /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ .../** @type {any} */ (request), purpose: "cli" }));
}

/** @param {MemoryIndexManager} manager */
async function findsTheKey(manager) {
  return (await manager.search("spare key blue pot")).map((hit) => hit.path).join() === "memory/good.md";
}

test("a workspace that does not exist is named, and indexed once it does", async () => {
  const { workspace, request } = await makeWorkspace(NOTE);
  await rm(workspace, { recursive: true });
  const manager = await open(request);
  await manager.sync();
  const { skipped } = await manager.inspect();
  expect(skipped).toMatchObject([{ path: workspace, code: "missing", reason: expect.stringContaining("as soon as it does") }]);
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  await writeFile(path.join(workspace, "memory/good.md"), NOTE["memory/good.md"]);
  await manager.sync();
  expect(await findsTheKey(manager)).toBe(true);
  expect((await manager.inspect()).skipped).toEqual([]);
});

test("files that cannot be indexed are named with their reason, the others are found", async () => {
  const { workspace, request } = await makeWorkspace({ ...NOTE, "MEMORY.md/inside.txt": "", "memory/big.md": "" });
  await truncate(path.join(workspace, "memory/big.md"), 200_000_000);
  const invalid = Buffer.concat([Buffer.from("before "), Buffer.from([0xff, 0xfe]), Buffer.from(" lighthouse lamps\n")]);
  await writeFile(path.join(workspace, "memory/invalid.md"), invalid);
  // Its bytes were indexed as if they were words.
  await writeFile(path.join(workspace, "memory/picture.md"), PICTURE);
  const manager = await open(request);
  await manager.sync();
  expect((await manager.inspect()).skipped).toMatchObject([
    { path: "MEMORY.md", code: "not-regular", reason: expect.stringContaining("folder") },
    { path: "memory/big.md", code: "too-large", reason: expect.stringMatching(/200000000 bytes, the limit is \d+/) },
    { path: "memory/invalid.md", code: "other-encoding", reason: expect.stringContaining("save it as UTF-8") },
    { path: "memory/picture.md", code: "wrong-content", reason: expect.stringContaining("no text by its content") },
  ]);
  expect(await findsTheKey(manager)).toBe(true);
  expect((await manager.search("lighthouse lamps"))[0]?.path).toBe("memory/invalid.md");
});

/** Longest time that one hostile file may take on a busy machine, in milliseconds, and what it may add to the memory. */
const HOSTILE_MS = 20_000;
const HOSTILE_MIB = 400;

describe("hostile Markdown is indexed or named, in bounded time and memory, and the good notes stay searchable", () => {
  const noUtf8 = () => Buffer.concat([Buffer.from("zanzibar "), Buffer.alloc(1_000_000, 0xff)]);
  // As of an encoding that nobody knows.
  const manyNuls = () => "before\0\0after zanzibar\0".repeat(1000);
  const lines = (/** @type {number} */ count, /** @type {(n: number) => string} */ line, end = "\n") =>
    Array.from({ length: count }, (_, n) => line(n)).join(end);
  test.each([
    ["one line of 10 MB", () => `zanzibar ${"word ".repeat(2_000_000)}`],
    ["10 MB without a space", () => `zanzibar ${"x".repeat(10_000_000)}`],
    ["100,000 headings", () => `${lines(100_000, (n) => `## Heading ${n}`)}\nzanzibar\n`],
    ["lists in 10,000 levels", () => `${"- ".repeat(10_000)}zanzibar\n`],
    ["ever deeper lists", () => `${lines(3_000, (n) => `${" ".repeat(n)}- item ${n}`)}\nzanzibar\n`],
    ["quotes in 100,000 levels", () => `${">".repeat(100_000)} zanzibar\n`],
    ["NUL bytes", manyNuls],
    ["a NUL among many letters", () => `${"before and after zanzibar ".repeat(2)}\0\n`.repeat(1000)],
    ["bytes that are no UTF-8", noUtf8],
    ["a byte order mark", () => "\ufeffzanzibar\n"],
    ["carriage returns only", () => lines(20_000, (n) => `- zanzibar ${n}`, "\r")],
    ["fences that never close", () => `${"```js\n".repeat(50_000)}zanzibar\n`],
    ["front matter that never ends", () => `---\n${"a: b\n".repeat(200_000)}zanzibar\n`],
    ["links that never close", () => `${"[".repeat(200_000)}${"](".repeat(200_000)} zanzibar\n`],
    ["the same two bytes again and again", () => `zanzibar ${"a ".repeat(4_000_000)}`],
    ["nothing but line ends", () => `zanzibar${"\n".repeat(10_000_000)}`],
    ["marks on one letter", () => `zanzibar e${"\u0301".repeat(1_000_000)}`],
  ])("%s", async (_, text) => {
    const { workspace, request } = await makeWorkspace(NOTE);
    await writeFile(path.join(workspace, "memory/hostile.md"), text());
    const manager = await open({ ...request, modelPaths: [] });
    const before = process.resourceUsage().maxRSS;
    const started = performance.now();
    await manager.sync();
    expect(performance.now() - started).toBeLessThan(HOSTILE_MS);
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(HOSTILE_MIB);
    const named = (await manager.inspect()).skipped.map((/** @type {{code: string}} */ { code }) => code);
    expect(named).toEqual(text === noUtf8 || text === manyNuls ? ["other-encoding"] : []);
    expect((await manager.search("zanzibar"))[0]?.path).toBe("memory/hostile.md");
    expect(await findsTheKey(manager)).toBe(true);
  });
});

describe("a wrong value in the configuration", () => {
  test.each([
    ["provider", { provider: 5 }, "memory.search.provider"],
    ["a number", { provider: "none", query: { maxResults: "six" } }, "query.maxResults is a text, expected a whole number"],
    ["a range", { provider: "none", chunking: { tokens: -4 } }, "chunking.tokens is -4, which is out of range"],
    ["a list", { provider: "none", extraPaths: "notes" }, "extraPaths is no list"],
  ])("%s: it is named, and the default is used", async (_, search, words) => {
    const { config, request } = await makeWorkspace(NOTE);
    const manager = await open({ ...request, cfg: config(search) });
    await manager.sync();
    expect(manager.status().custom?.warnings).toEqual([expect.stringContaining(words)]);
    expect((await manager.search("spare key")).length).toBeGreaterThan(0);
  });

  test("a provider that nobody knows leaves the search by words", async () => {
    const { config, request } = await makeWorkspace(NOTE);
    const manager = await open({ ...request, cfg: config({ provider: "nonsense" }) });
    const { embeddingError } = await manager.sync();
    expect(embeddingError).toMatchObject({
      code: "MEM_CONFIG",
      message: expect.stringMatching(/"nonsense" is not known\. Set one of: auto/),
    });
    expect(await manager.probeEmbeddingAvailability()).toMatchObject({
      ok: false,
      error: expect.stringContaining('"nonsense" is not known'),
    });
    expect(await findsTheKey(manager)).toBe(true);
  });
});

describe("a database that is not ours to write", () => {
  /** @param {(file: string) => void | Promise<void>} make */
  async function withDatabase(make) {
    const { stateDir, request } = await makeWorkspace(NOTE);
    const file = path.join(stateDir, "memory-core-rs/main/index.sqlite");
    await mkdir(path.dirname(file), { recursive: true });
    await make(file);
    return { file, before: await readFile(file), sync: async () => (await open(request)).sync() };
  }

  test("another program's file is left as it is", async () => {
    const { file, before, sync } = await withDatabase((at) => {
      const db = new DatabaseSync(at);
      db.exec("CREATE TABLE diary (entry TEXT); PRAGMA application_id = 77");
      db.close();
    });
    await expect(sync()).rejects.toMatchObject({ code: "MEM_FOREIGN_DATABASE", message: expect.stringContaining("Set `store.path`") });
    expect(await readFile(file)).toEqual(before);
  });

  test("so is one that a newer version wrote", async () => {
    const { request } = await makeWorkspace(NOTE);
    const manager = await open(request);
    await manager.sync();
    const file = /** @type {string} */ (manager.status().dbPath);
    await manager.close();
    const db = new DatabaseSync(file);
    db.exec("PRAGMA user_version = 99; UPDATE meta SET value = '99' WHERE key = 'schema'");
    db.close();
    await expect(open(request).then((later) => later.sync())).rejects.toMatchObject({
      code: "MEM_NEWER_SCHEMA",
      message: expect.stringContaining("Update memory-core-rs"),
    });
  });

  test("one that is no database is set aside, and the index is made anew", async () => {
    const { request, stateDir } = await makeWorkspace(NOTE);
    const file = path.join(stateDir, "memory-core-rs/main/index.sqlite");
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "this is no database at all ".repeat(200));
    const manager = await open(request);
    await manager.sync();
    expect(await findsTheKey(manager)).toBe(true);
  });
});

// It said that the index had no space, and not where.
test("a disk that is full before there is an index is named by its folder", async ({ skip }) => {
  const { request } = await makeWorkspace(NOTE);
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-full-"));
  skip(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", stateDir]).status !== 0, "needs the right to mount");
  onTestFinished(async () => {
    spawnSync("umount", ["-l", stateDir]);
    await rm(stateDir, { recursive: true, force: true });
  });
  await expect(open({ ...request, stateDir }).then((manager) => manager.sync())).rejects.toMatchObject({
    code: "MEM_DISK_FULL",
    message: expect.stringContaining(stateDir),
  });
});

// The first failed write closed nothing: two readers of the text pass waited for a writer that had left, for ever.
test("a full disk is named, search goes on, and space is all it needs", async ({ skip }) => {
  const { dir, workspace, request } = await makeWorkspace(NOTE);
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-full-"));
  skip(spawnSync("mount", ["-t", "tmpfs", "-o", "size=700k", "tmpfs", stateDir]).status !== 0, "needs the right to mount");
  onTestFinished(async () => {
    spawnSync("umount", ["-l", stateDir]);
    await rm(stateDir, { recursive: true, force: true });
  });
  const small = await open({ ...request, stateDir });
  await small.sync();
  for (let n = 0; n < 300; n++) {
    await writeFile(path.join(workspace, `memory/n${n}.md`), `note ${n} ${"lorem ipsum dolor sit amet ".repeat(200)}`);
  }
  await expect(small.sync()).rejects.toMatchObject({ code: "MEM_DISK_FULL", message: expect.stringContaining("pace") });
  expect(await findsTheKey(small)).toBe(true);
  expect(small.status().lastSyncError).toContain("no space left");
  spawnSync("mount", ["-o", "remount,size=60m", stateDir]);
  await small.sync();
  expect(small.status()).toMatchObject({ files: 301, dirty: false });
  await small.close();
  expect(dir).not.toBe(stateDir);
});

describe("a provider that does not give vectors", () => {
  const vectors = (/** @type {unknown[]} */ input, /** @type {unknown} */ first) =>
    JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [first, 1, 2] })) });

  test.each([
    ["401", 401, () => `{"error":{"message":"Incorrect API key provided: ${KEY}"}}`, "MEM_PROVIDER_AUTH", "Check the API key"],
    ["429", 429, () => '{"error":{"message":"You exceeded your current quota"}}', "MEM_PROVIDER_QUOTA", "quota"],
    ["500", 500, () => "boom", "MEM_PROVIDER_UNAVAILABLE", "HTTP 500"],
    ["HTML", 200, () => "<html>please sign in</html>", "MEM_PROVIDER_RESPONSE", "Check that the base URL"],
    ["NaN", 200, (/** @type {unknown[]} */ input) => vectors(input, null), "MEM_PROVIDER_RESPONSE", ""],
    ["too few", 200, () => '{"data":[]}', "MEM_PROVIDER_RESPONSE", ""],
  ])("%s: named with a code, and the search by words answers", async (_, status, body, code, words) => {
    const server = http.createServer(async (request, response) => {
      const text = await new Response(/** @type {any} */ (request)).text();
      response.writeHead(status, { "content-type": "application/json" }).end(body(JSON.parse(text).input));
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", () => done(null)));
    onTestFinished(() => void server.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const { config, request } = await makeWorkspace(NOTE);
    const remote = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: KEY };
    const manager = await open({ ...request, cfg: config({ provider: "openai", remote }) });
    const { embeddingError, refused } = await manager.sync();
    expect(refused).toBe(0);
    expect(embeddingError).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(await findsTheKey(manager)).toBe(true);
    expect(JSON.stringify([embeddingError, manager.status()])).not.toContain(KEY);
  });
});
