// Kills the indexing of 10,000 chunks at random points and prints what that cost.
//   npm run lab -- kill [--rounds 20] [--chunks 10000] [--seed N]

import { parseArgs } from "node:util";
import { killRounds } from "../../__test__/process/kill.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    chunks: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
  },
});
console.log(`seed ${values.seed}`);
let worst = 0;
const options = { rounds: Number(values.rounds), chunks: Number(values.chunks), seed: Number(values.seed) };
for await (const { killAfter, texts, distinct } of killRounds(options)) {
  const share = texts / distinct;
  worst = Math.max(worst, share);
  console.log(`killed after ${killAfter}: ${texts} texts sent, ${distinct} distinct, ${share.toFixed(4)}`);
}
console.log(`worst ${worst.toFixed(4)}`);
process.exitCode = worst <= 1.01 ? 0 : 1;
