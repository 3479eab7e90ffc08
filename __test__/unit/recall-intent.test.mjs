// Which messages ask for something of the user's own, by what they look like: `eval/sets/asking`, of which nothing is learned from what
// is measured here.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";

/** The share of messages for which a model may be asked, in percent. @param {string} name */
async function asking(name) {
  const text = await readFile(new URL(`../../eval/sets/asking/${name}.jsonl`, import.meta.url), "utf8");
  const intents = text
    .trim()
    .split("\n")
    .map((line) => native().recallIntent(JSON.parse(line).query));
  expect(intents.length).toBeGreaterThanOrEqual(250);
  return (100 * intents.filter((intent) => intent !== null && intent !== "general").length) / intents.length;
}

// By patterns alone 83 in 100 of the first that are measured were known, and 25 of the ordinary ones were taken for one.
test("who asks for what is in the notes is understood, however it is written", async () => {
  expect(await asking("personal-measured")).toBeGreaterThan(88);
  expect(await asking("ordinary-measured")).toBeLessThan(17);
  expect(await asking("personal-unseen")).toBeGreaterThan(82);
  expect(await asking("ordinary-unseen")).toBeLessThan(23);
});
