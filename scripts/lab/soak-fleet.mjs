// Several lives of `soak` side by side, each an agent of one PostgreSQL database with engines, workspace and provider of its own.
// Starts PostgreSQL 18 (npm run pg), unless MEMORY_CORE_TEST_PG names a server.
//   npm run lab -- soak-fleet [--engines 4] [--minutes 30] [--files 100]

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { administer, ownDatabase, tableSizes } from "../../__test__/support/postgres.mjs";

const { values } = parseArgs({
  options: {
    engines: { type: "string", default: "4" },
    minutes: { type: "string", default: "30" },
    files: { type: "string", default: "100" },
  },
});
const SOAK = fileURLToPath(new URL("./soak.mjs", import.meta.url));

process.env.MEMORY_CORE_TEST_PG ||= execFileSync(process.execPath, ["scripts/postgres.mjs", "start"], { encoding: "utf8" }).trim();
const { url, schema, end } = await ownDatabase();

/** One life; gives how it ended. @param {string} agent */
async function live(agent) {
  const env = { ...process.env, MEMORY_CORE_SOAK_DATABASE: JSON.stringify({ url, schema, agent }) };
  const args = ["--expose-gc", SOAK, "--minutes", values.minutes, "--files", values.files];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: child.stdout }).on("line", (line) => console.log(`${agent}: ${line}`));
  const [code] = await once(child, "close");
  return code;
}

const codes = await Promise.all(Array.from({ length: Number(values.engines) }, (_, n) => live(`engine-${n + 1}`)));
const most = administer(`SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM ${schema}.segment GROUP BY agent) s`);
console.log(`segments of one agent at most: ${most}`);
for (const { table, bytes } of tableSizes(schema).slice(0, 8)) console.log(`${table.padEnd(10)} ${bytes} bytes`);
await end();
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
