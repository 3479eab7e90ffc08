// Installs OpenClaw versions into a cache folder, once each, however many test runs ask for one at the same time.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where hosts are kept: `OPENCLAW_HOSTS_DIR`, else a folder of the user's cache. */
const CACHE = process.env.OPENCLAW_HOSTS_DIR ?? path.join(os.homedir(), ".cache", "openclaw-hosts");

/** Another run may need minutes for its installation; give up after this many seconds. */
const LOCK_SECONDS = 900;

/**
 * The folder that has node_modules/openclaw of a version.
 * @param {string} version
 */
export async function installHost(version) {
  const dir = path.join(CACHE, `openclaw-${version}`);
  const [installed, ready] = [path.join(dir, ".complete"), path.join(dir, ".ready")];
  await mkdir(CACHE, { recursive: true });
  await withLock(`${dir}.lock`, async () => {
    if (!existsSync(installed)) {
      await rm(dir, { recursive: true, force: true });
      await mkdir(dir);
      // Newer versions of linkedom break older hosts.
      await writeFile(path.join(dir, "package.json"), JSON.stringify({ private: true, overrides: { linkedom: "0.18.12" } }));
      const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
      await run("npm", ["install", ...flags, `openclaw@${version}`], { cwd: dir, maxBuffer: 1 << 26 });
      await writeFile(installed, version);
    }
    if (!existsSync(ready)) {
      // Newer hosts finish their installation when they run first, and of two that run first at once one gives up.
      const env = { ...process.env, HOME: dir, OPENCLAW_STATE_DIR: path.join(dir, "state") };
      await run(process.execPath, [path.join(dir, "node_modules/openclaw/openclaw.mjs"), "--version"], { env });
      await writeFile(ready, version);
    }
  });
  return dir;
}

/**
 * Holds a lock file, which names the process that holds it, while work is done.
 * @param {string} lock
 * @param {() => Promise<void>} work
 */
async function withLock(lock, work) {
  for (let waited = 0; ; waited++) {
    try {
      await writeFile(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
      if (waited >= LOCK_SECONDS) throw new Error(`gave up waiting for ${lock}; remove it when no other run installs`);
      // A run that was killed left it.
      if (!isAlive(Number(await readFile(lock, "utf8").catch(() => process.pid)))) await rm(lock, { recursive: true, force: true });
      await pause(1000);
    }
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (!pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH";
  }
}
