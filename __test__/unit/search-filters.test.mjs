// Days, paths and origins of a search, from the command line and from a program.

import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { ofOldIndex, ofOrigins } from "../../plugin/cli/search.js";
import { commandLine } from "../support/command-line.mjs";
import { makeWorkspace } from "../support/workspace.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n\nThe boiler was bought in Leipzig.\n",
  "memory/2026-10-02.md": "# Day\n\n- Berg repaired the boiler.\n",
  "memory/2026-11-20.md": "# Day\n\n- Otto looked at the boiler.\n",
  "memory/projects/heating.md": "# Heating\n\n- The boiler is on the second floor.\n",
};

/** @param {any} answer @returns {string[]} */
const paths = ({ results }) => results.map((/** @type {{path: string}} */ hit) => hit.path).toSorted();

test("days and paths confine a search", async () => {
  const home = await commandLine({ provider: "none" }, { files: FILES });
  await home.run("index");
  const search = async (/** @type {string[]} */ ...args) => paths(await home.json("search", "boiler", ...args));
  expect(await search()).toHaveLength(4);
  expect(await search("--since", "2026-10-01", "--until", "2026-10-31", "--path", "memory/*.md")).toEqual(["memory/2026-10-02.md"]);
  expect(await search("--since", "2026-11-01", "--path", "memory/2026*")).toEqual(["memory/2026-11-20.md"]);
  expect(await search("--path", "projects", "--path", "MEMORY.md")).toEqual(["MEMORY.md", "memory/projects/heating.md"]);
  // The two files without a day in their names were written today.
  expect(await search("--since", "today")).toEqual(["MEMORY.md", "memory/projects/heating.md"]);
  const nothing = await home.run("search", "boiler", "--path", "memory/nothing");
  expect(nothing).toMatchObject({ output: "No indexed file has this path\nNo matches.\n", code: 0 });
});

test("a day that is none is told, and ends with 1", async () => {
  const home = await commandLine({ provider: "none" }, { files: FILES });
  await home.run("index");
  const wrong = await home.run("search", "boiler", "--since", "someday");
  expect(wrong.code).toBe(1);
  expect(wrong.output).toMatch(/Memory search failed: --since names no day.*\[MEM_ARGUMENT\]/s);
  const order = await home.run("search", "boiler", "--since", "2026-11-02", "--until", "2026-11-01");
  expect(order.output).toContain("--since (2026-11-02) lies after --until (2026-11-01). Name the earlier day");
  for (const empty of [await home.json("search", "boiler", "--since", ""), await home.json("search", "boiler", "--since", "2026-02-30")])
    expect(empty.error).toMatchObject({ message: expect.stringContaining("--since names no day"), remedy: expect.any(String) });
  expect((await home.json("search", "boiler", "--since", "someday")).error.code).toBe("MEM_ARGUMENT");
});

test("programs confine a search likewise", async () => {
  const { config, stateDir } = await makeWorkspace(FILES);
  const request = { cfg: config({ provider: "none" }), stateDir };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
  onTestFinished(() => manager.close());
  await manager.sync();
  const found = await manager.search("boiler", { until: "2026-10-31", paths: ["memory/2026*"] });
  expect(found.map((hit) => hit.path)).toEqual(["memory/2026-10-02.md"]);
  await expect(manager.search("boiler", /** @type {any} */ ({ since: 5 }))).rejects.toThrow(
    "since must be a text that is not empty, not 5",
  );
  await expect(manager.search("boiler", { paths: ["a/{b"] })).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
});

// Only the first five for each that was wanted were looked at.
test("results of one origin are found however many of others rank higher", async () => {
  const hits = Array.from({ length: 300 }, (_, at) => ({ provenance: { originClass: at < 200 ? "untrusted" : "owner" } }));
  const search = vi.fn(async (/** @type {number} */ most) => /** @type {any} */ ({ hits: hits.slice(0, most) }));
  expect((await ofOrigins(search, ["owner"], 6)).hits).toHaveLength(6);
  expect((await ofOrigins(search, ["untrusted"], 6)).hits).toHaveLength(6);
  expect((await ofOrigins(search, ["system"], 6)).hits).toEqual([]);
  expect(search.mock.calls.map(([most]) => most)).toEqual([30, 150, 750, 30, 30, 150, 750]);
});

// It answered from the index as the last command had left it: a new note was not found, one that was deleted was shown.
test("a search from the command line finds what changed since the last command", async () => {
  const home = await commandLine({ provider: "none" }, { files: FILES });
  await home.run("index");
  await writeFile(path.join(home.workspace, "memory/2026-11-22.md"), "The submarine museum opens at nine.\n");
  await rm(path.join(home.workspace, "memory/2026-10-02.md"));
  expect(paths(await home.json("search", "submarine museum"))).toEqual(["memory/2026-11-22.md"]);
  expect(paths(await home.json("search", "boiler"))).not.toContain("memory/2026-10-02.md");
});

test("an answer of an index that is not up to date says so, beside what else is to be said", () => {
  const told = ofOldIndex(/** @type {any} */ ({ hits: [] }));
  expect(told).toMatchObject({ warning: expect.stringContaining("openclaw memory index"), remedy: expect.any(String) });
  expect(ofOldIndex(/** @type {any} */ ({ hits: [], warning: "Words only", remedy: "Wait" }))).toMatchObject({
    warning: expect.stringMatching(/^Words only\. Notes have changed/),
    remedy: "Wait",
  });
});
