import { expect, test } from "vitest";
import { crashRounds } from "./crash.mjs";

const ROUNDS = 10;

test("an index survives kills at random instants and equals a fresh one in the end", { timeout: 300_000 }, async () => {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 32);
  console.info(`KILL_SEED=${seed}`);
  let kills = 0;
  for await (const { killed, work, problems } of crashRounds({ rounds: ROUNDS, files: 120, seed })) {
    expect(problems, work).toEqual([]);
    kills += killed ? 1 : 0;
  }
  expect(kills).toBeGreaterThan(0);
});
