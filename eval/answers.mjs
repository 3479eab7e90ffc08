// Questions that the notes answer and questions that they do not: what a search shows of each, and what automatic recall
// would put beside them.
import { isRight, readTurns, withNotes } from "./recall.mjs";

/**
 * @typedef {import("./recall.mjs").Turn} Question
 * @typedef {{question: Question, found: boolean, right: boolean, recalled: boolean}} Outcome `found`: anything at all.
 */

/** Asks every question of a case. @param {string} caseDir @param {string} provider @returns {Promise<Outcome[]>} */
export function runAnswers(caseDir, provider) {
  return withNotes(caseDir, provider, async (manager, nowMs, recall) => {
    /** @type {Outcome[]} */
    const outcomes = [];
    for (const question of readTurns(caseDir)) {
      const shown = await manager.search(question.query, { maxResults: 6, nowMs });
      const recalled = await recall(question);
      outcomes.push({ question, found: shown.length > 0, right: isRight(question.evidence, shown), recalled: recalled.length > 0 });
    }
    return outcomes;
  });
}

/**
 * Of the questions that have an answer, the share that is shown anything and the share that is shown the answer; of those
 * that have none, the share that is shown nothing, by a search and by automatic recall. Percent.
 * @param {Outcome[]} outcomes
 */
export function answerRates(outcomes) {
  const share = (/** @type {Outcome[]} */ of, /** @type {(outcome: Outcome) => boolean} */ test) =>
    of.length === 0 ? 0 : (100 * of.filter(test).length) / of.length;
  const [some, none] = [true, false].map((has) => outcomes.filter(({ question }) => question.evidence.length > 0 === has));
  return {
    answered: some.length,
    shown: share(some, ({ found }) => found),
    right: share(some, ({ right }) => right),
    unanswered: none.length,
    empty: share(none, ({ found }) => !found),
    silent: share(none, ({ recalled }) => !recalled),
  };
}
