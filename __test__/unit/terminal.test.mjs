// What people see at a terminal: matched words, counts, columns, help.

import { Command } from "commander";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registerCli } from "../../plugin/cli/register.js";
import { cells, clipped, table } from "../../plugin/cli/table.js";
import { commandLine, NOTE } from "../support/command-line.mjs";

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
