// What automatic recall shows beside the turns of a chat, on the set of this repository.

import path from "node:path";
import { expect, test } from "vitest";
import { recallRates, runRecall } from "../../eval/recall.mjs";

const SETS = path.join(import.meta.dirname, "..", "..", "eval", "sets");
const SET = path.join(SETS, "recall");

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

// Where people ask in other words than their notes, three turns of four that need a note had none beside them.
test("who wants the nearest where nothing fits for sure has it beside what asks for something of his own", async () => {
  const set = path.join(SETS, "chat-mexico");
  const [sure, near] = await Promise.all(
    [{}, { autoRecallUnsure: "nearest" }].map((config) => runRecall(set, "embedded", ["dev"], config)),
  );
  expect(recallRates(sure).right).toBeLessThan(45);
  expect(recallRates(near).right).toBeGreaterThan(70);
  expect(recallRates(near).needless).toBeLessThan(8);
  // What fits for sure stands alone as before.
  const places = (/** @type {any[]} */ hits) => hits.map(({ path: file, startLine }) => `${file}:${startLine}`);
  for (const { turn, shown } of sure.filter((one) => one.shown.length > 0)) {
    expect(places(near.find((one) => one.turn.id === turn.id)?.shown ?? []), turn.query).toEqual(places(shown));
  }
});
