// `openclaw memory store …` where no database is asked, or the index is in a file.

import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { commandLine, NOTE } from "../support/command-line.mjs";

test("the SQL of the tables is printed without a database, for the schema of the settings and a role", async () => {
  const { run, json } = await commandLine({ store: { postgres: { schema: "team_memory" } } });
  const { output, code } = await run("store", "schema", "--role", "gateway");
  expect(code).toBe(0);
  expect(output).toMatch(/^-- Tables of memory-core-rs in the schema team_memory/);
  expect(output).toContain("CREATE TABLE chunk (");
  expect(output).toContain('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA team_memory TO "gateway";');
  expect(output.trimEnd()).toMatch(/\nCOMMIT;$/);
  const printed = await json("store", "schema", "--schema", "other");
  expect(printed).toMatchObject({ agentId: "main", schema: "other", role: null });
  expect(printed.sql).toContain("CREATE SCHEMA IF NOT EXISTS other;");
  expect(printed.sql).toMatch(/-- Missing: what the role of the gateway is granted/);
});

test("names that cannot be used are refused with their code", async () => {
  const { run, json } = await commandLine();
  expect(await run("store", "schema", "--role", "x; DROP TABLE y")).toMatchObject({
    code: 1,
    stdout: "",
    output: expect.stringMatching(/^Memory store schema failed: that is no name of a role.*\[MEM_ARGUMENT\]/),
  });
  expect((await json("store", "schema", "--schema", "Memory")).error).toMatchObject({ code: "MEM_CONFIG", remedy: expect.any(String) });
});

test("an index in a file is not taken over", async () => {
  const { run, json } = await commandLine();
  await run("index");
  expect(await run("store", "adopt", "--yes")).toMatchObject({ code: 1, output: expect.stringMatching(/is in a file.*\[MEM_CONFIG\]/) });
  expect((await json("store", "adopt"))[0].error).toMatchObject({ code: "MEM_CONFIG", remedy: expect.any(String) });
});

test("a database that nobody answers for gets no copy, and none comes of it", async () => {
  const { run, json, stateDir } = await commandLine({ store: { postgres: { url: "postgresql://ana:c4nary@127.0.0.1:1/none" } } });
  expect((await json("store", "copy", "--to", "postgres")).error).toMatchObject({ code: "MEM_NOT_FOUND", remedy: expect.any(String) });
  expect((await json("store", "copy", "--to", "sqlite")).error).toMatchObject({ code: "MEM_IO", remedy: expect.any(String) });
  expect(existsSync(path.join(stateDir, "memory-core-rs", "main", "index.sqlite"))).toBe(false);
  await run("index");
  const { code, output } = await run("store", "copy", "--to", "postgres");
  expect([code, output]).toEqual([1, expect.stringMatching(/^Memory store copy failed: .*the database cannot be reached.*\[MEM_IO\]/)]);
  expect(output).not.toMatch(/c4nary|localhost|127\.0/);
  const refused = await json("store", "copy", "--to", "oracle");
  expect(refused.error).toMatchObject({
    code: "MEM_ARGUMENT",
    message: expect.stringContaining('--to takes postgres or sqlite, not "oracle"'),
    remedy: expect.stringContaining("--to postgres"),
  });
});

test("a copy without an address says which setting has none", async () => {
  const { run, json } = await commandLine();
  await run("index");
  expect((await json("store", "copy", "--to", "postgres")).error.message).toMatch(/store\.postgres\.url says no address/);
});

// It made the tables there, and said that it had copied and that nothing would be embedded again.
const database = process.env.MEMORY_CORE_TEST_PG;
test.skipIf(!database)("nothing is copied from a schema that holds no memory, and no table is made in it", async () => {
  const { run } = await commandLine({ store: { postgres: { url: database, schema: `none_${Date.now().toString(36)}` } } });
  for (const _ of ["first", "again"])
    expect(await run("store", "copy", "--to", "sqlite")).toMatchObject({
      code: 1,
      output: expect.stringMatching(/schema none_\w+ of the database holds no memory.*\[MEM_NOT_FOUND\]/s),
    });
});

// It ended with one line, and looked at nothing else.
test("doctor looks at all that needs no database where none can be reached", async () => {
  const postgres = { url: "postgresql://ana@127.0.0.1:1/memory" };
  const { run, json } = await commandLine({ provider: "none", store: { driver: "postgres", postgres } });
  const { output, code } = await run("doctor");
  expect([code, output.split("\n")[0]]).toEqual([1, "Memory doctor (main)"]);
  // Where it went on, the line of the error had lost the code that scripts and docs/troubleshooting.md go by.
  expect(output.split("\n")[1]).toMatch(/^ {2}problem file: .* \[MEM_IO\]$/);
  const [{ ok, error, checks }] = await json("doctor");
  expect({ ok, error }).toMatchObject({ ok: false, error: { code: "MEM_IO" } });
  expect(checks[0]).toMatchObject({ name: "file", ok: false, found: expect.stringMatching(/cannot be reached \(connection refused\)$/) });
  expect(checks).toContainEqual(expect.objectContaining({ name: "setup", ok: false }));
});

// All texts stayed in the database when everything was said to be removed.
test.skipIf(!database)("leaving tells what the database keeps, and removes it where that is said", async () => {
  const postgres = { url: database, schema: `left_${Date.now().toString(36)}`, notes: true };
  const { run, json } = await commandLine({ provider: "none", store: { driver: "postgres", postgres } });
  await run("index");
  expect(await run("reset", "--yes")).toMatchObject({ code: 0, output: expect.stringMatching(/notes that the database keeps stay there/) });
  await run("index");
  const kept = new RegExp(`schema ${postgres.schema}, tenant default, agent main: 2 notes, 2 indexed files, \\d chunks`);
  expect((await run("reset", "--everything", "--dry-run")).output).toMatch(kept);
  const removed = await run("reset", "--everything", "--yes");
  expect(removed.output).toMatch(kept);
  expect(removed.output).toMatch(/It stays in the database; `openclaw memory reset --everything --database` removes it\./);
  expect(await json("reset", "--everything", "--dry-run")).toMatchObject({ database: [{ agentId: "main", notes: 2 }] });
  expect(await run("reset", "--database", "--yes")).toMatchObject({ code: 1, output: expect.stringContaining("goes with --everything") });
  const gone = await run("reset", "--everything", "--database", "--yes");
  expect(gone.output).toMatch(kept);
  expect(gone.output).not.toMatch(/stays in the database/);
  expect(await json("reset", "--everything", "--dry-run")).toMatchObject({ database: [] });
  await run("index");
  expect((await json("status"))[0].status).toMatchObject({ files: 2 });
});

// The list of what was forgotten "stays in the database", and "nothing can make it again".
test.skipIf(!database)("what was forgotten is not told as lost where the database keeps it", async () => {
  const postgres = { url: database, schema: `list_${Date.now().toString(36)}` };
  const { run, json } = await commandLine({ provider: "none", store: { driver: "postgres", postgres } });
  await run("index");
  await json("forget", "--path", NOTE, "--yes");
  const { output } = await run("reset", "--everything", "--dry-run");
  expect(output).toMatch(/1 forgotten, of all gateways .* It stays in the database/);
  expect(output).not.toMatch(/Nothing can make these again|would be indexed again/);
  expect((await run("reset", "--everything", "--database", "--dry-run")).output).toMatch(/again: the list of what was forgotten \(once\)/);
  await run("reset", "--everything", "--yes");
  expect((await json("index", "--dry-run"))[0].plan.changed).not.toContain(NOTE);
  await run("reset", "--everything", "--database", "--yes");
});

// It was said to be gone, and was kept by the gateway that had forgotten it; texts beside others were told of once; and a new
// container was told that the index is of other notes, which would leave it.
test.skipIf(!database)("gateways that share notes tell each other's users what is so", async () => {
  const postgres = { url: database, schema: `both_${Date.now().toString(36)}`, notes: true };
  const search = { provider: "none", store: { driver: "postgres", postgres } };
  const [one, two] = [await commandLine(search), await commandLine(search, { files: {} })];
  await one.run("index");
  expect((await two.run("status")).output).not.toContain("memory store adopt");
  expect((await two.run("store", "adopt", "--dry-run")).output).toMatch(/Nothing has to be taken over: .* restores the 2 that are not in/);
  expect((await two.run("index", "--dry-run")).output).toContain("2 notes to restore from the database");
  await two.run("index");
  const forgotten = await one.json("forget", "--path", NOTE, "--yes");
  await two.run("index");
  expect(existsSync(path.join(two.workspace, NOTE))).toBe(false);
  const undone = await two.run("forget", "--undo", forgotten.id);
  expect(undone.output).toContain("kept here any more: that is for seven days, by the gateway that forgot it");
  for (const [{ workspace }, text] of /** @type {const} */ ([
    [one, "One"],
    [two, "Two"],
  ]))
    writeFileSync(path.join(workspace, "MEMORY.md"), `${text} drinks tea.\n`);
  await one.run("index");
  for (const _ of ["first", "again"]) expect((await two.run("index")).output).toMatch(/1 text kept beside another .*status. names them/);
  await one.run("reset", "--everything", "--database", "--yes");
});
