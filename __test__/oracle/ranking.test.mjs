// The documented scoring (F1–F13) against the host's own engine, over the same files and the same vectors: same results, order and scores.

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MemoryIndexManager } from "../../lib/manager.js";
import { createFakeProvider } from "../support/fake-provider.mjs";
import { NOW, queries, writeWorkspace } from "./corpus.mjs";
import { askHost } from "./host.mjs";

/** Scores agree to this; what is nearer than that to each other may stand in either order. */
const PRECISION = 1e-6;

/** So few that hardly any two vectors are orthogonal: scores of exactly 0 would stand in any order. */
const DIMS = 32;

/** Small chunks, so that few files give many candidates. */
const COMMON = {
  chunking: { tokens: 100, overlap: 20 },
  cache: { enabled: false },
  sync: { watch: false, onSearch: false, onSessionStart: false },
};

const hybrid = (/** @type {object} */ settings) => ({ query: { hybrid: settings } });
const decay = { enabled: true, halfLifeDays: 20 };

/**
 * One index each: settings that change what is stored. Each run asks every query with other settings.
 * @typedef {{settings?: object, ask: {maxResults?: number, minScore?: number}}} Run
 * @type {Record<string, {vectors: boolean, store?: object, runs: Record<string, Run>}>}
 */
const INDEXES = {
  "words and vectors": {
    vectors: true,
    runs: {
      "as shipped": { ask: {} },
      "twenty results, no threshold": { ask: { maxResults: 20, minScore: 0 } },
      "sixty results": { ask: { maxResults: 60, minScore: 0.1 } },
      "a threshold that nothing reaches": { ask: { minScore: 0.9 } },
      "one result": { settings: hybrid({ candidateMultiplier: 20 }), ask: { maxResults: 1, minScore: 0 } },
      recency: { settings: hybrid({ temporalDecay: decay }), ask: { maxResults: 20, minScore: 0.05 } },
      diversity: { settings: hybrid({ mmr: { enabled: true, lambda: 0.5 } }), ask: { maxResults: 15, minScore: 0 } },
      "diversity only": { settings: hybrid({ mmr: { enabled: true, lambda: 0 } }), ask: { maxResults: 15, minScore: 0 } },
      "relevance only": { settings: hybrid({ mmr: { enabled: true, lambda: 1 } }), ask: { maxResults: 15, minScore: 0 } },
      "other weights, recency and diversity": {
        settings: hybrid({ vectorWeight: 0.2, textWeight: 0.6, candidateMultiplier: 9, temporalDecay: decay, mmr: { enabled: true } }),
        ask: { maxResults: 10, minScore: 0.2 },
      },
      "vectors only": { settings: hybrid({ enabled: false }), ask: { maxResults: 12, minScore: 0.1 } },
    },
  },
  "words only": {
    vectors: false,
    runs: {
      "as shipped": { ask: { maxResults: 30 } },
      "recency and a high threshold": {
        settings: { query: { minScore: 0.8, ...hybrid({ temporalDecay: decay }).query } },
        ask: { maxResults: 8 },
      },
    },
  },
  "trigrams and vectors": {
    vectors: true,
    store: { fts: { tokenizer: "trigram" } },
    runs: { "no threshold": { ask: { maxResults: 30, minScore: 0 } } },
  },
  "trigrams only": {
    vectors: false,
    store: { fts: { tokenizer: "trigram" } },
    runs: { "no threshold": { ask: { maxResults: 30, minScore: 0 } } },
  },
};

const QUERIES = queries();

const RUNS = Object.entries(INDEXES).flatMap(([index, { vectors, store, runs }]) =>
  Object.entries(runs).map(([run, { settings, ask }]) => ({ index, run, vectors, store, settings, ask })),
);

describe("ranking is that of host 2026.4.12", () => {
  /** @type {string} */
  let root;
  /** @type {import("node:http").Server} */
  let server;
  /** @type {ReturnType<typeof writeWorkspace>} */
  let files;
  /** @type {any[][][]} */
  let expected;

  beforeAll(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), "oracle-rank-"));
    files = writeWorkspace(root);
    ({ server } = createFakeProvider({ dims: DIMS }));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    expected = await askHost(root, "rank", {
      home: path.join(root, "host"),
      now: NOW,
      searches: RUNS.map((run) => ({
        workspace: files.workspace,
        // Without a key, the host's "auto" is keyword search.
        memorySearch: memorySearch(run, "host", "auto"),
        queries: QUERIES.map((query) => ({ query, ...run.ask })),
      })),
    });
  });
  afterAll(async () => {
    server?.close();
    await rm(root, { recursive: true, force: true });
  });

  /**
   * @param {(typeof RUNS)[number]} run
   * @param {string} engine
   * @param {string} none Provider id that means none.
   */
  function memorySearch({ index, vectors, store, settings }, engine, none) {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const remote = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "sk-oracle" };
    return {
      ...COMMON,
      ...(vectors ? { provider: "openai", model: "text-embedding-3-small", remote } : { provider: none }),
      ...settings,
      store: { ...store, path: path.join(root, engine, `${index}.sqlite`) },
      extraPaths: [files.extra],
    };
  }

  test.each(RUNS.map((run, i) => [`${run.index}: ${run.run}`, run, i]))("%s", async (_, run, i) => {
    const cfg = {
      agents: { defaults: { workspace: files.workspace, memorySearch: memorySearch(run, "ours", "none") } },
      plugins: { entries: { "memory-core-rs": { config: { query: { ranking: "memory-core" } } } } },
    };
    const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir: path.join(root, "ours"), purpose: "cli" });
    if (!manager) throw new Error("memory search is off");
    try {
      await manager.sync({ reason: "oracle" });
      for (const [at, query] of QUERIES.entries()) {
        compare(query, await manager.search(query, { ...run.ask, nowMs: NOW }), expected[i][at]);
      }
    } finally {
      await manager.close();
    }
  });

  /**
   * @param {string} query
   * @param {Result[]} ours
   * @param {Result[]} host
   */
  function compare(query, ours, host) {
    expect(ours.length, query).toBe(host.length);
    for (const [place, hit] of ours.entries()) {
      expect(Math.abs(hit.score - host[place].score), `${query}: score of result ${place + 1}`).toBeLessThan(PRECISION);
    }
    // The host shows files outside the workspace relative to it.
    const relative = (/** @type {string} */ file) => path.relative(files.workspace, path.resolve(files.workspace, file));
    expect(inGroups(ours.map((hit) => ({ ...hit, path: relative(hit.path) }))), query).toEqual(inGroups(host));
  }
});

/** @typedef {{path: string, startLine: number, endLine: number, score: number, snippet: string, source: string}} Result */

/**
 * Results by rank, those of one score as a set. The last set may be cut anywhere, so of it only the size is compared.
 * @param {Result[]} hits
 */
function inGroups(hits) {
  /** @type {{score: number, hits: string[]}[]} */
  const groups = [];
  for (const { path: file, startLine, endLine, score, snippet, source } of hits) {
    const shown = `${source} ${file}:${startLine}-${endLine} ${snippet}`;
    const last = groups.at(-1);
    if (last && Math.abs(last.score - score) < PRECISION) last.hits.push(shown);
    else groups.push({ score, hits: [shown] });
  }
  const sets = groups.map(({ hits: members }) => members.sort());
  const cut = sets.at(-1);
  return cut && cut.length > 1 ? [...sets.slice(0, -1), cut.length] : sets;
}
