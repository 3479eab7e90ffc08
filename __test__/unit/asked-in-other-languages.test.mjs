// Notes in one language and questions in another, on the sets of this repository.

import path from "node:path";
import { expect, test } from "vitest";
import { answerRates, runAnswers } from "../../eval/answers.mjs";

const SETS = path.join(import.meta.dirname, "..", "..", "eval", "sets");

// A question in another language than the notes found 23 % of its lines by words and 25 % with the embedded model, English questions
// about notes in seven languages 12 % and 18 %.
test.each([
  ["asked-in-others", "none", 58],
  ["asked-in-others", "embedded", 74],
  ["asked-in-english", "none", 44],
  ["asked-in-english", "embedded", 44],
])("%s with %s", async (set, provider, least) => {
  const outcomes = await runAnswers(path.join(SETS, set), provider);
  const wrong = outcomes.filter(({ right }) => !right).map(({ question }) => question.query);
  expect(answerRates(outcomes).right, wrong.join("\n")).toBeGreaterThanOrEqual(least);
});
