// What memory-core has forgotten before us stays forgotten: found in the agent's database, shown by a dry run, kept out of
// the index, and let in again by one command.

import { mkdir, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { readForgotten } from "../../plugin/import/forgotten.js";
import { takeOverOnce } from "../../plugin/import/take-over.js";
import { commandLine } from "../support/command-line.mjs";

const SESSIONS = { provider: "none", experimental: { sessionMemory: true }, sources: ["memory", "sessions"] };
const TABLE = `CREATE TABLE memory_session_tombstones (
  session_id TEXT NOT NULL PRIMARY KEY, agent_id TEXT NOT NULL, reason TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT`;

/** @param {string} stateDir */
const databaseOf = (stateDir) => path.join(stateDir, "agents", "main", "agent", "openclaw-agent.sqlite");

/** As memory-core 2026.9.6 writes them. @param {string} stateDir @param {[string, string, number][]} rows */
async function forgetBefore(stateDir, rows) {
  const file = databaseOf(stateDir);
  await mkdir(path.dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(`${TABLE}; BEGIN`);
  const insert = database.prepare("INSERT INTO memory_session_tombstones VALUES (?, ?, 'forgotten', ?)");
  for (const row of rows) insert.run(...row);
  database.exec("COMMIT");
  database.close();
  return file;
}

/** A home with two conversations, of which memory-core has forgotten one. */
async function home() {
  const line = await commandLine(SESSIONS, { version: "2026.6.11" });
  const folder = path.join(line.stateDir, "agents", "main", "sessions");
  await mkdir(folder, { recursive: true });
  for (const [id, text] of [
    ["s-boat", "My boat is called Quokka."],
    ["s-cat", "My cat is called Walrus."],
  ]) {
    const row = { type: "message", message: { role: "user", content: [{ type: "text", text }] } };
    await writeFile(path.join(folder, `${id}.jsonl`), `${JSON.stringify(row)}\n`);
  }
  const before = Date.parse("2026-11-01T10:00:00Z");
  const file = await forgetBefore(line.stateDir, [
    ["s-boat", "main", before],
    ["s-of-another-agent", "other", before],
  ]);
  /** The command shows no conversation where no host says whose it is. @param {string} query */
  const finds = async (query) => {
    const request = { cfg: line.written(), agentId: "main", stateDir: line.stateDir, env: {}, purpose: /** @type {const} */ ("status") };
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
    const hits = await manager.search(query);
    await manager.close();
    return hits.some(({ source }) => source === "sessions");
  };
  return { ...line, file, finds };
}

test("a dry run says how many, setup keeps them out, and undo lets them in again", async () => {
  const { json, run, finds, file, written } = await home();
  const before = structuredClone(written());
  const planned = await json("setup", "--dry-run");
  expect(planned.agents[0].forgotten).toEqual({ path: file, taken: 1, known: 0, refused: 0 });
  expect((await run("setup", "--dry-run")).output).toContain("would stay forgotten: 1 conversation that memory-core has forgotten");
  expect((await json("setup", "--dry-run")).agents[0].forgotten.taken).toBe(1);

  const done = await json("setup", "--yes");
  expect(done.agents[0].forgotten).toMatchObject({ taken: 1, known: 0 });
  expect((await json("forget", "--list")).forgotten).toMatchObject([
    { id: "memorycore", at: expect.stringContaining("2026-11-01"), kind: "session", name: "s-boat" },
  ]);
  expect([await finds("boat Quokka"), await finds("cat Walrus")]).toEqual([false, true]);
  expect((await json("setup", "--yes")).agents[0].forgotten).toMatchObject({ taken: 0, known: 1 });
  await run("index", "--force");
  expect(await finds("boat Quokka")).toBe(false);

  expect((await json("setup", "--undo", "--dry-run")).readmitted).toBe(1);
  expect((await json("forget", "--list")).forgotten).toHaveLength(1);
  expect((await json("setup", "--undo")).readmitted).toBe(1);
  expect((await json("setup", "--undo", "--dry-run")).readmitted ?? 0).toBe(0);
  expect(written().plugins?.slots?.memory).toBe(before.plugins?.slots?.memory);
  await run("index");
  expect(await finds("boat Quokka")).toBe(true);
});

test("the first start takes them over by itself, and not again what the user has let in", async () => {
  const { run, finds, json, stateDir, written, file } = await home();
  /** @type {string[]} */
  const log = [];
  const note = (/** @type {string} */ text) => log.push(text);
  const agentDir = path.dirname(file);
  const host = /** @type {any} */ ({ stateDir: () => stateDir, agentDir: () => agentDir, logger: { info: note, warn: note } });
  const start = async () => {
    const beforeFirstUse = takeOverOnce(host, { cfg: written(), agentId: "main" });
    const request = { cfg: written(), agentId: "main", stateDir, env: {}, purpose: /** @type {const} */ ("status") };
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
    await beforeFirstUse(manager);
    await manager.close();
  };
  await start();
  await start();
  expect(log).toEqual([expect.stringContaining("stays forgotten (conversations: 1)")]);
  await run("index");
  expect(await finds("boat Quokka")).toBe(false);
  expect(await json("forget", "--undo", "memorycore")).toMatchObject({ undone: "memorycore" });
  await start();
  expect(log).toHaveLength(1);
  expect(await finds("boat Quokka")).toBe(true);
});

test("a list that cannot be read is said, and no conversation is indexed meanwhile", async () => {
  const { run, json, finds, file, stateDir } = await home();
  await truncate(file, 700);
  const { output, code } = await run("setup", "--yes");
  expect(output).toMatch(/what memory-core has forgotten was not read: .+/);
  expect(output).toContain("nothing is indexed, because what was forgotten would come back");
  expect(code).toBe(1);
  expect(await json("setup", "--dry-run")).toMatchObject({ agents: [{ forgotten: { taken: 0, error: expect.any(String) } }] });
  await writeFile(file, "");
  await run("setup", "--yes");
  expect(databaseOf(stateDir)).toBe(file);
  expect(await finds("cat Walrus")).toBe(true);
});

test("rows that no host writes are refused, and too many of them as a whole", async () => {
  const { stateDir, json } = await commandLine(SESSIONS);
  const file = databaseOf(stateDir);
  await mkdir(path.dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  // Without the types that the host's table insists on.
  database.exec("CREATE TABLE memory_session_tombstones (session_id, agent_id, reason, created_at)");
  const insert = database.prepare("INSERT INTO memory_session_tombstones VALUES (?, 'main', '', ?)");
  const hostile = ["../../etc/passwd", "a\nb", "x".repeat(1e6), null, new Uint8Array([255, 0, 254]), "夜"];
  for (const id of hostile) insert.run(id, 1e300);
  insert.run("s-1", "yesterday");
  expect(await readForgotten(file, "main")).toHaveLength(7);
  expect((await json("setup", "--yes")).agents[0].forgotten).toMatchObject({ taken: 1, refused: hostile.length });
  expect((await json("forget", "--list")).forgotten).toMatchObject([{ name: "s-1" }]);
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001)
    INSERT INTO memory_session_tombstones SELECT 'n' || i, 'main', '', i FROM n`);
  database.close();
  expect((await json("setup", "--dry-run")).agents[0].forgotten.error).toContain("more than 100000");
});
