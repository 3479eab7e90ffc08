// The commands that forget, start over, check and copy, as a user types them.

import { existsSync } from "node:fs";
import files, { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { native } from "../../lib/native.js";
import { commandLine, FILES, NOTE } from "../support/command-line.mjs";
import { startProvider } from "../support/provider.mjs";

test("forget shows, takes out, keeps out and takes back; the file stays as it is", async () => {
  const { workspace, run, json, finds } = await commandLine();
  await run("index");
  expect(await run("forget")).toMatchObject({ code: 1, output: expect.stringMatching(/nothing is named.*\[MEM_ARGUMENT\]/s) });
  expect(await run("forget", "--path", NOTE, "--lines", "9-3")).toMatchObject({
    code: 1,
    output: expect.stringMatching(/--lines takes.*Name the first line/s),
  });
  const { error } = await json("forget", "--undo", "");
  expect(error).toMatchObject({ message: expect.stringContaining("--undo"), remedy: expect.stringContaining("--list") });

  const dry = await run("forget", "old phone number", "--dry-run");
  expect(dry.output).toContain("Nothing was changed");
  expect(dry.output).toContain(NOTE);
  expect(await finds("phone office")).toBe(true);

  // Nothing is done without the id of a preview, or --yes.
  const plan = await json("forget", "--path", NOTE, "--lines", "4");
  expect(plan).toMatchObject({ dryRun: true, passages: [{ path: NOTE, startLine: 4, endLine: 4 }] });
  expect(await finds("phone office")).toBe(true);
  const report = await json("forget", "--apply", plan.planId);
  expect(report).toMatchObject({ dryRun: false, files: [], passages: [{ path: NOTE, startLine: 4, endLine: 4 }] });
  expect(await finds("phone office")).toBe(false);
  expect(await finds("falcon database")).toBe(true);
  expect(await readFile(path.join(workspace, NOTE), "utf8")).toBe(FILES[NOTE]);
  await writeFile(path.join(workspace, NOTE), `A new first line.\n${FILES[NOTE]}`);
  await run("index", "--force");
  expect(await finds("phone office")).toBe(false);

  const { forgotten } = await json("forget", "--list");
  expect(forgotten).toMatchObject([{ id: report.undoId, kind: "lines", name: NOTE, lines: 1, undoUntil: report.undoUntil }]);
  expect((await run("forget", "--undo", report.undoId)).output).toContain("indexed again");
  expect(await finds("phone office")).toBe(true);

  const whole = await run("forget", "--path", "MEMORY.md", "--yes");
  expect(whole.output).toContain("OpenClaw itself shows MEMORY.md");
  expect(await finds("sencha")).toBe(false);
  const [status] = await json("status");
  expect(status.scan.issues.join("\n")).toMatch(/MEMORY\.md: forgotten/);
  const missing = await run("forget", "--path", "memory/none.md");
  expect(missing).toMatchObject({ code: 1, output: expect.stringContaining("neither in the index nor on disk") });
  // It said that they were forgotten, and searches went on finding all of it.
  for (const place of [".", "..", "memory/..", "/etc/passwd"]) {
    const refused = await run("forget", "--path", place, "--yes");
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("no file or folder of the memory") });
  }
});

// All agents lost what memory kept, whichever was named.
test("reset --everything is of every agent, and no agent can be named with it", async () => {
  const { stateDir, run } = await commandLine();
  await run("index");
  for (const sure of ["--yes", "--dry-run"]) {
    const refused = await run("reset", "--everything", "--agent", "main", sure);
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/--agent names one.*\[MEM_ARGUMENT\]/s) });
  }
  expect(existsSync(path.join(stateDir, "memory-core-rs/main/index.sqlite"))).toBe(true);
});

// The vectors, which may have cost money, went against the word of whoever asked.
test("reset --everything --keep-vectors is refused, and nothing is removed", async () => {
  const { stateDir, json } = await commandLine();
  await json("index");
  const { error } = await json("reset", "--everything", "--keep-vectors", "--yes");
  expect(error).toMatchObject({ code: "MEM_ARGUMENT", remedy: expect.stringContaining("Leave one of them out") });
  expect(existsSync(path.join(stateDir, "memory-core-rs/main/index.sqlite"))).toBe(true);
});

// One was done and the other passed over: words beside an id were not forgotten, and a preview of an act was the act itself.
test("forget refuses orders that exclude each other, names both, and does neither", async () => {
  const { run, json, finds } = await commandLine({ provider: "none" });
  await run("index");
  const { planId } = await json("forget", "--path", NOTE);
  for (const [words, one, other] of /** @type {[string[], string, string][]} */ ([
    [["old phone", "--undo", planId], "--undo", "words"],
    [["old phone", "--apply", planId], "--apply", "words"],
    [["--path", "MEMORY.md", "--list"], "--list", "--path"],
    [["--list", "--undo", planId], "--list", "--undo"],
    [["--list", "--apply", planId], "--list", "--apply"],
    [["--undo", planId, "--apply", planId], "--undo", "--apply"],
    [["--undo", planId, "--final"], "--undo", "--final"],
    [["--undo", planId, "--dry-run"], "--undo", "--dry-run"],
    [["--apply", planId, "--dry-run"], "--apply", "--dry-run"],
  ])) {
    const { error } = await json("forget", ...words);
    const message = `${one} cannot be combined with ${other}. Leave one of them out`;
    expect(error).toEqual({ code: "MEM_ARGUMENT", message, remedy: "Leave one of them out" });
  }
  expect(await finds("falcon database")).toBe(true);
  expect(await json("forget", "--list")).toMatchObject({ forgotten: [] });
});

// An empty variable of a script showed a list, and named the working folder a copy that exists.
test("an empty id or name is refused", async () => {
  const { run } = await commandLine();
  await run("index");
  for (const call of [
    ["captures", "--undo", ""],
    ["forget", "--undo", ""],
    ["forget", "--apply", ""],
    ["backup", ""],
  ])
    expect(await run(...call)).toMatchObject({ code: 1, output: expect.stringMatching(/\[MEM_(?:ARGUMENT|NOT_FOUND)\]/) });
});

// An explanation of nothing was empty JSON and a success, an undo of no run was one of the latest, and a restore said "file must be a text".
test("an empty argument is named, with what to give instead", async () => {
  const { run, runFacts } = await commandLine({ provider: "none" });
  const outcomes = [
    await run("restore", "", "--json"),
    await run("report", "", "--json"),
    await run("consolidate", "explain", "", "--json"),
    await run("promote-explain", " ", "--json"),
    await run("consolidate", "undo", "", "--json"),
    await runFacts("import", "", "--json"),
  ];
  for (const { stdout, code } of outcomes) {
    const [{ error }] = [JSON.parse(stdout)].flat();
    expect(error).toEqual({ code: "MEM_ARGUMENT", message: expect.stringContaining(" is empty. "), remedy: expect.any(String) });
    expect(code).toBe(1);
  }
});

// A program got `cleared: null` and an exit code, and no reason.
test("what nobody has agreed to is an error under --json", async () => {
  const { dir, run, finds } = await commandLine({ provider: "none" });
  await run("index");
  const copy = path.join(dir, "copy.sqlite");
  await run("backup", copy);
  for (const words of [["reset"], ["restore", copy], ["reset", "--everything"]]) {
    const { stdout, output, code } = await run(...words, "--json");
    const [{ error }] = [JSON.parse(stdout)].flat();
    expect(error).toEqual({
      code: "MEM_ARGUMENT",
      message: expect.stringMatching(/^Nothing was (cleared|restored|removed): nobody has agreed to it/),
      remedy: expect.stringMatching(/^Use --yes to \w+ it without a question$/),
    });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("[MEM_ARGUMENT]") });
  }
  // A preview is what was asked for.
  expect(await run("reset", "--everything", "--dry-run", "--json")).toMatchObject({ code: 0 });
  expect(await finds("sencha")).toBe(true);
});

test("reset asks, clears the index only, and an update brings it back", async () => {
  const { workspace, stateDir, run, json, finds } = await commandLine();
  await run("index");
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  await native().keepPrompt(agent, "recall", 3, "agent:main:main", "the favourite tea is sencha");
  const refused = await run("reset");
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("Nothing was cleared") });
  expect(await finds("sencha")).toBe(true);
  const [{ cleared }] = await json("reset", "--yes");
  expect(cleared).toMatchObject({ files: 2, vectors: 0 });
  expect((await native().listPrompts(agent, 9)).prompts).toEqual([]);
  expect(await readFile(path.join(stateDir, "memory-core-rs/main/prompts.jsonl"), "utf8")).not.toContain("sencha");
  const [{ status }] = await json("status");
  expect(status).toMatchObject({ files: 0, chunks: 0, dirty: true });
  expect(existsSync(path.join(workspace, NOTE))).toBe(true);
  await run("index");
  expect(await finds("sencha")).toBe(true);
});

// Whoever wrote to the agent alone was taken for its owner, and nothing said so.
test("doctor tells where anybody counts as the owner", async () => {
  const { json, written, write } = await commandLine(undefined, {
    plugins: { entries: { "memory-core-rs": { config: { autoRecall: true } } } },
  });
  const problems = async (/** @type {object} */ cfg) => {
    write({ ...written(), commands: undefined, ...cfg });
    const [{ checks }] = await json("doctor", "--dry-run");
    return checks.flatMap((/** @type {any} */ check) => (check.name === "owner" ? [check.found] : []));
  };
  const open = { dmPolicy: "open", allowFrom: ["*"] };
  expect(
    await problems({
      channels: { telegram: open, discord: { dm: { policy: "open", allowFrom: ["*"] } }, signal: { dmPolicy: "pairing" } },
    }),
  ).toEqual([expect.stringContaining("on telegram and counts as you"), expect.stringContaining("on discord")]);
  expect(await problems({ channels: { telegram: { accounts: { work: open } } } })).toHaveLength(1);
  expect(await problems({ channels: { telegram: open }, commands: { ownerAllowFrom: ["telegram:1"] } })).toEqual([]);
  expect(await problems({ channels: { telegram: { ...open, enabled: false } } })).toEqual([]);
  expect(await problems({ channels: { telegram: open }, plugins: {} })).toEqual([]);
});

// Who shared the main conversation with a stranger was told nothing, by the host's default.
test("doctor tells who shares the main conversation, and how to keep people apart", async () => {
  const { json, written, write } = await commandLine(undefined, {
    plugins: { entries: { "memory-core-rs": { config: { autoRecall: true } } } },
  });
  const found = async (/** @type {object} */ cfg) => {
    write({ ...written(), ...cfg });
    const [{ checks }] = await json("doctor", "--dry-run");
    return checks.filter((/** @type {any} */ check) => check.name === "conversation");
  };
  const cfg = { channels: { telegram: { dmPolicy: "open", allowFrom: ["*"] } }, commands: { ownerAllowFrom: ["telegram:1"] } };
  expect(await found(cfg)).toEqual([
    {
      name: "conversation",
      ok: false,
      found: expect.stringContaining("others share the main conversation with you on telegram"),
      remedy: expect.stringContaining("session.dmScope per-channel-peer"),
    },
  ]);
  expect(await found({ ...cfg, session: { dmScope: "per-channel-peer" } })).toEqual([]);
  expect(await found({ session: undefined, channels: { telegram: { allowFrom: ["1"] } } })).toEqual([]);
});

test("doctor names what is wrong, repairs it, and then finds nothing", async () => {
  const { workspace, stateDir, run, json } = await commandLine();
  await run("index");
  await writeFile(path.join(workspace, "memory/new.md"), "Not indexed yet.");
  await writeFile(path.join(stateDir, "memory-core-rs/main/index.forgotten.jsonl"), "no entry\n");
  const [found] = await json("doctor", "--dry-run");
  const bad = found.checks.filter((/** @type {any} */ check) => !check.ok).map((/** @type {any} */ check) => check.name);
  expect(found.ok).toBe(false);
  expect(bad).toEqual(expect.arrayContaining(["disk", "forgotten"]));
  const { output } = await run("doctor");
  expect(output).toMatch(/repaired disk: 1 files changed .*; read 1 and removed 0/);
  expect(output).toMatch(/problem forgotten: 1 lines/);
});

test("status --fix repairs as the doctor does, and says what", async () => {
  const { workspace, run, json } = await commandLine();
  await run("index");
  expect((await run("status", "--fix")).output).toMatch(/Repair.*no changes/);
  await writeFile(path.join(workspace, NOTE), "# Day\n\n- Project Heron uses SQLite.\n");
  const [plain] = await json("status");
  expect([plain.status.dirty, plain.repair]).toEqual([true, undefined]);
  const [fixed] = await json("status", "--fix");
  expect(fixed.repair.changed).toBe(true);
  expect(fixed.repair.checks.filter((/** @type {any} */ check) => check.did).map((/** @type {any} */ check) => check.name)).toEqual([
    "disk",
  ]);
  expect(fixed.status.dirty).toBe(false);
});

test("backup writes a private copy that opens as an index, and never overwrites", async () => {
  const { dir, stateDir, run, json, finds } = await commandLine();
  await run("index");
  await run("forget", "--path", "MEMORY.md", "--yes");
  const target = path.join(dir, "copy.sqlite");
  const [copy] = await json("export", target);
  expect(copy).toMatchObject({ path: target, files: 1, forgotten: path.join(dir, "copy.forgotten.jsonl") });
  if (process.platform !== "win32") expect((await stat(target)).mode & 0o777).toBe(0o600);
  expect(await run("backup", target)).toMatchObject({ code: 1, output: expect.stringContaining("exists already") });
  expect(await finds("falcon")).toBe(true);
  expect(existsSync(path.join(stateDir, "memory-core-rs/main/index.sqlite"))).toBe(true);
});

test("index --cancel-batches indexes nothing and says what it stopped", async () => {
  const { run, finds } = await commandLine();
  expect((await run("index", "--cancel-batches")).output).toContain("Stopped 0 batch jobs");
  expect((await run("status", "--json")).output).toContain('"files": 0');
  expect(await finds("sencha")).toBe(true);
});

// Without a provider there were no vectors to keep, and nothing that a reset or a rebuild could pay for twice.
test("with a provider: what was paid for outlives a rebuild and --keep-vectors, and the doctor and a copy count it", async () => {
  const provider = await startProvider({ latencyMs: 0 });
  onTestFinished(provider.stop);
  const remote = { baseUrl: provider.baseUrl, apiKey: "sk-admin" };
  const { dir, run, json, finds } = await commandLine({ provider: "openai-compatible", model: "test-embed", remote });
  const sent = () => [...provider.counts.values()].reduce((sum, count) => sum + count, 0);
  await run("index");
  const paid = sent();
  expect(paid).toBeGreaterThan(0);
  await run("index", "--force");
  const [{ cleared }] = await json("reset", "--yes", "--keep-vectors");
  expect(cleared).toMatchObject({ files: 2, vectors: 0 });
  await run("index");
  expect(sent()).toBe(paid);
  const [{ checks }] = await json("doctor", "--dry-run");
  const bad = checks.filter((/** @type {any} */ check) => !check.ok).map((/** @type {any} */ check) => check.name);
  // The stand-in for a host is not set up.
  expect(bad).toEqual(["setup"]);
  expect(await json("export", path.join(dir, "copy.sqlite"))).toMatchObject([{ vectors: paid }]);
  const [all] = await json("reset", "--yes");
  expect(all.cleared).toMatchObject({ vectors: paid });
  const before = sent();
  await run("index");
  expect(sent()).toBe(before + paid);
  expect(await finds("sencha")).toBe(true);
});

// Nothing looked for them: the text of a note stayed in its folder when the plugin was long gone.
test("reset --everything shows and removes what a killed process was writing, and nothing beside it", async () => {
  const { workspace, stateDir, run, json } = await commandLine({ provider: "none" });
  await run("index");
  const name = ".0f8fad5bd9cb469fa16570867728950e.tmp";
  const [notes, turns, own] = [path.join(workspace, "memory"), path.join(stateDir, "memory"), path.join(stateDir, "memory-core-rs")];
  await mkdir(turns, { recursive: true });
  for (const folder of [notes, turns]) await writeFile(path.join(folder, name), "The falcon sleeps.");
  await writeFile(path.join(notes, ".other.tmp"), "of another program");
  const what = "of it only 1 text that a killed process was writing";
  const { left } = await json("reset", "--everything", "--dry-run");
  expect(left.slice(1)).toEqual([notes, turns].map((folder) => ({ path: folder, bytes: 18, what })));
  expect(left[0].path).toBe(own);
  expect(await readdir(notes)).toContain(name);
  expect(await run("reset", "--everything", "--yes")).toMatchObject({ code: 0, output: expect.stringContaining(what) });
  expect([await readdir(turns), existsSync(own)]).toEqual([[], false]);
  expect(await readdir(notes)).not.toContain(name);
  expect(await readdir(notes)).toContain(".other.tmp");
});

// Intents and the list were gone with everything, and nothing had named them.
test("reset --everything names what nothing can make again, with its number", async () => {
  const { stateDir, run, json } = await commandLine({ provider: "none" });
  await run("index");
  expect((await run("reset", "--everything", "--dry-run")).output).not.toContain("Nothing can make");
  for (const agentId of ["main", "former"]) {
    const agent = { agentId, stateDir, config: {}, isDefaultAgent: agentId === "main" };
    const intent = { description: "Ask about the anchor", triggerKeywords: ["boat"] };
    await native().createIntent(agent, intent, { sessionKey: `agent:${agentId}:main` });
  }
  await run("forget", "--path", NOTE, "--yes");
  const { output } = await run("reset", "--everything", "--dry-run");
  expect(output).toContain("Nothing can make these again: 2 standing intents and the list of what was forgotten (once).");
  expect(output).toContain("openclaw memory intents export");
  expect(await json("reset", "--everything", "--dry-run")).toMatchObject({ removed: [], lost: { intents: 2, forgotten: 1, setup: 0 } });
  expect(await json("reset", "--everything", "--yes")).toMatchObject({ left: [], lost: { intents: 2, forgotten: 1, setup: 0 } });
  expect(existsSync(path.join(stateDir, "memory-core-rs"))).toBe(false);
});

// The database stayed, with the text of all notes, and the command said that nothing is left.
test("reset --everything removes an index that store.path puts elsewhere, and no file of others", async () => {
  const settings = { store: { path: "~/never/{agentId}.db" } };
  const { dir, stateDir, run, json, write, written } = await commandLine(settings);
  const place = path.join(dir, "elsewhere");
  settings.store.path = path.join(place, "{agentId}.db");
  const config = { provider: "none", store: settings.store };
  write({
    ...written(),
    memory: { search: config },
    agents: { ...written().agents, list: [{ id: "main", default: true }, { id: "ops" }] },
  });
  await run("index");
  await run("forget", "--path", NOTE, "--yes", "--agent", "main");
  expect(await readdir(place)).toEqual(expect.arrayContaining(["main.db", "main.forgotten.jsonl", "ops.db"]));
  await writeFile(path.join(place, "mine.db"), "of another program");
  await rm(path.join(stateDir, "memory-core-rs"), { recursive: true, force: true });
  // Where nobody searches any more the index is still there.
  write({ ...written(), memory: { search: { ...config, enabled: false } } });
  const { left, lost } = await json("reset", "--everything", "--dry-run");
  const paths = left.map((/** @type {{path: string}} */ file) => file.path);
  expect(paths).toEqual(expect.arrayContaining(["main.db", "main.forgotten.jsonl", "ops.db"].map((name) => path.join(place, name))));
  expect(lost).toEqual({ intents: 0, forgotten: 1, setup: 0 });
  expect(await run("reset", "--everything", "--yes")).toMatchObject({ code: 0, output: expect.stringContaining("main.db") });
  expect(await readdir(place)).toEqual(["mine.db"]);
  expect((await run("reset", "--everything", "--yes")).output).toContain("Nothing of ours is on this disk.");

  // What has the name of an index and is none.
  await writeFile(path.join(place, "main.db"), "a diary, and no database at all");
  await symlink(path.join(place, "mine.db"), path.join(place, "ops.db"));
  const { foreign } = await json("reset", "--everything", "--yes");
  expect(foreign).toEqual([path.join(place, "main.db"), path.join(place, "ops.db")]);
  expect(await readdir(place)).toEqual(["main.db", "mine.db", "ops.db"]);
});

// It was deleted unnamed, although every other command had refused to touch it.
test("reset --everything leaves a database of another program in our own folder, and names it", async () => {
  const { stateDir, run, json } = await commandLine({ provider: "none" });
  await run("index");
  const agent = path.join(stateDir, "memory-core-rs", "main");
  const database = path.join(agent, "index.sqlite");
  for (const end of ["-wal", "-shm"]) await rm(database + end, { force: true });
  await writeFile(database, "a diary, and no database at all");
  expect(await json("reset", "--everything", "--yes")).toMatchObject({ left: [], foreign: [database] });
  expect(await readdir(agent)).toEqual(["index.sqlite"]);
  expect(await readFile(database, "utf8")).toContain("a diary");
  expect((await run("reset", "--everything", "--yes")).output).toContain("Nothing of ours is on this disk.");
});

// It ended with Node's own words and no code, and the rest stayed.
test("what reset --everything cannot remove is named with a code and a remedy, and all else goes", async () => {
  const { stateDir, run } = await commandLine({ provider: "none" });
  await run("index");
  const own = path.join(stateDir, "memory-core-rs");
  const stuck = path.join(own, "main");
  const busy = Object.assign(new Error("EBUSY: resource busy or locked, rmdir"), { code: "EBUSY", path: stuck });
  await mkdir(path.join(own, "zebra"));
  const { rmdir } = files;
  files.rmdir = async (place) => (place === stuck ? Promise.reject(busy) : rmdir(place));
  syncBuiltinESMExports();
  onTestFinished(() => {
    files.rmdir = rmdir;
    syncBuiltinESMExports();
  });
  const { code, output } = await run("reset", "--everything", "--yes");
  expect(code).toBe(1);
  expect(output).toMatch(/all was removed but this: .*main is in use.*unmount it.*\[MEM_IO\]/s);
  expect(await readdir(own)).toEqual(["main"]);
  expect(await readdir(stuck)).toEqual([]);
});

// It said that all was removed but one file, under a code that says nothing.
test("reset --everything on a disk that is read-only says that nothing was removed", async () => {
  const { stateDir, run } = await commandLine({ provider: "none" });
  await run("index");
  const own = path.join(stateDir, "memory-core-rs");
  const before = await readdir(own, { recursive: true });
  const { rm: remove, rmdir } = files;
  const refused = async (/** @type {any} */ place) => {
    if (!String(place).startsWith(own)) return await remove(place, { recursive: true, force: true });
    throw Object.assign(new Error(`EROFS: read-only file system, unlink '${place}'`), { code: "EROFS", path: place });
  };
  Object.assign(files, { rm: refused, rmdir: refused });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(files, { rm: remove, rmdir });
    syncBuiltinESMExports();
  });
  const { code, output } = await run("reset", "--everything", "--yes");
  expect(code).toBe(1);
  expect(output).toMatch(/nothing was removed: \S+ is on a disk that is read-only\. Make the disk writable.*\[MEM_READ_ONLY\]/);
  expect(output).not.toContain("all was removed");
  expect(await readdir(own, { recursive: true })).toEqual(before);
});

test("reset --everything shows and removes what an uninstalled plugin would leave, and no note", async () => {
  const { workspace, stateDir, run, json, finds } = await commandLine({ provider: "none" });
  await run("index");
  const turns = path.join(stateDir, "memory", "short-term.jsonl");
  const other = path.join(stateDir, "memory", "main.sqlite");
  await mkdir(path.dirname(turns), { recursive: true });
  await writeFile(turns, "{}\n");
  await writeFile(other, "of memory-core");
  const own = path.join(stateDir, "memory-core-rs");
  const { left } = await json("reset", "--everything", "--dry-run");
  expect(left.map((/** @type {{path: string}} */ place) => place.path)).toEqual([own, turns]);
  // Nobody is there to agree.
  expect(await run("reset", "--everything")).toMatchObject({ code: 1, output: expect.stringContaining("Nothing was removed") });
  expect(existsSync(own)).toBe(true);
  expect(await run("reset", "--everything", "--yes")).toMatchObject({ code: 0 });
  expect([own, turns, other, path.join(workspace, NOTE)].map((place) => existsSync(place))).toEqual([false, false, true, true]);
  await run("index");
  expect(await finds("falcon database")).toBe(true);
});
