// Which messages of a chat ask for something of the user's own, by what they look like. Messages in twelve languages (CC0), by writers
// who had not seen our patterns: `personal`, which only the writer's notes can answer, and `ordinary`, which anybody could. The patterns
// were changed for 420 of each; the 250 of each that are `measured` nobody looked at.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";

/** The share of messages for which a model may be asked, in percent. @param {string} name */
async function asking(name) {
  const text = await readFile(new URL(`../support/asking/${name}.jsonl`, import.meta.url), "utf8");
  const intents = text
    .trim()
    .split("\n")
    .map((line) => native().recallIntent(JSON.parse(line).query));
  expect(intents.length).toBeGreaterThanOrEqual(250);
  return (100 * intents.filter((intent) => intent !== null && intent !== "general").length) / intents.length;
}

// By patterns of whole sentences, 30 in 100 of the first and 50 of those that are measured were known, 19 and 24 of the ordinary ones
// were taken for one.
test("who asks for what is in the notes is understood, however it is written", async () => {
  expect(await asking("personal")).toBeGreaterThan(87);
  expect(await asking("ordinary")).toBeLessThan(13);
  expect(await asking("personal-measured")).toBeGreaterThan(80);
  expect(await asking("ordinary-measured")).toBeLessThan(27);
});
