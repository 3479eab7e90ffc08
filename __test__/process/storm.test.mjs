import { expect, test } from "vitest";
import { storm } from "./storm.mjs";

// `npm run lab -- storm --queue 16` has 15,000 files and a system that loses most of the events.
test("a burst of files and folders ends with an index that equals the disk, and watching costs no more than before", {
  timeout: 300_000,
}, async () => {
  const { problems, changes } = await storm({ files: 1500 });
  expect(problems).toEqual([]);
  expect(changes).toBeGreaterThan(2000);
});
