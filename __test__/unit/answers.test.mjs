// When an addon tried elsewhere counts as working.

import { expect, test } from "vitest";
import { compareAnswers, QUESTIONS } from "../../scripts/ship/answers.mjs";

/** What a machine says that answers everything right. @param {Partial<import("../../scripts/ship/answers.mjs").Tried>} [over] */
const right = (over) => ({
  platform: "linux-x64-gnu",
  found: 3,
  chunks: 6,
  provider: "embedded",
  answers: QUESTIONS.map(({ question, file }) => ({ question, hits: file ? [{ at: `${file}:1-2`, score: 0.5 }] : [] })),
  ...over,
});

/** The same, but for the first answer. @param {string} at @param {number} score */
const first = (at, score) => right({ answers: [{ ...right().answers[0], hits: [{ at, score }] }, ...right().answers.slice(1)] });

test("the same lines with the same scores but for rounding are right", () => {
  expect(compareAnswers(right(), right())).toEqual([]);
  expect(compareAnswers(first("MEMORY.md:1-2", 0.5004), right())).toEqual([]);
});

test("other lines and other scores are wrong", () => {
  expect(compareAnswers(first("MEMORY.md:2-3", 0.5), right())).toEqual([
    '"when do I put out the trash" finds MEMORY.md:2-3, not MEMORY.md:1-2',
  ]);
  expect(compareAnswers(first("MEMORY.md:1-2", 0.6), right())).toEqual(['"when do I put out the trash" scores differ by 0.1000']);
});

test("what both machines get wrong is wrong", () => {
  const silent = right({ answers: right().answers.map((answer) => ({ ...answer, hits: [] })) });
  expect(compareAnswers(silent, silent)).toHaveLength(4);
  const other = first("other.md:1-2", 0.5);
  expect(compareAnswers(other, other)).toEqual(['"when do I put out the trash" is answered by other.md, not by MEMORY.md']);
});

test("an index that was lost, is incomplete or without vectors is wrong", () => {
  expect(compareAnswers(right({ found: 0 }), right())).toHaveLength(1);
  expect(compareAnswers(right({ chunks: 5 }), right())).toEqual(["5 chunks, not 6"]);
  expect(compareAnswers(right({ provider: "none" }), right())).toEqual(["it embeds with none"]);
});
