import { expect, test } from "vitest";
import { killRounds } from "./kill.mjs";

const CHUNKS = 10_000;
/** Texts that may be sent twice after a kill: what was under way. */
const MOST_AGAIN = 1.01;

test("a kill in the middle of 10,000 chunks costs at most one text in a hundred", { timeout: 600_000 }, async () => {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 32);
  console.info(`KILL_SEED=${seed}`);
  for await (const { killAfter, texts, distinct, report } of killRounds({ rounds: 3, chunks: CHUNKS, seed })) {
    expect(distinct).toBeGreaterThanOrEqual(CHUNKS);
    expect(report).toMatchObject({ pending: 0, refused: 0 });
    expect(texts / distinct, `killed after ${killAfter} texts`).toBeLessThanOrEqual(MOST_AGAIN);
  }
});
