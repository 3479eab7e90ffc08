// Opens and closes managers, and starts and ends worker threads that use memory: nothing may grow.
//   npm run lab -- cycles [--managers 1000] [--workers 200]

import { parseArgs } from "node:util";
import { cycles } from "../../__test__/process/cycles.mjs";

const { values } = parseArgs({ options: { managers: { type: "string", default: "1000" }, workers: { type: "string", default: "200" } } });
for (const what of /** @type {("managers" | "workers")[]} */ (["managers", "workers"])) {
  const { samples, problems } = await cycles({ what, times: Number(values[what]) });
  for (const { done, ...held } of samples) console.log(`${done} ${what}: ${JSON.stringify(held)}`);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}
