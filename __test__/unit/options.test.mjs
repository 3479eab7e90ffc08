// Values of options that cannot be used: told by us, with code and remedy, also to programs.

import { expect, test } from "vitest";
import { commandLine } from "../support/command-line.mjs";

/** @type {[string, string[], string][]} A case, the command, and what its message says. */
const WRONG = [
  ["a limit", ["search", "tea", "--limit", "abc"], '--limit must be a whole number of 1 or more, not "abc"'],
  ["a number of results", ["search", "tea", "--max-results", "0"], "--max-results must be a whole number"],
  ["a score", ["search", "tea", "--min-score", "2"], '--min-score must be a number from 0 to 1, not "2"'],
  ["a place to go on", ["search", "tea", "--after", "-1"], "--after must be a whole number"],
  ["an origin", ["search", "tea", "--origin", "me"], '"me" is no --origin'],
  ["an origin among others", ["search", "tea", "--origin", "me", "--origin", "owner"], '"me" is no --origin'],
  ["no path", ["search", "tea", "--path", ""], "--path is empty"],
  ["no path among others", ["search", "tea", "--path", " ", "--path", "memory"], "--path is empty"],
  ["captures", ["captures", "--limit", "1.5"], "--limit must be a whole number"],
  ["a person to forget", ["forget", "--person", ""], "--person is empty"],
  ["passages to forget", ["forget", "tea", "--min-score", "x"], "--min-score must be a number"],
  ["a conversation to look at", ["audit", "--session", ""], "--session is empty"],
  ["a run", ["consolidate", "apply", "--run", ""], "--run is empty"],
  ["where days come from", ["consolidate", "replay", "--source", "web"], '"web" is no --source'],
  ["candidates", ["promote", "--limit", ""], "--limit must be a whole number"],
  ["days", ["session-backfill", "--limit-days", "many"], "--limit-days must be a whole number"],
];

// Commander ended the program: standard output was empty, or held the host's own JSON without code and remedy.
test.each(WRONG)("a wrong value is told in JSON with code and remedy: %s", async (_, args, cause) => {
  const home = await commandLine({ provider: "none" });
  const { stdout, code } = await home.run(...args, "--json");
  expect(code).toBe(1);
  const { error } = JSON.parse(stdout);
  expect(error).toEqual({ code: "MEM_ARGUMENT", message: expect.stringContaining(cause), remedy: expect.any(String) });
});

test("to people a wrong value is told on standard error, and of two the first", async () => {
  const home = await commandLine({ provider: "none" });
  const { stdout, output, code } = await home.run("search", "tea", "--limit", "abc", "--min-score", "9");
  expect([code, stdout]).toEqual([1, ""]);
  expect(output).toMatch(/^Memory search failed: --limit must be .*\. Give such a number, or leave --limit out \[MEM_ARGUMENT\]$/m);
});

test("stored facts tell a wrong value alike", async () => {
  const home = await commandLine({ provider: "none" });
  for (const args of [["list"], ["search", "tea"]]) {
    const { stdout, code } = await home.runFacts(...args, "--limit", "none", "--json");
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, "MEM_ARGUMENT"]);
  }
});
