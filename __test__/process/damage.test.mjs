// A damaged index comes back, whatever was damaged; `npm run lab -- damage` does hundreds of these.

import { expect, test } from "vitest";
import { damages } from "./damage.mjs";

test("random damage ends in stable codes, a clean file after doctor, and notes that are found again", async () => {
  const [seed, cases] = [20_261_123, 24];
  const bad = [];
  let count = 0;
  for await (const { number, damage, problems } of damages({ cases, seed })) {
    count++;
    if (problems.length > 0) bad.push({ number, damage, problems });
  }
  expect(bad).toEqual([]);
  expect(count).toBe(cases);
}, 240_000);
