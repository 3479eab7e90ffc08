// Makes the addon for the platforms it is shipped for, as far as this machine can, and says how far that was.
//   npm run build:targets                        all of them
//   npm run build:targets -- aarch64 linux-x64   those whose triple or platform begins so
//   --fast    without link-time optimisation: for trying, not for shipping
//   --check   only what the compiler says
//
// Linux is built with zig as C compiler and linker (pip install cargo-zigbuild ziglang), against the oldest glibc that is
// supported. macOS and Windows need their vendor's SDK, so elsewhere their code is only checked; the release workflow
// builds them on machines of their own. What is built lies in npm/<platform>/.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ADDON_FOLDER } from "../lib/native.js";
import { PLUGIN_ID } from "../lib/package-info.js";
import { machineFolders, namedFolders, remapArguments } from "./ship/remap.mjs";
import { chooseTargets, findFaults, GLIBC_FLOOR, glibcFloor, libraryName, shippedTargets, table } from "./ship/targets.mjs";

/** @typedef {import("./ship/targets.mjs").Target} Target */
/** @typedef {import("./ship/targets.mjs").Row} Row */

const root = fileURLToPath(new URL("..", import.meta.url));
const FAST = { CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16", CARGO_PROFILE_RELEASE_OPT_LEVEL: "1" };

/** @param {string} command @param {string[]} args */
const works = (command, args) => spawnSync(command, args, { stdio: "ignore" }).status === 0;
/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} env */
const runs = (command, args, env) => spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], env }).status === 0;

/** Python that has zig, if any. @returns {string | undefined} */
const findZig = () => ["python3", "python"].find((python) => works(python, ["-m", "ziglang", "version"]));

/** Whether Rust's own library for the target is here, or could be had. @param {string} triple */
function hasStandardLibrary(triple) {
  const { stdout } = spawnSync("rustc", ["--print", "target-libdir", "--target", triple], { encoding: "utf8" });
  return existsSync(stdout.trim()) || works("rustup", ["target", "add", triple]);
}

/** Where the addon for a platform lies. @param {Target} target */
const addonOf = ({ platform }) => path.join(root, "npm", platform, ADDON_FOLDER, `${PLUGIN_ID}.${platform}.node`);

/**
 * @param {Target} target
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} withZig
 * @returns {Row}
 */
function build(target, env, withZig) {
  const wanted = withZig && target.libc === "glibc" ? `${target.triple}.${GLIBC_FLOOR}` : target.triple;
  const folders = machineFolders(root, env);
  const options = ["--locked", "--release", "-p", PLUGIN_ID, "--target", wanted, ...remapArguments(target.triple, folders)];
  if (!runs("cargo", [withZig ? "zigbuild" : "build", ...options], env)) return { target, result: "the build failed" };
  const built = path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target", target.triple, "release", libraryName(target));
  const binary = readFileSync(built);
  // What the linkers of other systems write of their own has not been seen yet.
  const named = target.os === "linux" ? namedFolders(binary, folders) : [];
  const faults = [...findFaults(target, binary), ...named.map((folder) => `it names ${folder}`)];
  if (faults.length > 0) return { target, result: `built, but ${faults.join(" and ")}` };
  const file = addonOf(target);
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(built, file);
  return { target, result: "built", size: binary.length, glibc: glibcFloor(binary) };
}

/** C compiler and archiver for the check of a Windows target, where there is no Visual C++. @param {Target} target @param {string} zig */
function windowsTools({ triple }, zig) {
  const folder = path.join(root, "target", "windows-cc", triple);
  mkdirSync(folder, { recursive: true });
  const script = fileURLToPath(new URL("./ship/windows-cc.mjs", import.meta.url));
  const tools = {
    clang: `exec "${process.execPath}" "${script}" ${zig} ${triple.replace("-pc-windows-msvc", "-windows-gnu")} "$@"`,
    "llvm-ar": `exec ${zig} -m ziglang ar "$@"`,
  };
  for (const [name, line] of Object.entries(tools)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${line}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  const suffix = triple.replaceAll("-", "_");
  return { [`CC_${suffix}`]: path.join(folder, "clang"), [`AR_${suffix}`]: path.join(folder, "llvm-ar") };
}

/** @param {Target} target @param {NodeJS.ProcessEnv} env @param {string | undefined} zig @returns {Row} */
function check(target, env, zig) {
  const isWindows = target.os === "win32";
  if (!zig && process.platform !== target.os) return { target, result: "not checked: no C compiler for it (pip install ziglang)" };
  const tools = zig && isWindows && process.platform !== "win32" ? windowsTools(target, zig) : {};
  const program = zig && !isWindows ? "cargo-zigbuild" : "cargo";
  const passed = runs(program, ["check", "--locked", "-p", PLUGIN_ID, "--target", target.triple], { ...env, ...tools });
  return { target, result: passed ? "checked" : "the check failed" };
}

/** @param {Target} target @param {NodeJS.ProcessEnv} env @param {string | undefined} zig @param {boolean} onlyCheck @returns {Row} */
function make(target, env, zig, onlyCheck) {
  if (!hasStandardLibrary(target.triple)) return { target, result: `not here: "rustup target add ${target.triple}" failed` };
  if (onlyCheck) return check(target, env, zig);
  const isOwn = process.platform === target.os;
  if (target.os === "linux" && zig && works("cargo", ["zigbuild", "--help"])) return build(target, env, true);
  if (isOwn && target.os !== "linux") return build(target, env, false);
  if (target.os === "linux") return { target, result: "not built: needs cargo-zigbuild (pip install cargo-zigbuild ziglang)" };
  return check(target, env, zig);
}

// Nothing waits for this.
os.setPriority(10);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { fast: { type: "boolean" }, check: { type: "boolean" } } });
const zig = findZig();
const env = { ...process.env, ...(values.fast ? FAST : {}) };
const rows = chooseTargets(shippedTargets(root), positionals).map((target) => {
  console.error(`\n== ${target.platform} (${new Date().toTimeString().slice(0, 8)})`);
  return make(target, env, zig, values.check ?? false);
});
console.log(table(rows));
if (rows.some(({ result }) => !/^(?:built|checked)$/.test(result))) process.exitCode = 1;
