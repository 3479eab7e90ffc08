// Forgetting by conversation, person and date, as a user types it: what memory wrote of them goes, and comes back.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { doneText, inventory } from "../../plugin/cli/forget.js";
import { commandLine } from "../support/command-line.mjs";
import { makeWorkspace } from "../support/workspace.mjs";
import { hooked, MAIN, turn } from "./hooked.mjs";

const ANA = "agent:main:telegram:direct:4711";
const BEN = "agent:main:telegram:direct:815";
const AUTOMATIC = { plugins: { entries: { "memory-core-rs": { config: { autoCapture: true, shortTerm: { enabled: true } } } } } };

/** Every file below a folder with its content. @param {string} folder */
async function filesOf(folder) {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, "latin1")])));
}

/** A home in which two people told the agent something. */
async function home() {
  const line = await commandLine({ provider: "none", experimental: { sessionMemory: true }, sources: ["memory", "sessions"] }, AUTOMATIC);
  const { stateDir, workspace } = line;
  const agent = { config: { autoCapture: true }, agentId: "main", isDefaultAgent: true, stateDir };
  const sessions = path.join(stateDir, "agents/main/sessions");
  await mkdir(sessions, { recursive: true });
  const list = { [ANA]: { sessionId: "s-ana" }, [BEN]: { sessionId: "s-ben" } };
  /** @type {Record<string, string>} */
  const said = { [ANA]: "My boat is called Quokka", [BEN]: "My cat is called Walrus" };
  await writeFile(path.join(sessions, "sessions.json"), JSON.stringify(list));
  for (const [key, { sessionId }] of Object.entries(list)) {
    const day = key === ANA ? "2026-11-20" : "2026-11-22";
    const rows = [
      { type: "session", id: sessionId, timestamp: `${day}T10:00:00.000Z` },
      { type: "message", timestamp: `${day}T10:00:01.000Z`, message: { role: "user", content: [{ type: "text", text: said[key] }] } },
    ];
    const file = path.join(sessions, `${sessionId}.jsonl`);
    await writeFile(file, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
    await utimes(file, new Date(`${day}T10:05:00Z`), new Date(`${day}T10:05:00Z`));
    native().queueCapture(agent, { id: `run-${sessionId}`, sessionKey: key, sessionId, messages: [{ role: "user", text: said[key] }] });
    native().writeSessionNote(agent, workspace, {
      sessionKey: key,
      sessionId,
      source: "telegram",
      slug: sessionId,
      messages: [{ role: "user", text: said[key] }],
    });
  }
  const { MemoryIndexManager } = await import("../../index.js");
  const manager = await MemoryIndexManager.get({ cfg: line.written(), agentId: "main", stateDir, env: {} });
  await manager?.capture(agent);
  await manager?.close();
  await line.run("index");
  /** @param {string} word */
  const holds = async (word) =>
    [...Object.entries(await filesOf(workspace)), ...Object.entries(await filesOf(path.join(stateDir, "memory-core-rs")))]
      .filter(([, content]) => content.toLowerCase().includes(word.toLowerCase()))
      .map(([file]) => path.basename(file));
  return { ...line, holds };
}

// Nothing else was known of the conversation, and what its prompts were told stayed.
test("a time or a conversation of which only prompts are kept can be forgotten, for good too", async () => {
  const { stateDir, json, holds } = await home();
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  for (const args of [
    ["--session", "agent:main:webchat:direct:9"],
    ["--since", "2026-11-01"],
    ["--person", "9", "--final"],
  ]) {
    await native().forgetPrompts(agent);
    await rm(path.join(stateDir, "memory-core-rs/main/prompts.jsonl"), { force: true });
    await native().keepPrompt(agent, "recall", 3, "agent:main:webchat:direct:9", "the Axolotl is in the tank");
    expect(await holds("Axolotl")).toEqual(["prompts.jsonl"]);
    const report = await json("forget", ...args, "--yes");
    expect(report, JSON.stringify(report)).toMatchObject({ prompts: 1, dryRun: false });
    expect(await holds("Axolotl"), args.join(" ")).toEqual([]);
  }
});

test("a conversation leaves everything but the host's own files, and comes back byte for byte", async () => {
  const { workspace, json, run, finds, holds } = await home();
  const before = await filesOf(workspace);
  expect(await finds("Quokka boat")).toBe(true);
  const plan = await json("forget", "--session", "s-ana");
  expect(plan).toMatchObject({
    dryRun: true,
    captures: 1,
    sessionIds: ["s-ana"],
    sessionResolutions: [{ sessionId: "s-ana", source: "live" }],
  });
  expect(plan.lines).toMatchObject([{ text: expect.stringContaining("Quokka") }]);
  expect(await filesOf(workspace)).toEqual(before);

  const report = await json("forget", "--apply", plan.planId);
  expect(report).toMatchObject({ dryRun: false, undoId: plan.planId, notes: [expect.stringContaining("s-ana")] });
  expect(await finds("Quokka boat")).toBe(false);
  expect(await finds("Walrus cat")).toBe(true);
  expect(await holds("Quokka")).toEqual([`${plan.planId}.json`]);
  await run("index", "--force");
  expect(await finds("Quokka boat")).toBe(false);

  const undone = await json("forget", "--undo", plan.planId);
  expect(undone).toMatchObject({ undone: plan.planId, complete: true, lines: 1, notes: 1, kept: [] });
  expect(await filesOf(workspace)).toEqual(before);
  expect(await finds("Quokka boat")).toBe(true);
});

// A user was told to edit the host's transcripts.
test("whose files still hold it is told", () => {
  const counts = [
    "chunks",
    "vectors",
    "facts",
    "captures",
    "waiting",
    "shortTerm",
    "prompts",
    "promptsOfIt",
    "intents",
    "claims",
    "runs",
    "damaged",
  ];
  const lists = ["passages", "notes", "lines", "quotes", "mixed"];
  const nothing = Object.fromEntries([...counts.map((name) => [name, 0]), ...lists.map((name) => [name, []])]);
  const told = (/** @type {string[]} */ ...files) => inventory(/** @type {any} */ ({ ...nothing, files })).join("\n");
  const [own, hosts] = ["Your files are not changed there", "The transcripts are the host's own"];
  expect(told("sessions/main/s-ana.jsonl")).toContain(hosts);
  expect(told("sessions/main/s-ana.jsonl")).not.toContain(own);
  expect(told("memory/a.md")).not.toContain(hosts);
  expect(told("memory/a.md", "sessions/main/s-ana.jsonl")).toMatch(new RegExp(`${own}[^]*${hosts}`));
});

test("a person is forgotten for good, and nobody else", async () => {
  const { json, run, finds, holds } = await home();
  const report = await json("forget", "--person", "4711", "--final", "--yes");
  expect(report).toMatchObject({ final: true, undoId: null, sessionIds: ["s-ana"] });
  expect(report.participantMatches).toEqual([{ participant: "4711", sessions: 1 }]);
  expect(await holds("Quokka")).toEqual([]);
  expect((await holds("Walrus")).length).toBeGreaterThan(0);
  expect(await run("forget", "--undo", report.id)).toMatchObject({ code: 1, output: expect.stringContaining("for good") });
  await run("index", "--force");
  expect([await finds("Quokka boat"), await finds("Walrus cat")]).toEqual([false, true]);
  expect((await run("forget", "--list")).output).toContain("(for good)");
});

// A preview that nobody carried out held the words for a day.
test("what is final leaves no preview and no undo of the same behind", async () => {
  const { json, run, holds } = await home();
  await json("forget", "--since", "2026-11-01");
  const earlier = await json("forget", "--session", "s-ana", "--yes");
  expect(await holds("Quokka")).toContain(`${earlier.undoId}.json`);
  const other = await json("forget", "--session", "s-ben", "--yes");
  await json("forget", "--session", "s-ana", "--final", "--yes");
  expect(await holds("Quokka")).toEqual([]);
  expect(await run("forget", "--undo", earlier.undoId)).toMatchObject({ code: 1, output: expect.stringContaining("for good") });
  expect(await json("forget", "--undo", other.undoId)).toMatchObject({ complete: true });
});

// Nobody said it, and no command went on with it: what was to be forgotten was found for days.
test("what a killed command has begun is told by status and finished by index", async () => {
  const { json, run, stateDir } = await home();
  await json("forget", "--session", "s-ana");
  const names = await readdir(stateDir, { recursive: true });
  const [plan] = names.filter((name) => /forgetting[^/]*\/\w+\.json$/.test(name)).map((name) => path.join(stateDir, name));
  const begun = { ...JSON.parse(await readFile(plan, "utf8")), state: "applying", appliedMs: Date.now() };
  await writeFile(plan, JSON.stringify(begun));
  expect((await run("status")).output).toContain("was begun and is not finished");
  await run("index");
  expect((await run("status")).output).not.toContain("was begun and is not finished");
  expect(JSON.parse(await readFile(plan, "utf8")).state).toBe("applied");
});

test("a date means the conversations that began in it, alone and beside a person", async () => {
  const { json, run } = await home();
  const ids = async (/** @type {string[]} */ ...args) => (await json("forget", ...args)).sessionIds;
  expect(await ids("--since", "2026-11-21T00:00:00Z")).toEqual(["s-ben"]);
  expect(await ids("--since", "2026-11-19", "--until", "2026-11-20T23:00:00Z")).toEqual(["s-ana"]);
  const none = await run("forget", "--person", "4711", "--since", "2026-11-21T00:00:00Z");
  expect(none).toMatchObject({ code: 1, output: expect.stringContaining("nothing was found") });
  expect(await ids("--since", "20 November 2026", "--until", "20. November 2026")).toEqual(["s-ana"]);
  const noDay = await run("forget", "--since", "someday");
  expect(noDay).toMatchObject({ code: 1, output: expect.stringMatching(/--since names no day.*yesterday.*\[MEM_ARGUMENT\]/s) });
  const hook = await json("forget", "--hook-source", "gmail", "--session", "s-ben");
  expect(hook).toMatchObject({ sessionIds: ["s-ben"], refusals: [expect.stringContaining("does not tell which hook")] });
});

test("an id that leads nowhere, and a plan that is over, are told", async () => {
  const { json, run, stateDir } = await home();
  for (const id of ["../../x", "nothere"]) expect(await run("forget", "--apply", id)).toMatchObject({ code: 1 });
  const plan = await json("forget", "--session", "s-ana");
  const file = path.join(stateDir, "memory-core-rs/main/index.forgetting", `${plan.planId}.json`);
  expect(existsSync(file)).toBe(true);
  await writeFile(file, "{");
  expect(await run("forget", "--apply", plan.planId)).toMatchObject({ code: 1, output: expect.stringContaining("cannot be read") });
});

test("a conversation that the policy leaves out leaves nothing behind, whoever tells its channel", async () => {
  const settings = {
    autoCapture: true,
    shortTerm: { enabled: true },
    sessionNotes: { enabled: true },
    memoryPolicy: { excludeSessions: { channels: ["telegram"], hookExternalContentSources: ["gmail"] } },
    agents: { main: { memoryPolicy: { excludeSessions: { chatTypes: ["group"] } } } },
  };
  /** @type {Record<string, any>} */
  const entries = {
    "agent:main:direct:gmail": { hookExternalContentSource: "gmail" },
    "agent:main:direct:late": { lastChannel: "telegram" },
    "agent:main:direct:rooms": { chatType: "group" },
  };
  const session = { getSessionEntry: (/** @type {any} */ { sessionKey }) => entries[sessionKey] };
  const { handlers, drained, today, stateDir, workspace, agent } = await hooked(settings, { runtimeAgent: { session } });
  const out = ["agent:main:telegram:direct:4711", ...Object.keys(entries)];
  for (const [n, sessionKey] of out.entries()) {
    const said = turn(`My boat number ${n} is called Quokka`);
    await handlers.agent_end(said, { ...MAIN, sessionKey });
    await handlers.before_reset({ ...said, reason: "new" }, { ...MAIN, sessionKey });
  }
  await handlers.agent_end(turn("My cat is called Walrus"), MAIN);
  await drained();
  expect(await today()).toContain("Walrus");
  const files = { ...(await filesOf(workspace)), ...(await filesOf(stateDir)) };
  expect(Object.entries(files).filter(([, text]) => text.includes("Quokka"))).toEqual([]);
  // What waited in the queue when the policy was written is given up.
  native().queueCapture(agent, { id: "late", sessionKey: out[0], messages: [{ role: "user", text: "My bike is called Numbat" }] });
  await handlers.agent_end(turn("My dog is called Dingo"), MAIN);
  await drained();
  expect(await today()).toMatch(/Dingo/);
  expect(await today()).not.toContain("Numbat");
});

test("a turn that waits is not captured once its conversation is forgotten", async () => {
  const { manager, agent, today } = await hooked({ autoCapture: true });
  const said = (/** @type {string} */ id, /** @type {string} */ text) => ({
    id,
    sessionKey: "agent:main:main",
    sessionId: id,
    messages: [{ role: /** @type {const} */ ("user"), text }],
  });
  native().queueCapture(agent, said("s-7", "My snake is called Python"));
  await manager.forget({ sessions: ["s-7"], agent });
  native().queueCapture(agent, said("s-7", "My boat is called Quokka"));
  native().queueCapture(agent, said("s-8", "My cat is called Walrus"));
  await manager.capture(agent);
  expect(await today()).toMatch(/Walrus/);
  expect(await today()).not.toMatch(/Quokka|Python/);
  // A conversation goes on: in the main chat nothing was captured any more, for ever. What shows words of before is of before.
  const at = (/** @type {string} */ run, /** @type {[string, number][]} */ ...texts) =>
    native().queueCapture(agent, { ...said("s-7", ""), id: run, messages: texts.map(([text, ms]) => ({ role: "user", text, at: ms })) });
  at("r1", ["My dog is called Dingo", Date.now() - 60_000]);
  at("r2", ["My dog is called Dingo", Date.now() - 60_000], ["My bird is called Emu", Date.now() + 1000]);
  at("r3", ["My fish is called Barra", Date.now() + 1000]);
  await manager.capture(agent);
  expect(await today()).toMatch(/Barra/);
  expect(await today()).not.toMatch(/Dingo|Emu|Quokka/);
});

test("audit tells what memory has, and where it takes nothing from", async () => {
  const { json, run, written, write } = await home();
  const before = written();
  const policy = structuredClone(before);
  policy.plugins.entries["memory-core-rs"].config.memoryPolicy = { excludeSessions: { channels: ["telegram"] } };
  write(policy);
  const { conversations, report } = await json("audit", "--session", "s-ana");
  expect(conversations).toMatchObject([{ sessionId: "s-ana", sessionKey: ANA, excluded: "channel:telegram" }]);
  expect(report).toMatchObject({ dryRun: true, id: "", captures: 1, notes: [expect.stringContaining("s-ana")] });
  write(before);
  await run("forget", "--session", "s-ben", "--yes");
  const all = await run("audit");
  expect(all.output).toMatch(/s-ana .*4711/);
  expect(all.output).toMatch(/s-ben .*: forgotten/);
  expect((await run("audit", "--person", "nobody")).output).toContain("Memory has nothing of it.");
  const typo = (await run("audit", "--session", "typo")).output;
  expect(typo).toMatch(/typo .*the host knows no such conversation\nMemory has nothing of it\./);
});

// It planned to drop the log of all prompts, and every short-term record, for a name that was mistyped.
test("a conversation that nobody knows is not found, and prompts of others are not told of it", async () => {
  const { stateDir, json, run } = await home();
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  await native().keepPrompt(agent, "recall", 3, "agent:main:webchat:direct:9", "the Axolotl is in the tank");
  const typo = await run("forget", "--session", "typo");
  expect(typo).toMatchObject({ code: 1, output: expect.stringMatching(/knows a conversation "typo".*\[MEM_NOT_FOUND\]/s) });
  expect((await run("forget", "--person", "nobody")).output).toContain("[MEM_NOT_FOUND]");
  expect((await run("audit", "--session", "typo")).output).not.toContain("prompts");
  expect(await json("audit", "--session", "s-ana")).toMatchObject({ report: { prompts: 1, promptsOfIt: 0 } });
  expect((await run("audit", "--session", "s-ana")).output).not.toContain("in prompts");
  expect((await run("audit", "--since", "yesterday")).output).toContain("1 block in prompts");
  const plan = await run("forget", "--session", "s-ana", "--dry-run");
  expect(plan.output).toContain("the whole log of prompts (1 block, any of which may quote it), for good");
  // Of what is in no index it said "0 chunks with words and vectors (0 vectors)".
  const prompted = (await run("forget", "--session", "agent:main:webchat:direct:9", "--dry-run")).output;
  expect(prompted).toContain("  the whole log of prompts (1 block");
  expect(prompted).not.toContain("0 chunks");
});

// `search` took both for "within", and `forget` took the whole folder along.
test("words with a path or a day are the passages that a search for them finds there", async () => {
  const { workspace, json, run, finds } = await home();
  await mkdir(path.join(workspace, "memory/boats"));
  await writeFile(path.join(workspace, "memory/boats/a.md"), "The pelican sits on the mast of the old boat.\n\nThe tea is sencha.\n");
  await writeFile(path.join(workspace, "memory/boats/b.md"), "The rudder is made of oak.\n");
  await writeFile(path.join(workspace, "memory/c.md"), "A pelican flew over the roof of the town hall.\n");
  await run("index");
  const plan = await json("forget", "pelican", "--path", "memory/boats");
  expect(plan.files).toEqual([]);
  expect(plan.passages).toMatchObject([{ path: "memory/boats/a.md", startLine: 1, endLine: 1 }]);
  await json("forget", "--apply", plan.planId);
  expect([await finds("mast pelican"), await finds("rudder oak")]).toEqual([true, true]);
  expect((await run("search", "pelican", "--path", "memory/boats")).output).not.toContain("mast");
  expect(await run("forget", "Walrus", "--path", "memory/boats")).toMatchObject({ code: 1 });
  const dated = await json("forget", "rudder", "--since", "yesterday");
  expect(dated).toMatchObject({ sessionIds: [], captures: 0, passages: [{ path: "memory/boats/b.md" }] });
  expect(await run("forget", "rudder", "--until", "2026-11-01")).toMatchObject({ code: 1 });
});

test("days in the wrong order, an empty day and lines of nothing are refused", async () => {
  const { run } = await home();
  for (const name of ["forget", "audit"]) {
    const wrong = await run(name, "--since", "2026-11-20", "--until", "2026-11-01");
    expect(wrong).toMatchObject({ code: 1, output: expect.stringMatching(/2026-11-20.*lies after.*2026-11-01.*\[MEM_ARGUMENT\]/s) });
    expect(await run(name, "--since", "")).toMatchObject({ code: 1, output: expect.stringContaining("--since names no day") });
  }
  for (const args of [
    ["--lines", "3"],
    ["tea", "--lines", "3"],
    ["tea", "--lines", "3", "--path", "memory/a.md"],
  ])
    expect((await run("forget", ...args)).output).toMatch(/--lines.*--path.*\[MEM_ARGUMENT\]/s);
  // It took the path, and all of the time as well.
  const both = await run("forget", "--path", "memory", "--since", "2026-11-20");
  expect(both).toMatchObject({ code: 1, output: expect.stringMatching(/whatever its day.*\[MEM_ARGUMENT\]/s) });
  expect((await run("forget")).output).toContain("--until");
});

// Twelve lines went of three hundred, and nobody was told of the rest.
test("how many more passages hold the words is said, and how they go as well", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`memory/n-${n}.md`, `# Note ${n}\n\n- On day ${n} Bartholomew Grubb called about ${n * 7}.\n`]),
  );
  const { run, json } = await commandLine({ provider: "none" }, { files });
  await run("index");
  const { output } = await run("forget", "Bartholomew Grubb");
  const [, more, most] = /(\d+) more passages hold these words and stay: ask again with --max-results (\d+)/.exec(output) ?? [];
  expect({ some: Number(more) > 0, most }, output).toEqual({ some: true, most: "30" });
  expect(await json("forget", "Bartholomew Grubb", "--dry-run")).toMatchObject({ more: Number(more) });
  const all = await json("forget", "Bartholomew Grubb", "--max-results", most, "--yes");
  expect([all.passages.length, all.more]).toEqual([30, undefined]);
  expect(await json("search", "Bartholomew")).toMatchObject({ results: [] });
});

test("passages of conversations that hold the words are taken along by --max-results, too", async () => {
  const search = { provider: "none", experimental: { sessionMemory: true }, sources: ["memory", "sessions"] };
  // That keeps conversations in files.
  const line = await commandLine(search, { version: "2026.6.0" });
  const sessions = path.join(line.stateDir, "agents/main/sessions");
  await mkdir(sessions, { recursive: true });
  const ids = Array.from({ length: 6 }, (_, n) => `s-${n}`);
  const list = Object.fromEntries(ids.map((id) => [`agent:main:telegram:direct:${id}`, { sessionId: id }]));
  await writeFile(path.join(sessions, "sessions.json"), JSON.stringify(list));
  for (const [n, id] of ids.entries()) {
    const said = (/** @type {string} */ text) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
    const texts = ["The weather is fine today.", `On day ${n} Bartholomew Grubb called about ${n * 7}.`, "And then we had tea."];
    const rows = [{ type: "session", id, timestamp: "2026-11-20T10:00:00.000Z" }, ...texts.map(said)];
    await writeFile(path.join(sessions, `${id}.jsonl`), `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
  }
  await line.run("index");
  const { passages, more } = await line.json("forget", "Bartholomew Grubb", "--dry-run");
  expect({ all: passages.length + more, some: more > 0 }).toEqual({ all: 6, some: true });
  const all = await line.json("forget", "Bartholomew Grubb", "--max-results", "6", "--yes");
  expect([all.passages.length, all.more]).toEqual([6, undefined]);
  expect([await line.finds("Bartholomew"), await line.finds("weather")]).toEqual([false, true]);
});

/** Has notes with lines of automatic memory, one of them read-only, and forgets; not as root, whom nothing keeps out. */
const READ_ONLY_NOTE = `
  import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
  const { root, dir } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  (await import(root + "lib/native.js")).native();
  if (process.getuid() === 0) process.seteuid(65534);
  const [workspace, stateDir] = [dir + "/ws", dir + "/state"];
  mkdirSync(workspace + "/memory", { recursive: true });
  const talk = (id) => "# Session: now\\n\\n- **Session Key**: agent:main:direct:1\\n- **Session ID**: " + id + "\\n\\nThe Quokka.\\n";
  const note = (name) => workspace + "/memory/2026-11-20-" + name + ".md";
  for (const name of ["a", "b"]) writeFileSync(note(name), talk("s-1"));
  writeFileSync(workspace + "/MEMORY.md", "The tea is sencha.");
  chmodSync(note("b"), 0o444);
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
  const manager = await Manager.get({ cfg, agentId: "main", stateDir, env: {}, purpose: "cli" });
  await manager.sync();
  const { id } = await manager.planForget({ sessions: ["s-1"] });
  const told = await manager.applyForget(id).then(() => "done", ({ code, message, remedy }) => ({ code, message, remedy }));
  const left = readFileSync(note("a"), "utf8");
  const forgotten = await manager.forgotten();
  chmodSync(note("b"), 0o644);
  const done = await manager.applyForget(id);
  console.log(JSON.stringify({ told, left, forgotten, notes: done.notes.length }));
  process.exit();
`;

// The first note was gone, everything else stood still, and each later command failed with an error about this one.
test.runIf(process.platform === "linux")(
  "a note that cannot be written stops it before anything is done",
  { timeout: 60_000 },
  async () => {
    const { dir } = await makeWorkspace({});
    await chmod(dir, 0o777);
    const call = JSON.stringify({ root: pathToFileURL(`${process.cwd()}/`).href, dir });
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", READ_ONLY_NOTE, call], {
      encoding: "utf8",
      timeout: 50_000,
    });
    expect(stdout, stderr).not.toBe("");
    const { told, left, forgotten, notes } = JSON.parse(stdout);
    expect(told).toMatchObject({ message: expect.stringMatching(/nothing was changed.*2026-11-20-b\.md/) });
    expect(left).toContain("Quokka");
    expect({ forgotten, notes }).toEqual({ forgotten: [], notes: 2 });
  },
);

/** Indexes, may not write beside the index any more, and forgets; not as root, whom nothing keeps out. */
const WRITE_PROTECTED = `
  import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
  const { root, dir } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  (await import(root + "lib/native.js")).native();
  if (process.getuid() === 0) process.seteuid(65534);
  const [workspace, stateDir] = [dir + "/ws", dir + "/state"];
  mkdirSync(workspace, { recursive: true });
  writeFileSync(workspace + "/MEMORY.md", "The boiler hums.");
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
  const request = { cfg, agentId: "main", stateDir, env: {}, purpose: "cli" };
  const first = await Manager.get(request);
  await first.sync();
  await first.close();
  const folder = stateDir + "/memory-core-rs/main";
  chmodSync(folder, 0o500);
  const manager = await Manager.get(request);
  const told = await manager.planForget({ paths: ["MEMORY.md"] }).then(() => "done", ({ code, message, remedy }) => ({ code, message, remedy }));
  chmodSync(folder, 0o700);
  console.log(JSON.stringify(told));
  process.exit();
`;

// It was MEM_IO of a file that no user knows, and nothing said what to do.
test.runIf(process.platform === "linux")("where the index cannot be written forgetting says so", { timeout: 60_000 }, async () => {
  const { dir } = await makeWorkspace({});
  await chmod(dir, 0o777);
  const call = JSON.stringify({ root: pathToFileURL(`${process.cwd()}/`).href, dir });
  const args = ["--input-type=module", "-e", WRITE_PROTECTED, call];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 50_000 });
  expect(stdout, stderr).not.toBe("");
  expect(JSON.parse(stdout)).toEqual({
    code: "MEM_READ_ONLY",
    message: expect.stringContaining("the index cannot be written: "),
    remedy: expect.stringMatching(/^Make the index and its folder writable for this user; /),
  });
});

// It said that all was forgotten, while other gateways kept what they could not know to be the same.
test("who shares a memory is told what other gateways keep", () => {
  const told = (/** @type {boolean} */ shared) => doneText({ id: "a", final: true, shared }, { cfg: {}, agentId: "main" });
  expect(told(true)).toContain("forget it on that gateway too");
  expect(told(false)).not.toContain("gateway");
});
