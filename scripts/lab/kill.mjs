// Kills the indexing of 10,000 chunks at random points and prints what that cost; with --server, a PostgreSQL server of its own
// that the index is in, by SIGKILL and SIGQUIT in turn.
//   npm run lab -- kill [--rounds 20] [--chunks 10000] [--seed N] [--server]

import { parseArgs } from "node:util";
import { killRounds, serverKillRounds } from "../../__test__/process/kill.mjs";
import { ownServer } from "../../__test__/support/own-server.mjs";
import { fetchBinaries } from "../postgres/binaries.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    chunks: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    server: { type: "boolean", default: false },
  },
});
console.log(`seed ${values.seed}`);
let worst = 0;
const options = { rounds: Number(values.rounds), chunks: Number(values.chunks), seed: Number(values.seed) };
if (values.server) fetchBinaries("18");
const server = values.server ? await ownServer() : undefined;
try {
  for await (const { killAfter, texts, distinct, report } of server ? serverKillRounds({ ...options, server }) : killRounds(options)) {
    const share = texts / distinct;
    worst = Math.max(worst, share);
    console.log(
      `killed after ${killAfter}: ${texts} texts sent, ${distinct} distinct, ${share.toFixed(4)}; ${report.pending} without a vector`,
    );
  }
} finally {
  server?.end();
}
console.log(`worst ${worst.toFixed(4)}`);
process.exitCode = worst <= 1.01 ? 0 : 1;
