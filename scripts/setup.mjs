// Makes a fresh clone ready: installs the JavaScript dependencies (with the Node they bring), and builds the addon and the
// module that is packed when they are missing or older than their sources. Plain Node without dependencies, because it runs
// before there are any. What it and its programs say goes to standard error: `npm pack` and others keep standard output for
// their answer.
//
// With `--quick` an addon that has to be built is built without PostgreSQL, without what asks embedding servers and without
// what runs models that users bring, and nothing else is made where this Node will do: the JavaScript runs as it stands in
// the tree. That is for a first answer sooner; whatever runs this without it afterwards does the rest.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ADDON_FOLDER, platformTriple } from "../lib/native.js";
import { PLUGIN_ID } from "../lib/package-info.js";
import { compareVersions } from "../lib/versions.js";
import { isPackStale, isStale, newest } from "./ship/stale.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = ["src", "crates", "Cargo.toml", "Cargo.lock", "build.rs", ".cargo", "model", "lib/index.header.d.ts"];

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ["inherit", 2, 2], shell: process.platform === "win32" });
  if (status !== 0) fail(`"${[command, ...args].join(" ")}" failed; the lines above say why`);
}

/** @param {string} reason @returns {never} */
function fail(reason) {
  console.error(`${PLUGIN_ID}: ${reason}`);
  process.exit(1);
}

/** Rust as rustup installs it, also where the shell does not know it. */
function findCargo() {
  const has = () => spawnSync("cargo", ["--version"], { stdio: "ignore", shell: process.platform === "win32" }).status === 0;
  if (has()) return;
  process.env.PATH = [path.join(os.homedir(), ".cargo", "bin"), process.env.PATH].join(path.delimiter);
  if (!has()) fail("the native engine has to be built, which needs Rust: install it from https://rustup.rs, then try again");
}

/** Compiles the addon, as `npm run build` will, while something else is waited for. */
function compileMeanwhile() {
  findCargo();
  const cargo = spawn("cargo", buildArguments, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  process.on("exit", () => cargo.kill());
  return once(cargo, "close");
}

/** Compiles the addon and puts it into its place, by Cargo alone. */
function compileAlone() {
  findCargo();
  console.error(BUILDING);
  const args = [...buildArguments, "--message-format=json-render-diagnostics"];
  const options = { cwd: root, encoding: /** @type {const} */ ("utf8"), maxBuffer: 2 ** 28, shell: process.platform === "win32" };
  const { status, stdout } = spawnSync("cargo", args, { ...options, stdio: ["ignore", "pipe", 2] });
  if (status !== 0) fail('"cargo build" failed; the lines above say why');
  const told = stdout.split("\n").filter((line) => line.startsWith("{"));
  const library = told.map((line) => JSON.parse(line)).find(({ target }) => target?.name === "memory_core_rs");
  if (!library) fail('"cargo build" ended well, but named no library');
  markParts();
  // Under another name first, so that an end in the middle of it leaves nothing that is taken for whole.
  const place = path.join(root, binary);
  copyFileSync(library.filenames[0], `${place}.new`);
  renameSync(`${place}.new`, place);
}

/** Before there is an addon that lacks parts. */
function markParts() {
  mkdirSync(path.dirname(lacksParts), { recursive: true });
  writeFileSync(lacksParts, "");
}

/** Whether the Node that runs this is one that the package runs with. */
function isNodeEnough() {
  const { engines } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  return compareVersions(process.versions.node, engines.node.replace(">=", "")) >= 0;
}

const BUILDING = "Building the native addon (some minutes the first time)";
const binary = `${ADDON_FOLDER}/${PLUGIN_ID}.${platformTriple()}.node`;
const quick = process.argv.includes("--quick");
const features = quick ? ["--no-default-features"] : [];
/** There while the addon is one of `--quick`. */
const lacksParts = path.join(root, ADDON_FOLDER, "lacks-parts");
const buildArguments = ["build", "--profile", "local", "-p", PLUGIN_ID, "--target", "host-tuple", ...features];
const mustBuild = isStale(root, [binary], SOURCES) || (!quick && existsSync(lacksParts));
// For musl the build has flags of its own, which `npm run build` knows.
const isMusl = platformTriple().endsWith("-musl");
if (quick && !isMusl && isNodeEnough()) {
  if (mustBuild) compileAlone();
  process.exit();
}

const installed = path.join(root, "node_modules", ".package-lock.json");
/** @type {Promise<unknown> | undefined} */
let compiling;
if (newest(installed) < newest(path.join(root, "package-lock.json"))) {
  if (mustBuild && !isMusl) compiling = compileMeanwhile();
  console.error("Installing the JavaScript dependencies");
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries, which is what npm writes
  // behind a registry mirror that does not carry them. The locked versions are used all the same.
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
}

// By npm, which knows the Node that the dependencies bring: the bundler needs a newer one than this may be.
if (isPackStale(root)) run("npm", ["run", "--silent", "bundle"]);

if (mustBuild) {
  findCargo();
  console.error(BUILDING);
  // What went wrong is said again, by the build that is waited for.
  await compiling;
  if (quick) markParts();
  run("npm", ["run", "--silent", "build", ...(quick ? ["--", ...features] : [])]);
  if (!quick) rmSync(lacksParts, { force: true });
  if (!existsSync(path.join(root, binary))) fail(`the build ended well, but left no ${path.normalize(binary)}`);
}
