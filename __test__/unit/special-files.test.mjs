// What stands where a note is expected, and is none: pipes, links, devices, files without end. None of it may be followed,
// hold a thread, or fill the memory.

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { commandLine } from "../support/command-line.mjs";
import { hooked, MAIN, turn } from "./hooked.mjs";

const FACTS = "memory/facts.md";
const FALCON = "Project Falcon uses PostgreSQL 17 as its database.";

/** @param {string} file */
function pipe(file) {
  rmSync(file, { force: true });
  execFileSync("mkfifo", [file]);
}

/** What can be put in the place of a note, and what is said of it. @type {[string, RegExp, (file: string, dir: string) => void][]} */
const STRANGERS = [
  ["a pipe", /not a regular file/, (file) => pipe(file)],
  ["a folder", /not a regular file/, (file) => mkdirSync(file)],
  ["an endless device", /symbolic link/, (file) => symlinkSync("/dev/zero", file)],
  [
    "a link to a file outside",
    /symbolic link/,
    (file, dir) => {
      writeFileSync(path.join(dir, "outside.md"), "- The secret harbour is called Quokka\n");
      symlinkSync(path.join(dir, "outside.md"), file);
    },
  ],
  [
    "a file beyond the limit",
    /larger than \d+ bytes/,
    (file) => {
      writeFileSync(file, "- The secret harbour is called Quokka\n");
      truncateSync(file, 1 << 30);
    },
  ],
];

describe.skipIf(process.platform === "win32")("in the place of the note of facts", () => {
  // A pipe held the thread of every search after four questions, and `close()` for good; a link was read and shown.
  test.each(STRANGERS)("%s is refused in words, and everything else goes on", async (_, said, put) => {
    const { dir, workspace, manager, agent } = await hooked({ storedFacts: { enabled: true } }, { files: { "memory/falcon.md": FALCON } });
    put(path.join(workspace, FACTS), dir);
    // More often than there are threads.
    for (let times = 0; times < 6; times++) {
      const asked = manager.run((engine) => engine.searchFacts("secret harbour", 5, 0));
      await expect(asked).rejects.toMatchObject({ code: "MEM_PATH", message: expect.stringMatching(said) });
    }
    const error = await manager.run((engine) => engine.facts()).catch((/** @type {any} */ error) => error);
    expect(error.remedy ?? error.message).toMatch(/plain|Move away|maxFileBytes/);
    await expect(
      manager.run((engine) => engine.storeFact({ text: "Tea is green", category: "fact", importance: 0.7 })),
    ).rejects.toMatchObject({ code: "MEM_PATH" });
    await expect(manager.run((engine) => engine.forgetFact(agent, "x"))).rejects.toMatchObject({ code: "MEM_PATH" });
    expect(await manager.search("which database does Falcon use")).toHaveLength(1);
    await manager.close();
  });
});

test.skipIf(process.platform === "win32")("a day's note that is none keeps back its captures, and no search", async () => {
  const { workspace, handlers, manager, warnings, today, drained } = await hooked(
    { autoCapture: true, storedFacts: { enabled: true } },
    { files: { "memory/falcon.md": FALCON } },
  );
  await handlers.agent_end(turn("I prefer trains to planes"), MAIN);
  await drained();
  const [, name] = /** @type {string[]} */ (/^# (\S+)/.exec(await today()));
  pipe(path.join(workspace, `memory/${name}.md`));
  await handlers.agent_end(turn("I prefer boats to trains"), MAIN);
  await expect.poll(() => warnings.join()).toMatch(/not a regular file/);
  // The other notes are looked at all the same.
  expect(await manager.run((engine) => engine.facts())).toEqual([]);
  expect(await manager.search("which database does Falcon use")).toHaveLength(1);
  await manager.close();
});

test.skipIf(process.platform === "win32")("a note that becomes a pipe after it was indexed does not hold a recall", async () => {
  const { workspace, handlers, manager } = await hooked(
    { autoRecall: true },
    { files: { "memory/falcon.md": FALCON, "memory/tea.md": "Sencha is the tea of the house." }, version: "2026.4.12" },
  );
  const write = { toolName: "write", params: { path: "memory/falcon.md", content: "The boat is called Alba." } };
  const group = { ...MAIN, sessionKey: "agent:main:telegram:group:7" };
  // From here on recall looks into the notes it shows.
  await handlers.after_tool_call(write, group);
  pipe(path.join(workspace, "memory/falcon.md"));
  await handlers.after_tool_call(write, group);
  for (let times = 0; times < 6; times++) {
    await handlers.before_prompt_build({ prompt: "Which database does Falcon use?" }, MAIN);
  }
  // A thread that reads the pipe would never come back, neither in the engine nor in Node. Whether the index still knows
  // what stood there depends on whether the watcher came first.
  expect(await manager.search("which tea is the tea of the house")).toHaveLength(1);
  expect(readFileSync(path.join(workspace, "..", "state", "memory-core-rs", "journal.jsonl"), "utf8")).toContain("marks");
  await manager.close();
});

const SHORT_TERM = { shortTerm: { enabled: true } };
const RECENT = "## Recent Memory";

/** @param {Awaited<ReturnType<typeof hooked>>} home */
async function recent({ handlers }) {
  return String((await handlers.before_prompt_build({ prompt: "And what did we say about tea?" }, MAIN))?.appendContext);
}

/** What was logged by the end of one more turn. @param {Awaited<ReturnType<typeof hooked>>} home */
async function toldAfterTurn({ handlers, warnings }) {
  await handlers.agent_end(turn("And on."), MAIN);
  return warnings.join("\n");
}

/** @type {[string, string, (file: string) => void][]} */
const DAMAGE = [
  // The event loop stood still for half a minute at 300 MB; this would take it for months.
  ["zeros without end", "set aside as", (file) => truncateSync(file, 2 ** 40)],
  ["some zeros", "were cut off", (file) => appendFileSync(file, Buffer.alloc(5000))],
  ["something else", "were set aside as", (file) => appendFileSync(file, "\0\0#####".repeat(100))],
  ["a line without end", "set aside as", (file) => appendFileSync(file, `{"input":"${"x".repeat(64 << 20)}`)],
];

test.each(DAMAGE)("short-term memory that ends in %s goes on, and the damage is told", async (_, said, damage) => {
  const home = await hooked(SHORT_TERM);
  const { handlers, stateDir, warnings, agent } = home;
  const file = path.join(stateDir, "memory", "short-term.jsonl");
  await handlers.agent_end(turn("Sencha is my tea."), MAIN);
  damage(file);
  const isReadable = (await recent(home)).includes("Sencha");
  await handlers.agent_end(turn("The kettle is broken."), MAIN);
  expect(await recent(home)).toContain("kettle");
  expect((await recent(home)).includes("Sencha")).toBe(isReadable);
  expect(warnings.join("\n")).toContain(said);
  const aside = native().setAsideFiles(agent);
  expect(aside).toHaveLength(said.includes("aside") ? 1 : 0);
  for (const damaged of aside) expect(warnings.join("\n")).toContain(damaged.path);
});

test("a line without end in short-term memory hides neither what follows nor itself from the file's owner", async () => {
  const home = await hooked(SHORT_TERM);
  const file = path.join(home.stateDir, "memory", "short-term.jsonl");
  await home.handlers.agent_end(turn("Sencha is my tea."), MAIN);
  appendFileSync(file, `{"input":"${"x".repeat(64 << 20)}"}\n`);
  await home.handlers.agent_end(turn("The kettle is broken."), MAIN);
  expect(await recent(home)).toContain("kettle");
  expect((await recent(home)).length).toBeLessThan(10_000);
  await expect.poll(() => toldAfterTurn(home), { timeout: 10_000 }).toContain(`${file} is larger than`);
  await toldAfterTurn(home);
  expect(home.warnings).toHaveLength(1);
  expect(statSync(file).size).toBeGreaterThan(64 << 20);
});

// What was damaged between good lines was passed over without a word.
test("damage between turns is set aside and told in the log and by status", async () => {
  const home = await hooked(SHORT_TERM);
  const file = path.join(home.stateDir, "memory", "short-term.jsonl");
  await home.handlers.agent_end(turn("Sencha is my tea."), MAIN);
  appendFileSync(file, "\0\0####\n#\n");
  await home.handlers.agent_end(turn("The kettle is broken."), MAIN);
  expect(await recent(home)).toContain("kettle");
  await expect.poll(() => toldAfterTurn(home), { timeout: 10_000 }).toMatch(/2 lines of .*short-term\.jsonl were no entries/);
  for (const word of ["Sencha", "kettle"]) expect(await recent(home)).toContain(word);
  const [aside] = native().setAsideFiles(home.agent);
  expect(aside).toEqual({ path: expect.stringContaining("short-term-damaged-"), lines: 2 });
  expect(readFileSync(aside.path, "utf8")).toBe("\0\0####\n#\n");
  expect(statSync(aside.path).mode & 0o077).toBe(0);
});

test("status finds damage that nobody has met, and says where it lies now", async () => {
  const { stateDir, run, json } = await commandLine();
  const file = path.join(stateDir, "memory", "short-term.jsonl");
  mkdirSync(path.dirname(file), { recursive: true });
  const turns = Array.from({ length: 500 }, (_, n) => `{"turn":${n}}\n`);
  writeFileSync(file, ["#####\n", ...turns].join(""));
  const { output } = await run("status");
  expect(output).toMatch(/short-term-damaged-[\d-]+\.jsonl: 1 damaged line, set aside from automatic memory; nothing reads it/);
  expect(readFileSync(file, "utf8")).toBe(turns.join(""));
  expect((await json("status"))[0].scan.issues).toEqual([expect.stringContaining("short-term-damaged-")]);
});

test.skipIf(process.platform === "win32")("a pipe in the place of short-term memory holds no hook", async () => {
  const home = await hooked(SHORT_TERM);
  const file = path.join(home.stateDir, "memory", "short-term.jsonl");
  await home.handlers.agent_end(turn("Sencha is my tea."), MAIN);
  pipe(file);
  await home.handlers.agent_end(turn("The kettle is broken."), MAIN);
  expect(await recent(home)).not.toContain(RECENT);
  expect(home.warnings.join("\n")).toContain("not a regular file");
});

test.skipIf(process.platform === "win32")("every file and folder of ours is its owner's alone, whatever the umask says", async () => {
  const before = process.umask(0);
  try {
    const { stateDir, handlers, drained, manager } = await hooked({ ...SHORT_TERM, autoCapture: true, storedFacts: { enabled: true } });
    await handlers.agent_end(turn("I prefer trains to planes"), MAIN);
    await handlers.agent_end(turn("I prefer boats to trains"), { ...MAIN, sessionKey: "agent:main:telegram:dm:7" });
    await drained();
    await manager.forget({ paths: ["MEMORY.md"] });
    await manager.backup(path.join(stateDir, "memory-core-rs", "copy.sqlite"));
    const open = readdirSync(stateDir, { recursive: true, encoding: "utf8" }).filter(
      (name) => statSync(path.join(stateDir, name)).mode & 0o077,
    );
    expect(open).toEqual([]);
    expect(readdirSync(path.join(stateDir, "memory-core-rs", "main")).join()).toMatch(
      /forgotten\.jsonl.*index\.sqlite-shm.*index\.sqlite-wal.*journal\.jsonl/,
    );
  } finally {
    process.umask(before);
  }
});
