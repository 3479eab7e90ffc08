// Which platforms are shipped, and whether a built addon is what it is called.

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { ADDON_FOLDER, platformTriple } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { machineFolders, namedFolders, remapArguments } from "../../scripts/ship/remap.mjs";
import { chooseTargets, findFaults, glibcFloor, readMachine, readTriple, shippedTargets, table } from "../../scripts/ship/targets.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const targets = shippedTargets(root);
const gnu = readTriple("x86_64-unknown-linux-gnu");

/** Versions of glibc as the dynamic linker's strings hold them. @param {string[]} versions */
const asking = (...versions) => Buffer.from(`\0memcpy\0${versions.map((version) => `GLIBC_${version}\0`).join("")}`, "latin1");

/** The first bytes of an ELF file for x64. @param {Buffer} rest */
function elf(rest) {
  const head = Buffer.alloc(0x40);
  head.write("\x7fELF", "latin1");
  head.writeUInt16LE(0x3e, 18);
  return Buffer.concat([head, rest, Buffer.from("\0napi_register_module_v1\0")]);
}

test("all eight are known by the names that the loader uses", () => {
  expect(targets.map(({ platform }) => platform).sort()).toEqual([
    "darwin-arm64",
    "darwin-x64",
    "linux-arm64-gnu",
    "linux-arm64-musl",
    "linux-x64-gnu",
    "linux-x64-musl",
    "win32-arm64-msvc",
    "win32-x64-msvc",
  ]);
  expect(targets.map(({ platform }) => platform)).toContain(platformTriple());
  expect(() => readTriple("riscv64gc-unknown-linux-gnu")).toThrow("no platform of ours");
  expect(() => readTriple("x86_64-pc-windows-gnu")).toThrow("no platform of ours");
});

test("targets are chosen by the beginning of triple or platform, and a wrong name is told", () => {
  const names = (/** @type {string[]} */ ...asked) => chooseTargets(targets, asked).map(({ platform }) => platform);
  expect(names()).toHaveLength(8);
  expect(names("linux-arm64")).toEqual(["linux-arm64-gnu", "linux-arm64-musl"]);
  expect(names("aarch64-apple", "win32-x64")).toEqual(["darwin-arm64", "win32-x64-msvc"]);
  expect(() => names("linux-x64", "beos")).toThrow("no target is called beos; there are linux-x64-gnu");
});

describe("a built addon", () => {
  test("asks for the newest glibc among its symbols", () => {
    expect(glibcFloor(asking("2.2.5", "2.17", "2.9"))).toBe("2.17");
    expect(glibcFloor(Buffer.from("a text about GLIBC_2.99 is no symbol"))).toBeUndefined();
  });

  test("is refused when it asks for more than Debian 10 has", () => {
    expect(findFaults(gnu, elf(asking("2.17", "2.28")))).toEqual([]);
    expect(findFaults(gnu, elf(asking("2.34")))).toEqual(["it needs glibc 2.34"]);
  });

  test("is refused when it is for another C library, system or processor, or no addon at all", () => {
    expect(findFaults(readTriple("x86_64-unknown-linux-musl"), elf(asking("2.17")))).toEqual(["it asks for glibc 2.17"]);
    expect(findFaults(gnu, elf(Buffer.alloc(8)))).toEqual(["it does not ask for glibc"]);
    expect(findFaults(readTriple("aarch64-unknown-linux-gnu"), elf(asking("2.17")))).toEqual(["it is for linux x64, not for linux arm64"]);
    expect(findFaults(gnu, Buffer.from("a web page"))).toContain("it is for no known machine, not for linux x64");
  });

  test("says itself which machine it is for", () => {
    const mach = Buffer.alloc(0x40);
    mach.writeUInt32LE(0xfeedfacf, 0);
    mach.writeUInt32LE(0x0100000c, 4);
    expect(readMachine(mach)).toBe("darwin arm64");
    const pe = Buffer.alloc(0x60);
    pe.write("MZ", "latin1");
    pe.writeUInt32LE(0x50, 0x3c);
    pe.write("PE\0\0", 0x50, "latin1");
    pe.writeUInt16LE(0x8664, 0x54);
    expect(readMachine(pe)).toBe("win32 x64");
    expect(readMachine(pe.subarray(0, 0x50))).toBeUndefined();
    const own = readFileSync(path.join(root, ADDON_FOLDER, `${PLUGIN_ID}.${platformTriple()}.node`));
    expect(readMachine(own)).toBe(`${process.platform} ${process.arch}`);
  });
});

test("what came of targets stands in columns", () => {
  const arm = readTriple("aarch64-apple-darwin");
  expect(
    table([
      { target: gnu, result: "built", size: 12_340_000, glibc: "2.28" },
      { target: arm, result: "checked" },
    ]),
  ).toBe(["platform       result   size     glibc from", "linux-x64-gnu  built    12.3 MB  2.28", "darwin-arm64   checked"].join("\n"));
});

describe("what is shipped names no folder of the machine that built it", () => {
  const folders = machineFolders("/home/me/clone", { CARGO_HOME: "/home/me/.cargo" });

  test("the folders are those of the sources, of dependencies and of what is built, the narrower ones last", () => {
    expect(folders).toEqual([
      [path.resolve("/home/me/clone"), "memory-core-rs"],
      [path.resolve("/home/me/.cargo"), "cargo"],
      [path.resolve("/home/me/clone/target"), "target"],
    ]);
  });

  test("Cargo gets them as rustflags of the target alone, which TOML can read", () => {
    const [option, value] = remapArguments(gnu.triple, [["/a \\ b", "cargo"]]);
    expect(option).toBe("--config");
    expect(parse(value)).toEqual({
      target: { [gnu.triple]: { rustflags: ["--remap-path-prefix=/a \\ b=/cargo"] } },
    });
  });

  test("one that is named all the same is found", () => {
    const named = path.resolve("/home/me/.cargo");
    expect(namedFolders(elf(Buffer.from(`${named}${path.sep}registry`)), folders)).toEqual([named]);
    expect(namedFolders(elf(Buffer.from("/cargo/registry")), folders)).toEqual([]);
  });
});
