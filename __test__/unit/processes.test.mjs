import { expect, test } from "vitest";
import { processRun, stoppedHolder } from "../kill/processes.mjs";

const SECONDS = 5;

test("processes that share an index lose no edit and see no lock, whoever of them is killed or stopped", { timeout: 120_000 }, async () => {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 32);
  console.info(`KILL_SEED=${seed}`);
  const outcome = await processRun({ seconds: SECONDS, seed, files: 60, hurry: true });
  expect(outcome.problems).toEqual([]);
  expect(outcome.syncs).toBeGreaterThan(0);
  expect(outcome.kills + outcome.stops).toBeGreaterThan(1);
});

test("a holder of the lease that was stopped and replaced writes nothing any more, and says so", { timeout: 120_000 }, async () => {
  const { code, handOverMs, written } = await stoppedHolder({ files: 600, hurry: true });
  expect({ code, written }).toEqual({ code: "MEM_BUSY", written: [] });
  expect(handOverMs).toBeLessThan(30_000);
});
