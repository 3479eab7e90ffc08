// memory_search over what other plugins add: `corpus=wiki` and `corpus=all`, with a host whose SDK lists a wiki.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute as read } from "../../plugin/tools/memory-get.js";
import { execute as search } from "../../plugin/tools/memory-search.js";
import { hooked } from "./hooked.mjs";

const [, program] = process.argv;
/** @type {string} */
let folder;

/** A host's program whose SDK has two wikis, one of which is broken. */
const SDK = `
  const page = { corpus: "wiki", path: "wiki/falcon.md", startLine: 1, endLine: 2, score: 0.9, snippet: "Falcon in the wiki" };
  export const listMemoryCorpusSupplements = () => [
    { pluginId: "pages", supplement: {
      search: async (request) => { globalThis.asked.push(request); return [page]; },
      get: async ({ lookup }) => (lookup === page.path ? { path: page.path, content: "The whole page" } : null),
    } },
    { pluginId: "broken", supplement: { search: async () => { throw new Error("no wiki here"); }, get: async () => null } },
  ];`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-sdk-"));
  const sdk = path.join(folder, "node_modules/openclaw");
  await mkdir(sdk, { recursive: true });
  const name = "./plugin-sdk/memory-core-host-runtime-core";
  await writeFile(path.join(sdk, "package.json"), JSON.stringify({ name: "openclaw", type: "module", exports: { [name]: "./sdk.js" } }));
  await writeFile(path.join(sdk, "sdk.js"), SDK);
  await writeFile(path.join(folder, "host.js"), "");
  process.argv[1] = path.join(folder, "host.js");
  /** @type {any} */ (globalThis).asked = [];
});
afterAll(async () => {
  process.argv[1] = program;
  await rm(folder, { recursive: true, force: true });
});

const answerOf = (/** @type {any} */ result) => JSON.parse(result.content[0].text);

test("corpus decides whether notes, wikis or both are asked, and a wiki that fails costs only its own results", async () => {
  const { host, cfg } = await hooked({}, { files: { "memory/falcon.md": "Project Falcon uses PostgreSQL 17.\n" } });
  const ctx = { config: cfg, agentId: "main", sessionKey: "agent:main:main" };
  const ask = async (/** @type {string} */ corpus) => answerOf(await search(host, ctx, { query: "falcon postgresql", corpus }));
  const paths = (/** @type {any} */ answer) => answer.results.map((/** @type {any} */ hit) => hit.path);

  const notes = await ask("memory");
  expect(paths(notes)).toEqual(["memory/falcon.md"]);
  const { asked } = /** @type {any} */ (globalThis);
  expect(asked).toEqual([]);

  const wiki = await ask("wiki");
  expect(paths(wiki)).toEqual(["wiki/falcon.md"]);
  expect(wiki.warning).toContain("The wiki of broken is unavailable: no wiki here");
  expect(asked).toEqual([expect.objectContaining({ query: "falcon postgresql", agentId: "main", agentSessionKey: ctx.sessionKey })]);

  const all = await ask("all");
  expect(paths(all).sort()).toEqual(["memory/falcon.md", "wiki/falcon.md"]);
  expect(all.results.find((/** @type {any} */ hit) => hit.path === "wiki/falcon.md")).toMatchObject({ corpus: "wiki" });

  const page = answerOf(await read(host, ctx, { path: "wiki/falcon.md", corpus: "wiki" }));
  expect(page).toMatchObject({ status: "ok", path: "wiki/falcon.md", text: "The whole page" });
});
