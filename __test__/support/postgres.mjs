// What tests with a real PostgreSQL need: the server that MEMORY_CORE_TEST_PG names, and addresses under which nothing but
// the test can be meant.

import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { binFolder } from "../../scripts/postgres/binaries.mjs";
import { openRelay } from "./relay.mjs";

/** An address of the loopback interface that no other text has by chance. */
const CANARY_HOST = "127.83.41.7";

const psql = () => [path.join(binFolder("18"), "psql"), "psql"].find((file) => !spawnSync(file, ["--version"]).error);

/** What a test with a database lacks here, in one line; undefined when all is there. */
export function missingForPostgres() {
  if (!process.env.MEMORY_CORE_TEST_PG)
    return "skipped: MEMORY_CORE_TEST_PG names no PostgreSQL; `npm run pg -- start` starts one and prints its address";
  if (!psql()) return "skipped: there is no psql; `npm run pg -- start` fetches one";
  return undefined;
}

/** Runs SQL as the administrator of a server; gives what it prints. @param {string} sql */
export function administer(sql, server = String(process.env.MEMORY_CORE_TEST_PG)) {
  const args = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--command", sql];
  return execFileSync(/** @type {string} */ (psql()), [...args, server], {
    encoding: "utf8",
    env: { ...process.env, PGOPTIONS: "-c client_min_messages=warning" },
  }).trim();
}

/** The bytes of each table of a schema with its indexes, the largest first. @param {string} schema */
export function tableSizes(schema) {
  const sql = `SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace ORDER BY 2 DESC`;
  const rows = administer(sql).split("\n");
  return rows.filter(Boolean).map((row) => ({ table: row.split("|")[0], bytes: Number(row.split("|")[1]) }));
}

/**
 * A role of its own with a schema of its own, reached at an address of its own: whichever part of that is found in what
 * a program says, the program has said it.
 * @param {{creates?: boolean}} [role] Whether it may make tables.
 */
export async function ownDatabase({ creates = true } = {}) {
  const name = `c4nary_${randomBytes(6).toString("hex")}`;
  const password = `p4ss-${randomBytes(9).toString("hex")}`;
  const server = new URL(String(process.env.MEMORY_CORE_TEST_PG));
  const database = server.pathname.slice(1);
  administer("SELECT pg_advisory_xact_lock(20261125); CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
  const schema = name.replace("c4nary", "s");
  administer(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  if (creates) administer(`GRANT CREATE ON DATABASE "${database}" TO ${name}`);
  const { port, close } = await openRelay(CANARY_HOST, () => server);
  const address = (/** @type {string} */ secret) => `postgresql://${name}:${secret}@${CANARY_HOST}:${port}/${database}`;
  return {
    schema,
    role: name,
    password,
    url: address(password),
    /** The same with another password. */
    address,
    /** What nothing may say. */
    secrets: [name, password, CANARY_HOST, `:${port}`, server.port],
    end: async () => {
      close();
      administer(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`);
    },
  };
}
