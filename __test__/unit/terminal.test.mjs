// What people see at a terminal: matched words, counts, columns, help.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { native } from "../../lib/native.js";
import { plain, shellPath } from "../../plugin/cli/output.js";
import { registerCli } from "../../plugin/cli/register.js";
import { printStatus } from "../../plugin/cli/status-text.js";
import { cells, clipped, table } from "../../plugin/cli/table.js";
import { commandLine, FILES, NOTE } from "../support/command-line.mjs";

const { isTTY } = process.stdout;
const { TERM, NO_COLOR, FORCE_COLOR } = process.env;
beforeEach(() => {
  process.stdout.isTTY = true;
  process.env.TERM = "xterm";
  delete process.env.NO_COLOR;
});
afterEach(() => {
  process.stdout.isTTY = isTTY;
  Object.assign(process.env, { TERM, NO_COLOR, FORCE_COLOR });
  for (const [name, value] of Object.entries({ TERM, NO_COLOR, FORCE_COLOR })) if (value === undefined) delete process.env[name];
});

test("a search sets off the words that matched and tells how much was found", async () => {
  const home = await commandLine({ provider: "none" });
  await home.run("index");
  const { output } = await home.run("search", "falcon database", "--limit", "1");
  expect(output).toContain("\u001b[1mFalcon\u001b[22m");
  expect(output).toContain("\u001b[1mdatabase\u001b[22m");
  expect(output).toMatch(/1 result in 1 note · \d+ ms/);
  const opened = await home.run("search", "falcon database", "--open");
  expect(opened.output).toContain(`${home.workspace}/${NOTE}:`);
  expect((await home.run("search", "falcon database")).output).toContain(`${NOTE}:`);
});

// A note or the name of a file could name the window, move the cursor, and hide what stood there.
test("what others wrote has no power over the terminal", async () => {
  const ESC = "\u001b";
  const files = {
    "memory/2026-11-02.md": `# Day\r\n\r\n- The falcon ${ESC}]0;title\u0007 is ${ESC}[8mhidden${ESC}[0m \u009b2J\r\n`,
    "memory/new\nline.md": "# Falcon\n\nA falcon of another note.\n",
  };
  const home = await commandLine({ provider: "none" }, { files });
  await home.run("index");
  for (const args of [
    ["search", "falcon"],
    ["search", "falcon", "--open"],
    ["forget", "falcon", "--dry-run"],
  ]) {
    const { output } = await home.run(...args);
    expect(output).toContain("␛]0;title␇");
    // Bold, grey and other colours of ours are all that is left.
    const sgr = new RegExp(`${ESC}\\[(?!8m)[\\d;]*m`, "g");
    expect(output.replace(sgr, "")).not.toMatch(/(?![\n\t])\p{Cc}/u);
  }
  expect((await home.run("search", "falcon")).output).toContain("memory/new␊line.md:1");
  process.stdout.isTTY = false;
  expect((await home.run("search", "falcon")).output).not.toMatch(/(?![\n\t])\p{Cc}/u);
  // Programs get what is there.
  expect(JSON.stringify(await home.json("search", "falcon"))).toContain("\\u001b]0;title");
});

// A turned direction turned the rest of the line around, in every command.
test("no direction of letters is turned around by what others wrote", () => {
  expect(plain("tea \u202egnp.exe\u2069 \u200fשלום")).toBe("tea \ufffdgnp.exe\ufffd \u200fשלום");
});

// Programs got 24 cells of each text, and of the reason nothing.
test("captures say why, and nothing is cut where no terminal is", async () => {
  const home = await commandLine({ provider: "none" }, { plugins: { entries: { "memory-core-rs": { config: { autoCapture: true } } } } });
  const agent = { config: { autoCapture: true }, agentId: "main", isDefaultAgent: true, stateDir: home.stateDir };
  const said = "Do you think that I always prefer very, very, very, very green tea?";
  const message = { role: /** @type {const} */ ("user"), text: said };
  native().queueCapture(agent, { id: "r1", sessionKey: "agent:main:main", sessionId: "s1", messages: [message] });
  const manager = await MemoryIndexManager.get({ cfg: home.written(), agentId: "main", stateDir: home.stateDir, env: {} });
  await manager?.capture(agent);
  await manager?.close();
  process.env.NO_COLOR = "1";
  const { output } = await home.run("captures");
  expect(output).toMatch(/WHY +TEXT\n.*skipped .*question +Do you think/);
  expect(output).toContain(said);
});

test("a failure with a file says which, and has a code of ours", async () => {
  const home = await commandLine({ provider: "none" });
  const missing = path.join(home.dir, "none");
  // The folder was missing, and what was said to be so was the file that was to be written.
  /** @type {[string[], string][]} */
  const cases = [
    [["report", path.join(missing, "report.html")], `the folder ${missing} does not exist. Make it`],
    [["backup", path.join(missing, "copy.sqlite")], `the folder ${missing} does not exist. Make it`],
    [["consolidate", "replay", "--path", "nope"], "nope does not exist. Check how the path is written"],
    [["rem-backfill", "--path", "nope"], "nope does not exist. Check how the path is written"],
  ];
  for (const [args, cause] of cases) {
    const { output, code } = await home.run(...args);
    expect([code, output]).toEqual([1, expect.stringContaining(cause)]);
    expect(output).toMatch(/failed: .* \[MEM_NOT_FOUND\]/);
  }
  expect((await home.runFacts("import", "nosuch.json")).output).toContain("nosuch.json does not exist. Check how the path is written");
  expect((await home.run("status", "--agent", "nobody")).output).toContain("Name one that is configured: main");
  const day = await home.json("consolidate", "replay", "--source", "notes", "--from", "soon");
  expect(day.error).toMatchObject({ code: "MEM_ARGUMENT", remedy: "Write it as 2026-11-20" });
  const glob = await home.json("search", "tea", "--path", "memory/[");
  expect(glob.error).toMatchObject({ code: "MEM_ARGUMENT", remedy: "Name a file, a folder or a glob" });
  for (const args of [["search"], ["forget"], ["status", "--agent", "nobody"], ["search", "tea", "--agent", "nobody"]]) {
    expect(await home.run(...args)).toMatchObject({ code: 1, output: expect.stringContaining("[MEM_ARGUMENT]") });
  }
  expect(await home.json("search", "tea", "--agent", "nobody")).toMatchObject({ error: { code: "MEM_ARGUMENT" } });
  expect(await home.json("status", "--agent", "nobody")).toMatchObject([{ agentId: "nobody", error: { code: "MEM_ARGUMENT" } }]);
});

test("a command that is printed can be pasted", async () => {
  expect(shellPath("/tmp/a-b_1.sqlite")).toBe("/tmp/a-b_1.sqlite");
  expect(shellPath("/tmp/it's a copy")).toBe("'/tmp/it'\\''s a copy'");
  const home = await commandLine({ provider: "none" });
  await home.run("index");
  const target = path.join(home.dir, "a copy.sqlite");
  expect((await home.run("backup", target)).output).toContain(`openclaw memory restore '${target}'`);
});

test("what programs read has neither colours nor counts", async () => {
  process.stdout.isTTY = false;
  const home = await commandLine({ provider: "none" });
  await home.run("index");
  const { output } = await home.run("search", "falcon database");
  expect(output).not.toContain("\u001b[");
  expect(output).not.toMatch(/result in/);
  const [hit] = (await home.json("search", "falcon database")).results;
  expect(hit.explain).toBeUndefined();
});

test("columns line up whatever the script, and the last one is cut to the line", () => {
  expect(cells("日本")).toBe(4);
  expect(cells("é")).toBe(1);
  expect(cells("\u001b[1mab\u001b[22m")).toBe(2);
  expect(clipped("一二三四五", 7)).toBe("一二三…");
  process.env.NO_COLOR = "1";
  const lines = table(
    ["ID", "NAME", "TEXT"],
    [
      ["1", "東京", "a long text that does not fit the line"],
      ["22", "abc", "short"],
    ],
    40,
  ).split("\n");
  expect(lines).toEqual(["ID  NAME  TEXT", "1   東京  a long text that does not fi…", "22  abc   short"]);
});

test("the examples of the help line up", () => {
  const program = new Command("openclaw");
  const api = { registerCli: (/** @type {any} */ register) => register({ program }) };
  registerCli(api, /** @type {any} */ ({}));
  let help = "";
  const memory = /** @type {Command} */ (program.commands.find((command) => command.name() === "memory"));
  memory.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const examples = help.split("\n").filter((line) => /^ {2}openclaw memory /.test(line));
  expect(examples.length).toBeGreaterThan(4);
  const starts = examples.map((line) => /\S {2,}(?=\S[^"]*$)/.exec(line)).map((found) => (found ? found.index + found[0].length : -1));
  expect(new Set(starts).size).toBe(1);
  expect(starts[0]).toBeGreaterThan(0);
});

test("status names what acts by itself, and --verbose only the settings that somebody has set", async () => {
  process.env.NO_COLOR = "1";
  const entries = { "memory-core-rs": { config: { autoRecall: true, query: { maxResults: 4 } } } };
  const home = await commandLine({ provider: "none" }, { plugins: { entries } });
  const { output } = await home.run("status", "--verbose");
  expect(output).toMatch(/^Automatic memory: recall$/m);
  expect(output).toMatch(/^Settings \(\d+ at their defaults: --all\):$/m);
  expect(output).toContain("query.maxResults = 4");
  expect(output).not.toContain("query.minScore");
  expect((await home.run("status", "--all")).output).toContain("query.minScore");
  expect((await home.run("status")).output).not.toContain("Settings");
});

/** Rows of the smallest screen that people have; the prompt takes the last one. */
const SCREEN = 24;

test("status fits one screen, and tells what the disk holds, and how consolidation stands", async () => {
  process.env.NO_COLOR = "1";
  const own = { autoRecall: true, autoCapture: true, consolidation: { mode: "plan" } };
  const wrong = Array.from({ length: 30 }, (_, at) => `- line ${at} <!-- importance: 99 -->`).join("\n");
  const files = { ...FILES, "MEMORY.md": wrong };
  const home = await commandLine({ provider: "embedded" }, { plugins: { entries: { "memory-core-rs": { config: own } } }, files });
  await home.run("setup", "--yes", "--no-index");
  await mkdir(path.join(home.stateDir, "memory-core-rs/main"), { recursive: true });
  await writeFile(path.join(home.stateDir, "memory-core-rs/main/index.sqlite.corrupt-1"), "x".repeat(2048));
  await home.run("index");
  const { output } = await home.run("status");
  expect(output.trimEnd().split("\n").length).toBeLessThan(SCREEN);
  expect(output).toMatch(/^Disk: index \d.* KiB, of it vectors .*; other indexes 2\.0 KiB; records /m);
  expect(output).toMatch(/^Consolidation: plan · no run yet/m);
  expect(output).toMatch(/… and \d+ more: --verbose/);
  const verbose = (await home.run("status", "--verbose")).output;
  expect(verbose).toContain("MEMORY.md:30:");
  expect(verbose).not.toContain("more: --verbose");
  const [agent] = await home.json("status");
  expect(agent.disk).toMatchObject({ otherIndexes: 2048, records: expect.any(Number) });
});

const spent = { purpose: "embeddings", provider: "openai", model: "small", output: 0, price: null };
const answered = { ...spent, purpose: "active-memory", model: "large", requests: 2, input: 900, output: 100, cost: 0.5 };
test.each([
  [null, [{ ...spent, requests: 3, input: 1200, cost: null }], "Cost of 2026-11: 1200 tokens in 3 requests"],
  [0.000_24, [{ ...spent, requests: 1, input: 1200, cost: 0.000_24 }], "Cost of 2026-11: 0.00024 (1200 tokens in 1 request)"],
  [12.5, [{ ...spent, requests: 9, input: 9_000_000, cost: 12.5 }], "Cost of 2026-11: 12.50 (9000000 tokens in 9 requests)"],
  [
    13,
    [{ ...spent, requests: 9, input: 9_000_000, cost: 12.5 }, answered],
    "Cost of 2026-11: 13.00 (9001000 tokens in 11 requests)\n  openai small embeddings 12.50 (9000000 tokens in 9 requests)\n" +
      "  openai large active-memory 0.50 (1000 tokens in 2 requests)",
  ],
])("what a month cost: %s", (cost, models, line) => {
  process.env.NO_COLOR = "1";
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const costs = { months: [{ month: "2026-11", cost, models }], configured: [], kept: [] };
  printStatus([{ agentId: "main", status: {}, costs, scan: { usage: { month: { month: "2026-11" } } } }], []);
  const text = write.mock.calls.map(([line]) => line).join("");
  write.mockRestore();
  expect(text).toContain(line);
});
