// The long runs behind one command:  npm run lab -- <experiment> [its options]
// Each file in scripts/lab is an experiment; the lines at its top say what it does and which options it takes.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL("lab/", import.meta.url);
/** What belongs to an experiment and is none. */
const PARTS = ["fleet-goals-probe", "fleet-line", "reply-probe", "startup-empty", "startup-probe"];

const experiments = readdirSync(folder)
  .map((name) => name.replace(/\.mjs$/, ""))
  .filter((name) => !PARTS.includes(name))
  .toSorted();

/** The comment at the top of an experiment. @param {string} name */
function about(name) {
  const lines = readFileSync(new URL(`${name}.mjs`, folder), "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines.slice(0, end).map((line) => line.slice(3));
}

const [name, ...options] = process.argv.slice(2);
if (name && experiments.includes(name)) {
  // Leaks are looked for after a collection.
  const { status } = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(new URL(`${name}.mjs`, folder)), ...options], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} else {
  if (name) console.error(`There is no experiment "${name}".\n`);
  for (const known of experiments) console.log(`${known.padEnd(10)} ${about(known).join("\n           ")}\n`);
  process.exitCode = name ? 1 : 0;
}
