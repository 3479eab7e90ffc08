import { expect, test } from "vitest";
import { processRun, stoppedHolder } from "./processes.mjs";

const SECONDS = 5;

test("processes that share an index lose no edit and see no lock, whoever of them is killed or stopped", { timeout: 120_000 }, async () => {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 32);
  console.info(`KILL_SEED=${seed}`);
  const outcome = await processRun({ seconds: SECONDS, seed, files: 60, hurry: true });
  expect(outcome.problems).toEqual([]);
  expect(outcome.syncs).toBeGreaterThan(0);
  expect(outcome.kills + outcome.stops).toBeGreaterThan(1);
});

test("a holder of the lease that was stopped and replaced writes nothing until it has the lease again", { timeout: 120_000 }, async () => {
  const { sync, handOverMs, written } = await stoppedHolder({ files: 600, hurry: true });
  expect(written).toEqual([]);
  expect(sync).toMatchObject({ what: "sync", ms: expect.any(Number) });
  expect(handOverMs).toBeLessThan(30_000);
});
