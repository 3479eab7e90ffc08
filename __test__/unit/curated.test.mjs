import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { presentHit } from "../../plugin/citations.js";
import { originOption } from "../../plugin/cli/options.js";
import { originsOf, withOrigins } from "../../plugin/provenance/origins.js";
import { hooked } from "./hooked.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n- Mara decides about every rollback <!-- trigger: rollback owner, undo --> <!-- importance: 8 -->\n- Plain tea\n",
  "memory/2026-11-02.md": "# Day\n- The boiler was repaired by Berg.\n",
};

describe("curated entries", () => {
  test("are candidates with what they say, and follow the file", async () => {
    const { manager, workspace } = await hooked({}, { files: FILES });
    const [entry, ...more] = await manager.listTriggerCandidates();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      path: "MEMORY.md",
      startLine: 2,
      score: 0,
      snippet: "- Mara decides about every rollback",
      triggers: "rollback owner; undo",
      importance: 8,
      provenance: { originClass: "agent", sessionKind: "unknown", observedAt: expect.any(Number) },
    });
    await writeFile(path.join(workspace, "MEMORY.md"), "- Deploys <!-- trigger: deploy --> <!-- project: a/b/c -->\n");
    expect(await manager.listTriggerCandidates()).toEqual([]);
    expect(await manager.listTriggerCandidates({ activeProjectKeys: ["a/b/c"] })).toHaveLength(1);
    expect(await manager.listCuratedProjectCandidates({ activeProjectKeys: ["a/b/c"], limit: 1 })).toHaveLength(1);
  });

  test.each([[{ limit: 0 }], [{ activeProjectKeys: "a" }], ["all"]])("refuse %o", async (options) => {
    const { manager } = await hooked({}, { files: FILES });
    await expect(manager.listTriggerCandidates(/** @type {any} */ (options))).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
  });
});

describe("where results come from", () => {
  test("files of other folders and notes of groups are untrusted, and a model reads that", async () => {
    const group = "# Session\n\n- **Session Key**: agent:main:telegram:group:7\n\nuser: The boiler was repaired by Otto.\n";
    const { manager, dir, workspace } = await hooked({}, { files: { ...FILES, "memory/2026-11-03-chat.md": group } });
    await mkdir(path.join(dir, "other"), { recursive: true });
    const hits = await manager.search("who repaired the boiler", { minScore: 0 });
    const classes = Object.fromEntries(hits.map((hit) => [hit.path, hit.provenance?.originClass]));
    expect(classes["memory/2026-11-02.md"]).toBe("agent");
    expect(classes["memory/2026-11-03-chat.md"]).toBe("untrusted");
    const untrusted = hits.find((hit) => hit.path === "memory/2026-11-03-chat.md");
    expect(presentHit(/** @type {any} */ (untrusted), false).snippet).toMatch(/^\[untrusted\] /);
    const trusted = hits.find((hit) => hit.path === "memory/2026-11-02.md");
    expect(presentHit(/** @type {any} */ (trusted), true).snippet).not.toContain("[untrusted]");
    // What the place of a file tells is never made better.
    const foreign = [{ ...hits[0], path: "MEMORY.md", provenance: { .../** @type {any} */ (hits[0].provenance), originClass: "system" } }];
    expect((await withOrigins(workspace)(/** @type {any} */ (foreign)))[0].provenance?.originClass).toBe("system");
  });

  test("an extra file that says it is curated is the agent's own where the user vouches for it, and only there", async () => {
    const text = "<!-- curated -->\n- Berg cleans the gutter in May <!-- trigger: gutter -->\n";
    const files = { ...FILES, "notes/rules/house.md": text, "notes/web.md": text };
    const extra = { extraPaths: ["notes"], curatedPaths: ["notes/rules"], autoRecall: true, triggerRecall: true };
    const { manager, workspace } = await hooked(extra, { files });
    await manager.sync({ reason: "test" });
    const candidates = await manager.listTriggerCandidates();
    const found = candidates.map(({ path: file, provenance }) => [file, provenance?.originClass]);
    expect(found).toEqual([
      ["MEMORY.md", "agent"],
      ["notes/rules/house.md", "agent"],
    ]);
    const hits = await manager.search("who cleans the gutter", { minScore: 0 });
    const classes = Object.fromEntries(hits.map((hit) => [hit.path, hit.provenance?.originClass]));
    // The two say the same, and the one that is not vouched for may be left out as a repeat.
    expect(classes["notes/rules/house.md"]).toBe("agent");
    expect(classes["notes/web.md"] ?? "untrusted").toBe("untrusted");
    const asked = [{ path: "notes/rules/house.md", vouched: true }, { path: "notes/web.md" }, { path: "DREAMS.md", vouched: true }];
    await writeFile(path.join(workspace, "DREAMS.md"), "dreamt");
    expect(await originsOf(workspace, asked)).toEqual(["own", "other", "other"]);
  });

  test("origins of the command line are those there are", () => {
    expect(originOption("Agent, owner")).toEqual(["agent", "owner"]);
    expect(originOption("system", ["owner"])).toEqual(["owner", "system"]);
    for (const wrong of ["", "me", "agent,me"])
      expect(originOption(wrong)).toMatchObject({ error: { code: "MEM_ARGUMENT", message: expect.stringContaining("is no --origin") } });
  });
});
