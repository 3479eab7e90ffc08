import { readFileSync } from "node:fs";
import { cp, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { closeAllMemoryIndexManagers, MemoryIndexManager } from "../../index.js";
import { isNativeLoaded, native } from "../../lib/native.js";
import { makeWorkspace } from "../support/workspace.mjs";

test("importing the package loads no addon; asking for a manager does", async () => {
  expect(isNativeLoaded()).toBe(false);
  const { request } = await makeWorkspace();
  expect(await MemoryIndexManager.get(request)).toBeInstanceOf(MemoryIndexManager);
  expect(isNativeLoaded()).toBe(true);
});

// What a prompt was shown was written into a folder whose owner had closed all and took it away.
test("when all is closed, what was handed over is written", async () => {
  const { stateDir } = await makeWorkspace();
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  const shown = Array.from({ length: 300 }, (_, n) => native().keepPrompt(agent, "recall", 1, "agent:main:main", `lighthouse ${n}`));
  await closeAllMemoryIndexManagers();
  const written = readFileSync(path.join(stateDir, "memory-core-rs", "main", "prompts.jsonl"), "utf8");
  expect(written.match(/lighthouse \d+/g)).toHaveLength(300);
  await Promise.all(shown);
});

describe("one engine per agent", () => {
  test("the same settings give the same manager, other settings another one", async () => {
    const { request, config } = await makeWorkspace();
    const first = await MemoryIndexManager.get(request);
    expect(await MemoryIndexManager.get({ ...request, purpose: "status" })).toBe(first);
    const other = await MemoryIndexManager.get({ ...request, cfg: config({ provider: "none", query: { maxResults: 2 } }) });
    expect(other).not.toBe(first);
    expect(other?.status().provider).toBe("none");
  });

  test("memory search that is switched off gives null, and a manager once it is on", async () => {
    const { request, config } = await makeWorkspace();
    expect(await MemoryIndexManager.get({ ...request, cfg: config({ enabled: false }) })).toBeNull();
    expect(await MemoryIndexManager.get(request)).not.toBeNull();
  });

  test("closing one use leaves the others alone; for a host a call after the last one wakes it up", async () => {
    const { request } = await makeWorkspace();
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, reopens: true }));
    await MemoryIndexManager.get(request);
    await manager.sync();
    await manager.close();
    expect(manager.status().files).toBe(1);
    await manager.close();
    expect(manager.status().files).toBe(1);
    expect((await manager.readFile({ relPath: "MEMORY.md", from: 3, lines: 1 })).text).toContain("sencha");
    await closeAllMemoryIndexManagers();
    expect(manager.status().files).toBe(1);
    expect(await manager.sync()).toMatchObject({ files: 1 });
  });

  test("two copies of the package share the addon and the manager", async () => {
    const { request, dir } = await makeWorkspace();
    const own = await MemoryIndexManager.get(request);
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const copy = path.join(dir, "copy");
    for (const name of ["index.js", "package.json", "openclaw.plugin.json", "lib", "plugin"])
      await cp(path.join(root, name), path.join(copy, name), { recursive: true });
    // The copy has no binary: it works only because it takes the one that is loaded.
    const other = await import(pathToFileURL(path.join(copy, "index.js")).href);
    expect(other.MemoryIndexManager).not.toBe(MemoryIndexManager);
    expect(await other.MemoryIndexManager.get(request)).toBe(own);
  });
});

describe("search", () => {
  test("finds lines, reports how, and honours limits", async () => {
    const { request } = await makeWorkspace({
      "MEMORY.md": "# Memory\n\nThe favourite tea is sencha.\n",
      "memory/2026-01-02.md": "# Day\n\nProject Falcon uses PostgreSQL.\n\nFalcon is deployed on Fridays.\n",
    });
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
    await manager.sync();
    /** @type {any[]} */
    const debug = [];
    const hits = await manager.search("falcon postgresql", { maxResults: 1, onDebug: (entry) => debug.push(entry) });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ path: "memory/2026-01-02.md", source: "memory", snippet: expect.stringContaining("PostgreSQL") });
    expect(debug).toEqual([expect.objectContaining({ backend: "builtin", effectiveMode: "fts-only" })]);
  });

  test("a signal that is already aborted starts nothing, a later one ends the wait", async () => {
    const { request } = await makeWorkspace();
    const reason = new Error("enough");
    const controller = new AbortController();
    /** @type {import("../../index.d.ts").EmbedFunction} */
    const embed = async (texts, kind) => {
      if (kind === "document") return texts.map(() => [1, 0]);
      controller.abort(reason);
      return await new Promise(() => {});
    };
    const cfg = { ...request.cfg, memory: { search: { provider: "host-adapter" } } };
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg, embed }));
    await manager.sync();
    await expect(manager.search("tea", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(controller.signal.aborted).toBe(false);
    await expect(manager.search("tea", { signal: controller.signal })).rejects.toBe(reason);
  });

  test("vectors can come from a function", async () => {
    const { request } = await makeWorkspace({ "MEMORY.md": "# Memory\n\nThe cat sleeps.\n" });
    /** @type {string[]} */
    const kinds = [];
    const embed = async (/** @type {string[]} */ texts, /** @type {string} */ kind) => {
      kinds.push(kind);
      return texts.map(() => [1, 0, 0]);
    };
    const cfg = { ...request.cfg, memory: { search: { provider: "host-adapter" } } };
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg, embed }));
    await manager.sync();
    const { hits, mode } = await manager.searchDetailed("Where does the cat sleep?");
    expect(mode).toBe("hybrid");
    expect(hits[0]?.vectorScore).toBeCloseTo(1, 3);
    expect(new Set(kinds)).toEqual(new Set(["document", "query"]));
  });
});

describe("reading files", () => {
  test("lines, missing files and forbidden places", async () => {
    const { request, workspace, dir } = await makeWorkspace({ "MEMORY.md": "one\ntwo\nthree\n" });
    await writeFile(path.join(dir, "secret.md"), "secret");
    await mkdir(path.join(workspace, "memory"), { recursive: true });
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
    expect(await manager.readFile({ relPath: "MEMORY.md", from: 2, lines: 1 })).toMatchObject({
      status: "ok",
      text: "two",
      from: 2,
      lines: 1,
    });
    expect(await manager.readFile({ relPath: "memory/none.md" })).toMatchObject({ status: "not_found", text: "" });
    for (const relPath of ["../secret.md", path.join(dir, "secret.md"), "package.json", "memory/../../secret.md"]) {
      await expect(manager.readFile({ relPath }), relPath).rejects.toMatchObject({ code: "MEM_PATH" });
    }
  });
});

describe("sync", () => {
  test("reports progress and sees changes and removals", async () => {
    const { request, workspace } = await makeWorkspace({ "MEMORY.md": "a\n", "memory/b.md": "b\n" });
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "cli" }));
    /** @type {{completed: number, total: number}[]} */
    const steps = [];
    expect(await manager.sync({ progress: (step) => steps.push(step) })).toMatchObject({ files: 2 });
    expect(steps.at(-1)).toMatchObject({ completed: 2, total: 2 });
    await rm(path.join(workspace, "memory/b.md"));
    await writeFile(path.join(workspace, "MEMORY.md"), "changed\n");
    expect((await manager.inspect()).plan).toMatchObject({ files: 1 });
    expect(await manager.sync()).toMatchObject({ files: 1, changed: 1, removed: 1 });
    expect(manager.status()).toMatchObject({ files: 1, dirty: false });
  });
});

// Clocks jump, and programs that copy files carry old times along.
test("a note that changes under a clock that was moved is read again, whatever its time says", async () => {
  const { request, workspace } = await makeWorkspace({ "MEMORY.md": "The favourite tea is sencha.\n" });
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "cli" }));
  const file = path.join(workspace, "MEMORY.md");
  await manager.sync();
  for (const [tea, year] of [
    ["gyokuro", 1985],
    ["assam00", 2106],
    ["oolong0", 2020],
  ]) {
    // As long as the text before.
    await writeFile(file, `The favourite tea is ${tea}.\n`);
    await utimes(file, new Date(`${year}-06-01`), new Date(`${year}-06-01`));
    await manager.sync();
    expect((await manager.search("favourite tea"))[0]?.snippet, String(year)).toContain(tea);
  }
});

test("credentials that cannot be read are named in the status", async () => {
  const { request } = await makeWorkspace();
  const cfg = { ...request.cfg, memory: { search: { provider: "openai", remote: { apiKey: ["$", "{NO_SUCH}"].join("") } } } };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg }));
  expect(manager.status().custom?.credentialProblems).toEqual([expect.stringContaining("NO_SUCH")]);
});
