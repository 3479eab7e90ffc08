// What automatic recall shows of a fact that a later note has changed in other words.

import path from "node:path";
import { expect, test } from "vitest";
import { isRight, readTurns, runRecall, withNotes } from "../../eval/recall.mjs";

const SET = path.join(import.meta.dirname, "..", "..", "eval", "sets", "updates");

// "Where do I live?" showed the old address alone: the note that tells of the move shares no word with the question. Of 42
// facts 20 were shown as they are now, and 4 before what they were.
test("a later note that changes what was found stands before it", async () => {
  const outcomes = await runRecall(SET, "embedded");
  const of = (/** @type {string} */ category) => outcomes.filter(({ turn }) => turn.category === category);
  const wrong = outcomes.filter(({ ok }) => !ok).map(({ turn }) => turn.query);
  const isFirst = (/** @type {typeof outcomes[number]} */ { turn, shown }) => isRight(turn.evidence, shown.slice(0, 1));
  expect(of("changed").filter(({ ok }) => ok).length, wrong.join("\n")).toBeGreaterThanOrEqual(26);
  expect(of("changed").filter(isFirst).length).toBeGreaterThanOrEqual(16);
  expect(of("unchanged").filter(({ ok }) => ok).length, wrong.join("\n")).toBe(10);
  const passages = outcomes.reduce((sum, { shown }) => sum + shown.length, 0);
  expect(passages / outcomes.length).toBeLessThan(2);
});

// The model was asked for "desk", and what that is like stood before the notes that hold the question's own word, as surely as they.
test("a note that holds the words of a question stands before what its English words remind of", async () => {
  await withNotes(SET, "embedded", async (manager) => {
    const found = await manager.search("où est mon bureau ?", { maxResults: 6 });
    expect(found.slice(0, 2).map(({ snippet }) => snippet)).toEqual([expect.stringContaining("bureau"), expect.stringContaining("bureau")]);
  });
});

// What a later note changed was in no result of a question that shares no word with it.
test("a search that is asked for it says what a later note changed of the first result", async () => {
  await withNotes(SET, "embedded", async (manager) => {
    /** @type {string[]} */
    const right = [];
    /** @type {string[]} */
    const wrong = [];
    for (const turn of readTurns(SET)) {
      const { hits, later } = await manager.searchDetailed(turn.query, { maxResults: 3, later: true });
      if (!later) continue;
      expect(later.path > hits[0].path, turn.query).toBe(true);
      expect(later.excerpt).toBeUndefined();
      if (turn.category === "changed" && isRight(turn.evidence, [later])) right.push(turn.query);
      else wrong.push(turn.query);
    }
    expect(right.length, right.join("\n")).toBeGreaterThanOrEqual(3);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(2);
    const { later } = await manager.searchDetailed("where do I live?", { maxResults: 3, later: true, since: "2026-01-01" });
    expect(later).toBeUndefined();
  });
});
