// Damages an index at random and looks whether it comes back: bytes, pages, ends, headers, the log and its shared memory.
//   npm run lab -- damage [--cases 500 --seed 7]      all cases of a seed
//   npm run lab -- damage --seed 7 --only 123         one of them again

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { damages } from "../../__test__/process/damage.mjs";

const { values } = parseArgs({
  options: { cases: { type: "string", default: "500" }, seed: { type: "string" }, only: { type: "string" } },
});
const seed = Number(values.seed ?? randomInt(2 ** 20));
console.log(`seed ${seed}`);
let [cases, bad] = [0, 0];
for await (const { number, damage, problems } of damages({
  cases: Number(values.cases),
  seed,
  ...(values.only ? { only: Number(values.only) } : {}),
})) {
  cases++;
  if (problems.length === 0) continue;
  bad++;
  console.log(`case ${number} (${damage}): ${problems.join("; ")}`);
}
console.log(`${cases} damages, ${bad} with problems`);
process.exitCode = bad > 0 ? 1 : 0;
