// Loads the native addon: late, once per process, and without starting another program.
//
// A package that is installed anew while a gateway runs is loaded beside the one before (plugin/loader.js), and libraries may
// be loaded from several places. Each copy of the .node file would be a separate library with its own SQLite, and two SQLite
// libraries on one database file break its locks. The first that is asked therefore leaves its exports on globalThis, and all
// later ones of its version use those.

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { devNull } from "node:os";
import { codedError, errorCode } from "./errors.js";
import { PACKAGE_VERSION, PLUGIN_ID } from "./package-info.js";
import { largeFilePlaces } from "./package-root.js";

/** @typedef {import("../index.d.ts").NativeBinding} NativeBinding */

const SLOT = Symbol.for(`${PLUGIN_ID}/native@${PACKAGE_VERSION}`);

/** Below the root of whichever package has it; hosts leave folders called node_modules out of their copies (model/README.md). */
export const ADDON_FOLDER = "native/node_modules";

/** Platform, architecture and C library in the order of the binaries' file names. */
export function platformTriple() {
  const { platform, arch } = process;
  if (platform === "linux") return `linux-${arch}-${usesMusl() ? "musl" : "gnu"}`;
  if (platform === "win32") return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

/** What the loader that a program names for itself is called, for either C library; it stands behind the program's headers. */
const LOADERS = { musl: "/ld-musl-", gnu: "/ld-linux" };
const HEADERS_BYTES = 4096;

/** Whether this Node was linked against musl. */
function usesMusl() {
  const headers = startOf(process.execPath, HEADERS_BYTES);
  for (const [library, loader] of Object.entries(LOADERS)) if (headers.includes(loader)) return library === "musl";
  return !reportsGlibc();
}

/** The first bytes of a file; none where it cannot be read. @param {string} file @param {number} length */
function startOf(file, length) {
  const bytes = Buffer.alloc(length);
  try {
    const descriptor = openSync(file, "r");
    try {
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** What only builds with glibc say of themselves. To make the whole report takes twice as long as to load the addon. */
function reportsGlibc() {
  const report = /** @type {NodeJS.ProcessReport & {excludeNetwork: boolean}} */ (process.report);
  if (!report) return true;
  // Looking up the peers of open sockets can take seconds and is not needed here.
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  try {
    const { header } = /** @type {{header: {glibcVersionRuntime?: string}}} */ (report.getReport());
    return header.glibcVersionRuntime !== undefined;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

/**
 * The native exports, loaded at the first call.
 * @returns {NativeBinding}
 */
export function native() {
  const shared = /** @type {Record<symbol, NativeBinding | undefined>} */ (/** @type {unknown} */ (globalThis));
  shared[SLOT] ??= load();
  return /** @type {NativeBinding} */ (shared[SLOT]);
}

/** Whether this package, however it was loaded, has already loaded the addon. */
export function isNativeLoaded() {
  return SLOT in globalThis;
}

/** Files that the engine opens to start its threads; when it cannot, it ends the process. */
const FILES_TO_START = 12;

/** Refuses to start the engine where not enough files can be opened. */
function checkDescriptors() {
  /** @type {number[]} */
  const held = [];
  try {
    while (held.length < FILES_TO_START) held.push(openSync(devNull, "r"));
  } catch (cause) {
    // Where there is no such file nothing is known.
    if (!["EMFILE", "ENFILE"].includes(errorCode(cause) ?? "")) return;
    throw codedError("MEM_IO", "too many open files: the memory engine cannot be started", {
      remedy: "Raise the limit of open files (ulimit -n), or end what holds so many, then try again",
      cause,
    });
  } finally {
    for (const file of held) closeSync(file);
  }
}

/** @returns {NativeBinding} */
function load() {
  checkDescriptors();
  const triple = platformTriple();
  const places = largeFilePlaces(`${ADDON_FOLDER}/${PLUGIN_ID}.${triple}.node`, `${PLUGIN_ID}-${triple}`);
  const file = places.find((candidate) => existsSync(candidate));
  try {
    if (!file) throw new Error(`the package ${PLUGIN_ID}-${triple} is not installed`);
    const module = { exports: /** @type {NativeBinding} */ ({}) };
    process.dlopen(module, file);
    return module.exports;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n", 1)[0] : String(cause);
    throw codedError("MEM_NATIVE_MISSING", `${PLUGIN_ID} has no native engine that works on ${triple}: ${reason}`, {
      remedy:
        `Reinstall the plugin with "openclaw plugins install ${PLUGIN_ID}", install the package ${PLUGIN_ID}-${triple}, ` +
        `or build it here with "npm run build"`,
      cause,
    });
  }
}
