import { expect, onTestFinished, test } from "vitest";
import { ownServer } from "../support/own-server.mjs";
import { missingForPostgres, ownDatabase } from "../support/postgres.mjs";
import { killRounds, serverKillRounds } from "./kill.mjs";

const CHUNKS = 10_000;
/** Texts that may be sent twice after a kill: what was under way. */
const MOST_AGAIN = 1.01;

/** @param {ReturnType<typeof killRounds>} rounds */
async function killAndCount(rounds) {
  for await (const { killAfter, texts, distinct, report } of rounds) {
    expect(distinct).toBeGreaterThanOrEqual(CHUNKS);
    expect(report).toMatchObject({ pending: 0, refused: 0 });
    expect(texts / distinct, `killed after ${killAfter} texts`).toBeLessThanOrEqual(MOST_AGAIN);
  }
}

/** What is by chance, and how to have it again. */
function chance() {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 32);
  console.info(`KILL_SEED=${seed}`);
  return seed;
}

test("a kill in the middle of 10,000 chunks costs at most one text in a hundred", { timeout: 600_000 }, async () => {
  await killAndCount(killRounds({ rounds: 3, chunks: CHUNKS, seed: chance() }));
});

const missing = missingForPostgres();
if (missing) console.log(missing);

test.skipIf(missing)("so does one where the index is in a database", { timeout: 600_000 }, async () => {
  const database = await ownDatabase();
  onTestFinished(database.end);
  await killAndCount(killRounds({ rounds: 1, chunks: CHUNKS, seed: chance(), database }));
});

// What was lost with a server was counted for texts of the engine's own death only.
test.skipIf(missing)("so does one of the server, after which the same process goes on", { timeout: 600_000 }, async () => {
  const server = await ownServer();
  onTestFinished(server.end);
  await killAndCount(serverKillRounds({ rounds: 2, chunks: CHUNKS, seed: chance(), server }));
});
