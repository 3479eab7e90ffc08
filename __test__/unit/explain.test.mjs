// What `openclaw memory search --explain` prints below a result.
import { describe, expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { explanation } from "../../plugin/cli/explain.js";
import { makeWorkspace } from "../support/workspace.mjs";

const FILES = {
  "memory/2024-05-02.md": "- The children start swimming lessons on Monday.\n- Build failed with ERR_QUOTA_4012.\n",
  "MEMORY.md": "- The printer is out of toner.\n",
};

/** The explained lines of the first result of a query. @param {string} ranking @param {string} query */
async function explained(ranking, query) {
  const { config, request } = await makeWorkspace(FILES);
  const cfg = config({ provider: "none", query: { ranking } });
  const manager = await MemoryIndexManager.get({ ...request, cfg });
  await manager?.sync({ reason: "test", force: true });
  const [hit] = (await manager?.search(query, { explain: true, minScore: 0 })) ?? [];
  return explanation(hit?.explain);
}

describe("--explain", () => {
  test("tells legs, ranks, scores, boosts and matched words in words", async () => {
    const hit = await explained("native", "when do the kids swim");
    expect(hit[0]).toBe("  Matched: kids (as children), swim");
    expect(hit[1]).toMatch(/^ {2}Words: rank 1, \d+ % of the query; line \+0\.\d\d, neighbours \+\d\.\d\d, chunk \+0\.\d\d$/);
    expect(hit.at(-1)).toMatch(/^ {2}Ranked by: \d\.\d\d, best line 1$/);
    expect(await explained("native", "ERR_QUOTA_4012")).toContain("  Boosts: holds what was typed exactly +4.00");
  });

  test("tells the documented scoring, too", async () => {
    const hit = await explained("memory-core", "swimming lessons");
    expect(hit[0]).toMatch(/^ {2}Keywords: rank 1, score \d\.\d{3}/);
    expect(hit.at(-1)).toMatch(/^ {2}Lowest score: /);
    expect(hit.join("\n")).not.toMatch(/[{[]/);
  });

  // "chunk +-0.06" stood there.
  test("a number below zero has one sign", () => {
    const words = { rank: 1, coverage: 1, line: -0.004, neighbours: 0, chunk: -0.06 };
    const meaning = { rank: 3, cosine: -0.1, mean: 0.1, part: -0.2, lineRise: 0.5, linePart: -0.61 };
    expect(explanation({ ranking: "native", legs: { words, meaning }, rankScore: 1, bestLine: 4 }).slice(0, 2)).toEqual([
      "  Words: rank 1, 100 % of the query; line +0.00, neighbours +0.00, chunk −0.06",
      "  Meaning: rank 3, cosine -0.10 (mean of the index 0.10); chunk −0.20, line −0.61",
    ]);
  });

  test("meaning is told where it took part, nothing without an explanation", () => {
    const meaning = { rank: 3, cosine: 0.512, mean: 0.1, rise: 0.4, part: 0.2, lineRise: 0.5, linePart: 0.61 };
    expect(explanation({ ranking: "native", legs: { meaning }, rankScore: 1, bestLine: 4 })).toEqual([
      "  Meaning: rank 3, cosine 0.51 (mean of the index 0.10); chunk +0.20, line +0.61",
      "  Ranked by: 1.00, best line 4",
    ]);
    expect(explanation(undefined)).toEqual([]);
  });
});
