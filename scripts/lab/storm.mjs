// A burst of changes under a watcher whose queue is so small that the system loses most of them.
//   npm run lab -- storm [--files 15000] [--queue 16]     (setting the queue needs root; without --queue it stays as it is)

import { parseArgs } from "node:util";
import { storm } from "../../__test__/process/storm.mjs";

const { values } = parseArgs({ options: { files: { type: "string", default: "15000" }, queue: { type: "string" } } });
const { problems, ...figures } = await storm({ files: Number(values.files), ...(values.queue ? { queue: Number(values.queue) } : {}) });
console.log(JSON.stringify(figures));
for (const problem of problems) console.log(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
