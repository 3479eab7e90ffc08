// Tests the properties of the engine on inputs that no build has seen: another seed, and more cases than `npm test`, which
// tests 256 of most and fewer of what is slow. Those of the index in a database too, where MEMORY_CORE_TEST_PG names one.
//   npm run lab -- fuzz [--cases 1000 --seed 7]
// A failure is written to proptest-regressions/ and tested first from then on.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { cases: { type: "string", default: "1000" }, seed: { type: "string" } } });
const seed = values.seed ?? String(randomInt(2 ** 47));
console.log(`seed ${seed}, ${values.cases} cases a property`);
const { status } = spawnSync("cargo", ["test", "--locked", "--lib"], {
  env: { ...process.env, PROPTEST_CASES: values.cases, PROPTEST_RNG_SEED: seed },
  stdio: "inherit",
});
process.exit(status ?? 1);
