// Makes a fresh clone ready: installs the JavaScript dependencies (with the Node they bring) and builds the addon when
// it is missing or older than its sources. Plain Node without dependencies, because it runs before there are any.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ADDON_FOLDER, platformTriple } from "../lib/native.js";
import { PLUGIN_ID } from "../lib/package-info.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = ["src", "Cargo.toml", "Cargo.lock", "build.rs", "model"];

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Newest modification time below a path, in milliseconds; 0 when there is nothing. @param {string} at @returns {number} */
function newest(at) {
  if (!existsSync(at)) return 0;
  const stat = statSync(at);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(at).map((name) => newest(path.join(at, name))));
}

const installed = path.join(root, "node_modules", ".package-lock.json");
if (newest(installed) < newest(path.join(root, "package-lock.json"))) {
  console.log("Installing the JavaScript dependencies");
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries, which is what npm writes
  // behind a registry mirror that does not carry them. The locked versions are used all the same.
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
}

const binary = path.join(root, ADDON_FOLDER, `${PLUGIN_ID}.${platformTriple()}.node`);
if (newest(binary) < Math.max(...SOURCES.map((name) => newest(path.join(root, name))))) {
  console.log("Building the native addon (some minutes the first time)");
  run("npm", ["run", "--silent", "build"]);
}
