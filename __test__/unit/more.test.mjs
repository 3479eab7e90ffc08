// Searches that go on: what a second call is told to ask for, and what it is shown.

import { expect, onTestFinished, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { execute as search } from "../../plugin/tools/memory-search.js";
import { commandLine } from "../support/command-line.mjs";
import { makeWorkspace } from "../support/workspace.mjs";
import { hooked } from "./hooked.mjs";

const RIVERS = ["Douro", "Ebro", "Loire", "Nile", "Oder"];
const FILES = {
  ...Object.fromEntries(RIVERS.map((river) => [`memory/${river}.md`, `Ana went kayaking on the ${river} with her cousins.\n`])),
  "memory/key.md": "The spare key of the garage is under the blue flower pot.\n",
};
const QUESTION = "Where has Ana been kayaking?";

const pathsOf = (/** @type {{path: string}[]} */ hits) => hits.map(({ path }) => path);
const RIVER_NOTES = RIVERS.map((river) => `memory/${river}.md`);

test("a search whose evidence is spread says how to go on, until all of it was shown, once", async () => {
  const { config, stateDir } = await makeWorkspace(FILES);
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ cfg: config({ provider: "none" }), stateDir }));
  onTestFinished(() => manager.close());
  await manager.sync();
  const first = await manager.searchDetailed(QUESTION, { maxResults: 2 });
  expect(first.more).toEqual({ query: QUESTION, after: 2 });
  const second = await manager.searchDetailed(QUESTION, { maxResults: 2, after: 2 });
  expect(second.more).toEqual({ query: QUESTION, after: 4 });
  const third = await manager.searchDetailed(QUESTION, { maxResults: 2, after: 4 });
  expect(third).not.toHaveProperty("more");
  expect(pathsOf([...first.hits, ...second.hits, ...third.hits]).toSorted()).toEqual(RIVER_NOTES);
  expect(await manager.search(QUESTION, { after: 2 ** 40 })).toEqual([]);
  expect(await manager.searchDetailed("where is the spare key of the garage?", { maxResults: 1 })).not.toHaveProperty("more");
  for (const after of [-1, 1.5, "2"]) {
    await expect(manager.search(QUESTION, /** @type {any} */ ({ after }))).rejects.toMatchObject({
      code: "MEM_ARGUMENT",
      message: expect.stringMatching(/^after must be a whole number of 0 or more, not/),
    });
  }
});

test("the other ranking promises nothing and refuses to go on", async () => {
  const { config, stateDir } = await makeWorkspace(FILES);
  const cfg = {
    ...config({ provider: "none" }),
    plugins: { entries: { "memory-core-rs": { config: { query: { ranking: "memory-core" } } } } },
  };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ cfg, stateDir }));
  onTestFinished(() => manager.close());
  await manager.sync();
  const answer = await manager.searchDetailed("Ana kayaking", { maxResults: 2 });
  expect(answer.hits).toHaveLength(2);
  expect(answer).not.toHaveProperty("more");
  await expect(manager.search("Ana kayaking", { maxResults: 2, after: 2 })).rejects.toMatchObject({
    code: "MEM_ARGUMENT",
    message: expect.stringContaining("Leave `after` out"),
  });
});

test("the tool names the parameters of its next call, which shows the rest", async () => {
  const { host, cfg } = await hooked({}, { files: FILES });
  const ctx = { config: cfg, agentId: "main", sessionKey: "agent:main:main" };
  const ask = async (/** @type {Record<string, unknown>} */ params) => /** @type {any} */ ((await search(host, ctx, params)).details);
  const seen = [];
  let calls = 0;
  for (let params = /** @type {any} */ ({ query: QUESTION, maxResults: 2, corpus: "memory" }); params; calls++) {
    const { results, more } = await ask(params);
    seen.push(...pathsOf(results));
    if (more) expect(more).toEqual({ query: QUESTION, after: seen.length, maxResults: 2, corpus: "memory" });
    params = more;
  }
  expect([calls, seen.toSorted()]).toEqual([3, RIVER_NOTES]);
  for (const after of [-1, 0.5, "x"]) await expect(ask({ query: "tea", after })).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
  await expect(ask({ query: "tea", after: 2, corpus: "wiki" })).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
});

test("the command line says it in JSON, and goes on with --after", async () => {
  const home = await commandLine({ provider: "none" }, { files: FILES });
  await home.run("index");
  const first = await home.json("search", QUESTION, "--limit", "3");
  expect(first.more).toEqual({ query: QUESTION, after: 3 });
  const rest = await home.json("search", QUESTION, "--limit", "3", "--after", "3");
  expect(rest).not.toHaveProperty("more");
  expect(pathsOf([...first.results, ...rest.results]).toSorted()).toEqual(RIVER_NOTES);
  expect((await home.json("search", QUESTION, "--limit", "3", "--origin", "agent,owner")).more).toBeUndefined();
  const refused = await home.run("search", QUESTION, "--after", "3", "--origin", "agent");
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("--after does not go with --origin") });
});

// "No matches." was said of a query that has matches.
test("the command says that there is no more where all of it was shown", async () => {
  const { run } = await commandLine({ provider: "none" }, { files: FILES });
  await run("index");
  expect((await run("search", QUESTION, "--after", "50")).output).toBe("No more matches after the first 50.\n");
  expect((await run("search", "zzzz qqqq")).output).toBe("No matches.\n");
});

// A question in other words than the note found nothing, and neither an agent nor a person learned that something was near.
test("where nothing is sure it is told how to see what is nearest", async () => {
  const files = { "memory/papa.md": "- Papa bekommt jeden Morgen seine Arznei.\n- Der Zaun ist gestrichen.\n" };
  const asked = "Wann kriegt er das Medikament?";
  const home = await commandLine({ provider: "none" }, { files });
  await home.run("index");
  const { results, nearest } = await home.json("search", asked);
  expect({ results, nearest }).toEqual({ results: [], nearest: expect.any(Number) });
  expect((await home.run("search", asked)).output).toBe("No matches. Nothing is sure enough; --min-score 0 shows what is nearest.\n");
  const found = await home.json("search", asked, "--min-score", "0");
  expect(found).not.toHaveProperty("nearest");
  expect(found.results[0].snippet).toContain("Arznei");
  expect(await home.json("search", "hello, how are you?")).not.toHaveProperty("nearest");

  const { host, cfg } = await hooked({}, { files });
  const ctx = { config: cfg, agentId: "main", sessionKey: "agent:main:main" };
  const ask = async (/** @type {Record<string, unknown>} */ params) => /** @type {any} */ ((await search(host, ctx, params)).details);
  const first = await ask({ query: asked });
  expect(first).toMatchObject({ results: [], nearest: { query: asked, minScore: 0, maxResults: 3 } });
  const second = await ask(first.nearest);
  expect(second.results[0].snippet).toContain("Arznei");
  expect(second.nearest).toBeUndefined();
});

// A query of 20,000 characters came back with the answer, and was paid for twice.
test("a long query is not repeated in what the tool says of its next call", async () => {
  const ask = async (/** @type {any} */ { host, cfg }, /** @type {Record<string, unknown>} */ params) => {
    const ctx = { config: cfg, agentId: "main", sessionKey: "agent:main:main" };
    return /** @type {any} */ ((await search(host, ctx, params)).details);
  };
  const rivers = await hooked({}, { files: FILES });
  const long = `${QUESTION} `.repeat(12).trim();
  expect(long.length).toBeGreaterThan(300);
  const first = await ask(rivers, { query: long, maxResults: 2, corpus: "memory" });
  expect(first.more).toEqual({ with: "the same query", after: 2, maxResults: 2, corpus: "memory" });
  const { with: _, ...more } = first.more;
  expect((await ask(rivers, { query: long, ...more })).results).toHaveLength(2);

  const files = { "memory/papa.md": "- Papa bekommt jeden Morgen seine Arznei.\n- Der Zaun ist gestrichen.\n" };
  const papa = await hooked({}, { files });
  const asked = "Wann kriegt er das Medikament? ".repeat(11).trim();
  const none = await ask(papa, { query: asked });
  expect(none).toMatchObject({ results: [], nearest: { with: "the same query", minScore: 0, maxResults: 3 } });
  expect(JSON.stringify(none)).not.toContain("Medikament");
});
