// Which messages of a chat ask for something of the user's own, by what they look like. 840 messages in twelve languages, written
// by people's ways of a chat and not by our patterns (CC0): 420 that only their writer's notes can answer, and 420 that anybody could.

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
  expect(intents.length).toBeGreaterThanOrEqual(400);
  return (100 * intents.filter((intent) => intent !== null && intent !== "general").length) / intents.length;
}

// By patterns of whole sentences 30 in 100 of the first were known, and 19 in 100 of the others were taken for one.
test("who asks for what is in the notes is understood, however it is written", async () => {
  expect(await asking("personal")).toBeGreaterThan(87);
  expect(await asking("ordinary")).toBeLessThan(13);
});
