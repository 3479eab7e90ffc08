// Kills indexing at random instants, again and again on one index, and checks it after each kill.
//   npm run lab -- crash [--rounds 500] [--files 300] [--seed N]

import { parseArgs } from "node:util";
import { crashRounds } from "../../__test__/process/crash.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "500" },
    files: { type: "string", default: "300" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
  },
});
console.log(`seed ${values.seed}`);
let [kills, bad] = [0, 0];
const options = { rounds: Number(values.rounds), files: Number(values.files), seed: Number(values.seed) };
for await (const { round, killed, afterMs, work, problems } of crashRounds(options)) {
  kills += killed ? 1 : 0;
  bad += problems.length > 0 ? 1 : 0;
  if (problems.length > 0) console.log(`round ${round} (${work}, killed after ${afterMs} ms): ${problems.join("; ")}`);
  else if (round % 25 === 0) console.log(`round ${round}: all well, ${kills} killed at work`);
}
console.log(`${kills} of ${values.rounds} processes were killed at work; ${bad} rounds with problems`);
process.exitCode = bad > 0 ? 1 : 0;
