// What automatic recall shows beside the turns of a chat, on the set of this repository.

import path from "node:path";
import { expect, test } from "vitest";
import { recallRates, runRecall } from "../../eval/recall.mjs";

const SET = path.join(import.meta.dirname, "..", "..", "eval", "sets", "recall");

// A word in common was enough: a block stood beside 27 % of the turns that need none, with the embedded model 47 %.
test.each(["none", "embedded"])("recall shows the right note, or nothing (provider %s)", async (provider) => {
  const outcomes = await runRecall(SET, provider);
  expect(outcomes.length).toBeGreaterThanOrEqual(150);
  expect(new Set(outcomes.map(({ turn }) => turn.lang)).size).toBeGreaterThanOrEqual(4);
  const wrong = outcomes.filter(({ ok }) => !ok).map(({ turn }) => turn.query);
  const { right, needless } = recallRates(outcomes);
  expect(right, wrong.join("\n")).toBeGreaterThanOrEqual(85);
  expect(needless, wrong.join("\n")).toBeLessThanOrEqual(8);
});
