// The only file that reads the environment. It must not do anything with the network: the install scan of OpenClaw
// 2026.4.12 refuses packages that do both in one file.

import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** @typedef {Record<string, string | undefined>} Env */

/** Environment variables that hold a key, per embedding provider; the first one set wins. */
const KEY_VARIABLES = /** @type {Record<string, string[]>} */ ({
  openai: ["OPENAI_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  voyage: ["VOYAGE_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  deepinfra: ["DEEPINFRA_API_KEY"],
  "github-copilot": ["COPILOT_GITHUB_TOKEN"],
});

/** @returns {Env} */
export function processEnv() {
  return process.env;
}

/**
 * The key of a provider from the environment.
 * @param {string} provider
 * @param {Env} env
 */
export function providerKeyFromEnv(provider, env) {
  for (const name of KEY_VARIABLES[provider] ?? []) {
    const value = env[name]?.trim();
    if (value) return value;
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
