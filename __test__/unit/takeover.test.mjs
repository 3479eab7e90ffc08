import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { MemoryCoreIndex, readVector } from "../../plugin/import/memory-core-index.js";
import { takeOver, takeOverOnce } from "../../plugin/import/take-over.js";
import { makeWorkspace } from "../support/workspace.mjs";

const MODEL = "titan";

/** @param {number[]} numbers */
const unit = (numbers) => numbers.map((number) => number / Math.hypot(...numbers));

/** @param {number[]} numbers */
const asJson = (numbers) => JSON.stringify(numbers);
/** @param {number[]} numbers */
const asDoubles = (numbers) => new Uint8Array(Float64Array.from(numbers).buffer);

const LAYOUTS = {
  sidecar: { meta: "meta", chunks: "chunks", id: "", type: "TEXT", write: asJson },
  // Its rows had no number of their own yet, and nothing of it was taken over.
  "agent database before 2026.9": {
    meta: "memory_index_meta",
    chunks: "memory_index_chunks",
    id: "id TEXT PRIMARY KEY, ",
    type: "TEXT",
    write: asJson,
  },
  "agent database": {
    meta: "memory_index_meta",
    chunks: "memory_index_chunks",
    id: "chunk_rowid INTEGER PRIMARY KEY, ",
    type: "BLOB",
    write: asDoubles,
  },
};

/**
 * @param {string} file
 * @param {typeof LAYOUTS[keyof typeof LAYOUTS]} layout
 * @param {{text: string, vector: number[], model?: string}[]} rows
 */
async function writeIndex(file, layout, rows) {
  await mkdir(path.dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE ${layout.meta} (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE ${layout.chunks} (${layout.id}model TEXT, text TEXT, embedding ${layout.type});
    BEGIN`);
  const identity = JSON.stringify({ provider: "bedrock", model: MODEL });
  database.prepare(`INSERT INTO ${layout.meta} VALUES ('memory_index_meta_v1', ?)`).run(identity);
  const insert = database.prepare(`INSERT INTO ${layout.chunks} (model, text, embedding) VALUES (?, ?, ?)`);
  for (const { text, vector, model = MODEL } of rows) insert.run(model, text, layout.write(vector));
  database.exec("COMMIT");
  database.close();
}

/** @param {string} file */
const digest = async (file) =>
  createHash("sha256")
    .update(await readFile(file))
    .digest("hex");

/** A workspace whose provider counts what it is sent, and a host around it. */
async function setUp() {
  const text = "The favourite tea is sencha.";
  const { request, config, stateDir } = await makeWorkspace({ "MEMORY.md": text });
  /** @type {string[]} */
  const sent = [];
  const adapter = {
    providers: ["bedrock"],
    /** @param {string[]} texts */
    embed: async (texts) => {
      sent.push(...texts);
      return texts.map(() => [1, 0]);
    },
  };
  /** @type {string[]} */
  const log = [];
  const note = (/** @type {string} */ line) => log.push(line);
  const agentDir = path.join(stateDir, "agents", "main", "agent");
  const host = /** @type {any} */ ({ stateDir: () => stateDir, agentDir: () => agentDir, logger: { info: note, warn: note } });
  const database = path.join(agentDir, "openclaw-agent.sqlite");
  const files = {
    sidecar: path.join(stateDir, "memory", "main.sqlite"),
    "agent database before 2026.9": database,
    "agent database": database,
  };
  const owner = { cfg: config({ provider: "bedrock", model: MODEL }), agentId: "main" };
  return { text, sent, log, host, owner, files, request: { ...request, cfg: owner.cfg, adapter } };
}

describe.each(/** @type {(keyof typeof LAYOUTS)[]} */ (Object.keys(LAYOUTS)))("an index of memory-core in its %s", (kind) => {
  test("is taken over: nothing is sent again, the source stays as it is, twice gives nothing new", async () => {
    const { text, sent, host, owner, files, request } = await setUp();
    const many = Array.from({ length: 150 }, (_, n) => ({ text: `old ${n}`, vector: unit([n + 1, 1]) }));
    const others = [
      { text: "other model", vector: [1, 0], model: "elder" },
      { text: "no vector", vector: [] },
    ];
    await writeIndex(files[kind], LAYOUTS[kind], [...many, { text, vector: unit([1, 2]) }, ...others]);
    const before = await digest(files[kind]);
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "status" }));
    const found = { path: files[kind], provider: "bedrock", model: MODEL, chunks: 152, otherModels: 1, accepted: true };
    const counts = { taken: 151, known: 0, otherLength: 0, unusable: 1 };
    const wouldTake = /** @type {string[]} */ ([]);
    expect(await takeOver(host, owner, manager, { dryRun: true, wouldTake })).toEqual([{ ...found, ...counts }]);
    // The user was told to pay for what is taken over.
    expect((await manager.plan()).plan.texts).toBe(1);
    expect((await manager.plan({ taken: wouldTake })).plan).toMatchObject({ texts: 0, tokens: 0 });
    expect(await manager.lastImport()).toBeNull();
    expect(await takeOver(host, owner, manager, { dryRun: false })).toEqual([{ ...found, ...counts }]);
    expect(await takeOver(host, owner, manager, { dryRun: false })).toEqual([{ ...found, ...counts, taken: 0, known: 151 }]);
    expect(await manager.sync()).toMatchObject({ embedded: 0, pending: 0 });
    expect(sent).toEqual([]);
    expect(await digest(files[kind])).toBe(before);
  });

  test("is taken over by itself before the first work, and once only", async () => {
    const { text, sent, log, host, owner, files, request } = await setUp();
    await writeIndex(files[kind], LAYOUTS[kind], [{ text, vector: unit([1, 2]) }]);
    const beforeFirstUse = takeOverOnce(host, owner);
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, beforeFirstUse, purpose: "cli" }));
    expect(await manager.sync()).toMatchObject({ embedded: 0 });
    expect(log).toEqual([expect.stringContaining("took over 1 vectors")]);
    await beforeFirstUse(manager);
    expect(log).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});

test("vectors of another model are left, and asked for again after a change of settings", async () => {
  const { text, host, owner, files, request } = await setUp();
  await writeIndex(files.sidecar, LAYOUTS.sidecar, [{ text, vector: unit([1, 2]) }]);
  const cfg = { ...owner.cfg, memory: { search: { provider: "bedrock", model: "another" } } };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg }));
  const [report] = await takeOver(host, owner, manager, { dryRun: false });
  expect(report).toMatchObject({ accepted: false, taken: 0, model: MODEL });
  expect(await manager.lastImport()).toBeNull();
});

test("a file that is no index of memory-core is none, and damage is told", async () => {
  const { host, owner, files, request } = await setUp();
  await mkdir(path.dirname(files.sidecar), { recursive: true });
  const database = new DatabaseSync(files.sidecar);
  database.exec("CREATE TABLE chunks (x)");
  database.close();
  expect(await MemoryCoreIndex.open(files.sidecar)).toBeNull();
  await writeIndex(files["agent database"], LAYOUTS["agent database"], []);
  new DatabaseSync(files["agent database"]).exec("UPDATE memory_index_meta SET value = '{'");
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
  const [report] = await takeOver(host, owner, manager, { dryRun: false });
  expect(report).toMatchObject({ taken: 0, error: expect.any(String) });
});

test("binary vectors are read in the width that makes them normalised", () => {
  const vector = unit([3, -4, 12]);
  const floats = Float32Array.from(vector);
  expect(readVector(asDoubles(vector))).toEqual(floats);
  expect(readVector(new Uint8Array(Float32Array.from([...vector, 0]).buffer))).toEqual(Float32Array.from([...vector, 0]));
  expect(readVector(new Uint8Array([1, 2, 3]))).toHaveLength(0);
  expect(readVector(asDoubles([3, 4]))).toHaveLength(0);
  expect(readVector("[0.5,-1]")).toEqual(Float32Array.from([0.5, -1]));
  expect(readVector("not JSON")).toHaveLength(0);
});
