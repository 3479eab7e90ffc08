// The platforms that are shipped: what each is called, how its addon is made on this machine, and what a binary says of
// itself.

import { readFileSync } from "node:fs";
import { compareVersions } from "../../lib/versions.js";

/**
 * @typedef {object} Target
 * @property {string} triple As Rust calls it.
 * @property {string} platform As npm packages and the addon's file names call it.
 * @property {string} os
 * @property {string} cpu
 * @property {"glibc" | "musl" | undefined} libc
 *
 * @typedef {object} Row What came of a target.
 * @property {Target} target
 * @property {string} result
 * @property {number} [size] In bytes.
 * @property {string} [glibc] The oldest one that it runs with.
 */

/** Oldest C library that the glibc binaries run with: Debian 10, RHEL 8. */
export const GLIBC_FLOOR = "2.28";

const CPU = new Map([
  ["x86_64", "x64"],
  ["aarch64", "arm64"],
]);

/**
 * A target by its triple; throws for one that is not shipped anywhere.
 * @param {string} triple
 * @returns {Target}
 */
export function readTriple(triple) {
  const [arch, , system, abi] = triple.split("-");
  const cpu = CPU.get(arch);
  if (cpu && system === "linux" && abi === "gnu") return { triple, platform: `linux-${cpu}-gnu`, os: "linux", cpu, libc: "glibc" };
  if (cpu && system === "linux" && abi === "musl") return { triple, platform: `linux-${cpu}-musl`, os: "linux", cpu, libc: "musl" };
  if (cpu && system === "darwin") return { triple, platform: `darwin-${cpu}`, os: "darwin", cpu, libc: undefined };
  if (cpu && system === "windows" && abi === "msvc") return { triple, platform: `win32-${cpu}-msvc`, os: "win32", cpu, libc: undefined };
  throw new Error(`${triple} is no platform of ours`);
}

/**
 * The targets that were asked for, by triple, by platform or by the beginning of either; all of them for none.
 * @param {Target[]} targets
 * @param {string[]} asked
 * @returns {Target[]}
 */
export function chooseTargets(targets, asked) {
  for (const name of asked) {
    if (!targets.some((target) => isCalled(target, name))) {
      throw new Error(`no target is called ${name}; there are ${targets.map(({ platform }) => platform).join(", ")}`);
    }
  }
  return targets.filter((target) => asked.length === 0 || asked.some((name) => isCalled(target, name)));
}

/** @param {Target} target @param {string} name */
const isCalled = ({ triple, platform }, name) => triple.startsWith(name) || platform.startsWith(name);

/** The file that Cargo leaves for a target. @param {Target} target */
export function libraryName({ os }) {
  return { linux: "libmemory_core_rs.so", darwin: "libmemory_core_rs.dylib", win32: "memory_core_rs.dll" }[os] ?? "";
}

/**
 * Newest version of glibc that a binary asks for; undefined when it asks for none.
 * @param {Buffer} binary
 * @returns {string | undefined}
 */
export function glibcFloor(binary) {
  // Names of versions stand between zeros in the table of the dynamic linker's strings.
  const names = [...binary.toString("latin1").matchAll(/\0GLIBC_(\d+(?:\.\d+)+)(?=\0)/g)].map(([, version]) => version);
  return names.sort(compareVersions).at(-1);
}

/**
 * What is wrong with a built addon; empty when nothing is.
 * @param {Target} target
 * @param {Buffer} binary
 * @returns {string[]}
 */
export function findFaults(target, binary) {
  const faults = [];
  const machine = readMachine(binary);
  const wanted = `${target.os} ${target.cpu}`;
  if (machine !== wanted) faults.push(`it is for ${machine ?? "no known machine"}, not for ${wanted}`);
  const floor = glibcFloor(binary);
  if (target.libc === "glibc" && floor === undefined) faults.push("it does not ask for glibc");
  if (target.libc === "glibc" && floor && compareVersions(floor, GLIBC_FLOOR) > 0) faults.push(`it needs glibc ${floor}`);
  if (target.libc !== "glibc" && floor !== undefined) faults.push(`it asks for glibc ${floor}`);
  if (!binary.includes("napi_register_module_v1")) faults.push("it exports no napi_register_module_v1");
  return faults;
}

const ELF_MACHINES = new Map([
  [0x3e, "linux x64"],
  [0xb7, "linux arm64"],
]);
const PE_MACHINES = new Map([
  [0x8664, "win32 x64"],
  [0xaa64, "win32 arm64"],
]);
const MACH_MACHINES = new Map([
  [0x01000007, "darwin x64"],
  [0x0100000c, "darwin arm64"],
]);

/** System and processor that a binary is for, by its first bytes. @param {Buffer} binary @returns {string | undefined} */
export function readMachine(binary) {
  if (binary.length < 0x40) return undefined;
  if (binary.readUInt32BE(0) === 0x7f454c46) return ELF_MACHINES.get(binary.readUInt16LE(18));
  if (binary.readUInt32LE(0) === 0xfeedfacf) return MACH_MACHINES.get(binary.readUInt32LE(4));
  if (binary.toString("latin1", 0, 2) !== "MZ") return undefined;
  const header = binary.readUInt32LE(0x3c);
  const isWhole = header + 6 <= binary.length && binary.toString("latin1", header, header + 4) === "PE\0\0";
  return isWhole ? PE_MACHINES.get(binary.readUInt16LE(header + 4)) : undefined;
}

/** The shipped targets. @param {string} root Where package.json lies. @returns {Target[]} */
export function shippedTargets(root) {
  return JSON.parse(readFileSync(`${root}/package.json`, "utf8")).napi.targets.map(readTriple);
}

/** What came of targets, for people. @param {Row[]} rows */
export function table(rows) {
  const lines = rows.map(({ target, result, size, glibc }) => {
    return [target.platform, result, size === undefined ? "" : `${(size / 1e6).toFixed(1)} MB`, glibc ?? ""];
  });
  const all = [["platform", "result", "size", "glibc from"], ...lines];
  const widths = all[0].map((_, column) => Math.max(...all.map((line) => line[column].length)));
  const padded = all.map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join("  "));
  return padded.map((line) => line.trimEnd()).join("\n");
}
