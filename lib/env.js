// The only file that reads the environment. It must not do anything with the network: the install scan of OpenClaw
// 2026.4.12 refuses packages that do both in one file.

import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** @typedef {Record<string, string | undefined>} Env */

/** @returns {Env} */
export function processEnv() {
  return process.env;
}

/**
 * The first variable that is set, and its value.
 * @param {string[]} names
 * @param {Env} env
 */
export function firstSet(names, env) {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}

/**
 * The user's home directory as the host sees it.
 * @param {Env} env
 */
export function homeDir(env) {
  return env.OPENCLAW_HOME?.trim() || env.HOME?.trim() || env.USERPROFILE?.trim() || os.homedir();
}

/**
 * The host's state directory: `OPENCLAW_STATE_DIR`, else `~/.openclaw`, else the one of its former name if only that exists.
 * @param {Env} env
 */
export function stateDir(env) {
  const home = homeDir(env);
  const configured = env.OPENCLAW_STATE_DIR?.trim();
  if (configured) {
    return path.resolve(configured === "~" || configured.startsWith("~/") ? path.join(home, configured.slice(1)) : configured);
  }
  const current = path.join(home, ".openclaw");
  const former = path.join(home, ".clawdbot");
  return !existsSync(current) && existsSync(former) ? former : current;
}
