// Many gateways on one PostgreSQL, with an agent and connections each: they search and write at the pace of people, through
// pgbouncer with two connections. Prints how long that takes, what it costs the server, and checks what each holds at the end.
//   npm run lab -- fleet [--minutes 10 --engines 200 --files 20 --search-every 20 --write-every 120]
// Starts Debian's server and pgbouncer (npm run pg), unless MEMORY_CORE_TEST_PG names a server.
import { execFileSync, spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    engines: { type: "string", default: "200" },
    files: { type: "string", default: "20" },
    "search-every": { type: "string", default: "20" },
    "write-every": { type: "string", default: "120" },
  },
});
const start = () => execFileSync(process.execPath, ["scripts/postgres.mjs", "start", "--server", "pgbouncer"], { encoding: "utf8" }).trim();
const { status } = spawnSync(
  "cargo",
  ["bench", "--locked", "--profile", "local", "-p", "store", "--features", "postgres", "--bench", "gateways"],
  {
    env: {
      ...process.env,
      MEMORY_CORE_TEST_PG: process.env.MEMORY_CORE_TEST_PG || start(),
      MEMORY_CORE_LAB_ENGINES: values.engines,
      MEMORY_CORE_LAB_FILES: values.files,
      MEMORY_CORE_LAB_SECONDS: String(Math.round(Number(values.minutes) * 60)),
      MEMORY_CORE_LAB_SEARCH_S: values["search-every"],
      MEMORY_CORE_LAB_WRITE_S: values["write-every"],
    },
    stdio: "inherit",
  },
);
process.exit(status ?? 1);
