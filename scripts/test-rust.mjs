// All tests of the engine; where MEMORY_CORE_TEST_PG names a PostgreSQL, those of what speaks with one too. One build for all:
// what is built without the feature is looked at by clippy, and runs in every test of the addon.

import { spawnSync } from "node:child_process";

const features = process.env.MEMORY_CORE_TEST_PG ? ["--features", "postgres"] : [];
const { status, error } = spawnSync("cargo", ["test", "--locked", "--workspace", ...features], { stdio: "inherit" });
if (error) console.error(`cargo cannot be run: ${error.message}`);
process.exitCode = status ?? 1;
