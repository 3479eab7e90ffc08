// Builds the library that makes writes fail, and talks to it through its control file.

import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("./io-faults.c", import.meta.url));

/** Which calls fail. */
export const WRITES = 1;
const SYNCS = 2;
const TRUNCATIONS = 4;

/** Instead of an errno: only a part is written. */
const SHORT_WRITE = -1;

const FIELDS = ["kinds", "skip", "times", "error", "failed"];

/**
 * @typedef {{name: string, kinds: number, error: number, times: number, isHarmless?: boolean}} Fault `times` in a row;
 *   a harmless one must not be noticed by anybody.
 */

const { EIO, ENOSPC, EINTR } = constants.errno;
const FOREVER = 2 ** 30;

/** @type {Fault[]} */
export const FAULTS = [
  { name: "a write fails (EIO)", kinds: WRITES, error: EIO, times: 1 },
  { name: "the disk is full from then on (ENOSPC)", kinds: WRITES | TRUNCATIONS, error: ENOSPC, times: FOREVER },
  { name: "a sync fails (EIO)", kinds: SYNCS, error: EIO, times: 1 },
  { name: "no sync works from then on (EIO)", kinds: SYNCS, error: EIO, times: FOREVER },
  { name: "a truncation fails (EIO)", kinds: TRUNCATIONS, error: EIO, times: 1 },
  { name: "a write is short", kinds: WRITES, error: SHORT_WRITE, times: 1, isHarmless: true },
  { name: "a write is interrupted (EINTR)", kinds: WRITES, error: EINTR, times: 1, isHarmless: true },
];

/** Compiles the library into a folder. @param {string} folder */
export function buildLibrary(folder) {
  const library = path.join(folder, "io-faults.so");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], { stdio: "inherit" });
  return library;
}

/** The control file of a process, whether made already or not. */
export class Control {
  #file;

  /** @param {string} file */
  constructor(file) {
    this.#file = openSync(file, "a+");
    closeSync(this.#file);
    this.#file = openSync(file, "r+");
    this.disarm();
  }

  /** @param {Record<string, number>} values */
  #write(values) {
    const fields = Int32Array.from(FIELDS, (name) => values[name] ?? 0);
    writeSync(this.#file, new Uint8Array(fields.buffer), 0, fields.byteLength, 0);
  }

  /** Lets a call fail after so many that succeed. @param {Fault} fault @param {number} skip */
  arm({ kinds, error, times }, skip) {
    this.#write({ kinds, skip, times, error });
  }

  /** Ends all failures; gives their number. */
  disarm() {
    const fields = new Int32Array(FIELDS.length);
    readSync(this.#file, new Uint8Array(fields.buffer), 0, fields.byteLength, 0);
    this.#write({});
    return fields[FIELDS.indexOf("failed")];
  }

  close() {
    closeSync(this.#file);
  }
}
