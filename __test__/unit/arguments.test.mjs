// What a program can get wrong in a call: it is told in the words of the API, before anything is done. The engine's
// answers were those of its binding ("Failed to convert napi value …"), or a wrong number was taken for another.

import { describe, expect, test } from "vitest";
import { chunkMarkdown, closeAllMemoryIndexManagers, MemoryIndexManager } from "../../index.js";
import { isNativeLoaded } from "../../lib/native.js";
import { makeWorkspace } from "../support/workspace.mjs";

/** @param {RegExp} words */
const mistake = (words) => expect.objectContaining({ name: "TypeError", code: "MEM_ARGUMENT", message: expect.stringMatching(words) });

/** @param {Promise<unknown>} call */
const errorOf = async (call) =>
  await call.then(
    () => null,
    (error) => ({ name: error.name, code: error.code, message: error.message }),
  );

describe("MemoryIndexManager.get", () => {
  test.each([
    ["nothing", undefined, /^the request must be an object, not undefined$/],
    ["no cfg", {}, /^cfg must be the configuration of the host, an object, not undefined$/],
    ["cfg as a text", { cfg: "{}" }, /^cfg must be .* not "\{\}"$/],
    ["an agent that is no text", { cfg: {}, agentId: 7 }, /^agentId must be a text that is not empty, not 7$/],
    ["an unknown purpose", { cfg: {}, purpose: "tests" }, /^purpose must be one of "default", "status", "cli", not "tests"$/],
    ["an empty folder", { cfg: {}, stateDir: " " }, /^stateDir must be/],
    ["vectors from no function", { cfg: {}, embed: [1, 2] }, /^embed must be a function, not a list$/],
    ["an adapter without providers", { cfg: {}, adapter: {} }, /^adapter\.providers must be a list/],
  ])("%s", async (_, request, words) => {
    expect(await errorOf(MemoryIndexManager.get(/** @type {any} */ (request)))).toEqual(mistake(words));
    expect(isNativeLoaded()).toBe(false);
  });
});

describe("calls", () => {
  /** @type {[string, (manager: any) => Promise<unknown>, RegExp][]} */
  const WRONG = [
    ["a query that is no text", (manager) => manager.search(), /^query must be a text, not undefined$/],
    ["options that are no object", (manager) => manager.search("tea", 5), /^the search options must be an object, not 5$/],
    ["maxResults: -1", (manager) => manager.search("tea", { maxResults: -1 }), /^maxResults must be a whole number of 1 or more, not -1$/],
    ["maxResults: 2.5", (manager) => manager.search("tea", { maxResults: 2.5 }), /^maxResults .* not 2\.5$/],
    ["minScore: 7", (manager) => manager.search("tea", { minScore: 7 }), /^minScore must be a number from 0 to 1, not 7$/],
    ["minScore: NaN", (manager) => manager.searchDetailed("tea", { minScore: Number.NaN }), /^minScore .* not NaN$/],
    [
      "unknown sources",
      (manager) => manager.search("tea", { sources: ["notes"] }),
      /^sources must be a list, each one of "memory", "sessions"/,
    ],
    ["a deadline as a text", (manager) => manager.search("tea", { deadlineMs: "5" }), /^deadlineMs must be a number of milliseconds/],
    ["a signal that is none", (manager) => manager.search("tea", { signal: {} }), /^signal must be an AbortSignal, not an object$/],
    ["no path", (manager) => manager.readFile({}), /^relPath must be a text, not undefined$/],
    ["a line before the first", (manager) => manager.readFile({ relPath: "MEMORY.md", from: -3 }), /^from must be a whole number/],
    ["progress to nobody", (manager) => manager.sync({ progress: true }), /^progress must be a function, not true$/],
    ["a plan by a text", (manager) => manager.plan({ force: "yes" }), /^force must be true or false, not "yes"$/],
    ["paths as a text", (manager) => manager.forget({ paths: "MEMORY.md" }), /^paths must be a list/],
    [
      "lines from 0",
      (manager) => manager.forget({ paths: ["a.md"], fromLine: 0 }),
      /^fromLine must be a whole number of 1 or more, not 0$/,
    ],
    ["a wrong search", (manager) => manager.forget({ query: "x", search: { minScore: -1 } }), /^minScore must be/],
    ["a copy from nowhere", (manager) => manager.restore(), /^file must be a text that is not empty, not undefined$/],
    ["a copy to nowhere", (manager) => manager.backup(), /^target must be a text that is not empty, not undefined$/],
    ["half a reset", (manager) => manager.reset({ keepVectors: 1 }), /^keepVectors must be true or false, not 1$/],
    ["no text to cut", () => chunkMarkdown(/** @type {any} */ (null)), /^text must be a text, not null$/],
    ["chunks of nothing", () => chunkMarkdown("a", 0), /^tokens must be a whole number from 1 to \d+, not 0$/],
  ];

  test.each(WRONG)("%s", async (_, call, words) => {
    const { request } = await makeWorkspace();
    const manager = await MemoryIndexManager.get({ ...request, purpose: "cli" });
    expect(await errorOf(call(manager))).toEqual(mistake(words));
  });

  test("null and unknown options mean the default, as hosts pass them", async () => {
    const { request } = await makeWorkspace();
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "cli" }));
    await manager.sync(/** @type {any} */ (null));
    const options = /** @type {any} */ ({ maxResults: null, minScore: undefined, qmdSearchModeOverride: "query" });
    expect(await manager.search("favourite tea", options)).toHaveLength(1);
    expect(await manager.search("favourite tea", { maxResults: 2 ** 40 })).toHaveLength(1);
  });
});

describe("after the last close", () => {
  test("calls are refused with a code until somebody gets the manager again; its last state can be read", async () => {
    const { request } = await makeWorkspace();
    const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "cli" }));
    await manager.sync();
    await manager.close();
    const refused = { code: "MEM_CLOSED", message: expect.stringContaining("MemoryIndexManager.get") };
    for (const call of [() => manager.search("tea"), () => manager.sync(), () => manager.readFile({ relPath: "MEMORY.md" })]) {
      expect(await errorOf(call())).toMatchObject(refused);
    }
    expect(manager.status().files).toBe(1);
    expect(await MemoryIndexManager.get(request)).toBe(manager);
    expect(await manager.search("favourite tea")).toHaveLength(1);
    await closeAllMemoryIndexManagers();
    expect(await manager.search("favourite tea")).toHaveLength(1);
  });
});
