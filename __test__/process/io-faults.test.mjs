import { expect, test } from "vitest";
import { ioFaults } from "./io-faults.mjs";

/** Every so many-th write fails here; `npm run lab -- io` does all. */
const STRIDE = 37;

test.runIf(process.platform === "linux")(
  "an index survives writes and syncs that fail, at any moment of its life",
  async () => {
    const offset = Date.now() % STRIDE;
    const problems = [];
    let rounds = 0;
    for await (const line of ioFaults({ stride: STRIDE, offset })) {
      rounds += line.rounds ?? 0;
      if (line.problems) problems.push(line);
    }
    expect({ offset, problems }).toEqual({ offset, problems: [] });
    expect(rounds).toBeGreaterThan(30);
  },
  240_000,
);
