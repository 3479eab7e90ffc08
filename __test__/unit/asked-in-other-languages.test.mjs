// Notes in one language and questions in another, on the sets of this repository.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { answerRates, runAnswers } from "../../eval/answers.mjs";
import { runBeside } from "../../eval/beside.mjs";
import { MemoryIndexManager } from "../../lib/manager.js";

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

// Notes in the language of the question stood beside the English ones, and of what is in those 3 % was found.
test.each([
  ["none", 52],
  ["embedded", 64],
])("what English notes say is found beside notes in the language of the question (%s)", async (provider, least) => {
  const { others, own } = await runBeside(path.join(SETS, "asked-in-others"), provider);
  expect(answerRates(others).right).toBeGreaterThanOrEqual(least);
  // What is in its own language is found as before.
  expect(answerRates(own).right).toBeGreaterThanOrEqual(98);
});

// The embedded model is asked "dog" for "Hund" where hardly any note is German: notes about a puppy came first, and the only one with
// "Mein Hund heißt Balu" was not shown.
test("a German line is found by its own words among English ones that mean the same", async () => {
  const home = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-typed-"));
  const workspace = path.join(home, "workspace");
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  const write = (/** @type {string} */ name, /** @type {string} */ text) => writeFile(path.join(workspace, "memory", name), text);
  for (let day = 0; day < 60; day++) {
    await write(
      `a${day}.md`,
      `- The heating was off all day.\n- Our neighbours got a puppy.\n- I had a call with Tom about budget ${day}.\n`,
    );
  }
  await write("dog.md", "- Mein Hund heißt Balu.\n- My car is blue.\n- The rent is due on the third.\n");
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "embedded" } } };
  const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir: path.join(home, "state"), env: {} });
  if (!manager) throw new Error("memory search is off");
  try {
    await manager.sync();
    for (const question of ["Mein Hund heißt", "Wie heißt mein Hund?", "Hund"]) {
      const [first] = await manager.search(question);
      expect(first?.path, question).toBe("memory/dog.md");
      expect(first.score, question).toBeGreaterThan(0.9);
    }
  } finally {
    await manager.close();
    await rm(home, { recursive: true, force: true });
  }
});
