// Several processes on one workspace, killed and stopped while they hold the writer lease.
//   npm run lab -- processes [--seconds 60] [--files 300] [--seed N] [--hurry]

import { parseArgs } from "node:util";
import { processRun, stoppedHolder } from "../../__test__/process/processes.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    files: { type: "string", default: "300" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    hurry: { type: "boolean", default: false },
  },
});
console.log(`seed ${values.seed}`);
const { hurry } = values;
const { problems, handOverMs, ...counts } = await processRun({
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  files: Number(values.files),
  hurry,
});
console.log(JSON.stringify(counts));
for (const [how, times] of Object.entries(handOverMs)) {
  console.log(`the lease of a ${how} holder was taken over in at most ${Math.max(0, ...times)} ms (${times.length} times)`);
}
for (const problem of problems) console.log(problem);
const stopped = await stoppedHolder({ files: 600, hurry });
console.log(
  `a holder stopped in its rebuild was replaced after ${stopped.handOverMs} ms, wrote ${stopped.written.length} rows without the lease, and ended with ${stopped.sync?.code ?? "its rebuild done"}`,
);
const isFenced = stopped.sync?.ms !== undefined && stopped.written.length === 0 && stopped.handOverMs !== undefined;
process.exitCode = problems.length === 0 && isFenced ? 0 : 1;
