// Processes that are killed at some moment of their work, on a home of plain folders.

import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryIndexManager } from "../../index.js";

/** @param {string} dir */
export const placesOf = (dir) => ({ workspace: path.join(dir, "workspace"), stateDir: path.join(dir, "state") });

/** The memory of such a home, by words. @param {string} dir */
export async function opened(dir) {
  const { workspace, stateDir } = placesOf(dir);
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
  const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: {}, purpose: "cli" });
  if (!manager) throw new Error("memory search is off");
  return manager;
}

/**
 * Runs a program that says when it begins; it is killed so many milliseconds after that, or left alone.
 * @param {string} program
 * @param {string[]} words
 * @param {number} [afterMs]
 * @returns {Promise<{tookMs: number, killed: boolean}>}
 */
export async function runKilled(program, words, afterMs) {
  const child = fork(program, words, { stdio: "ignore" });
  const exit = once(child, "exit");
  await once(child, "message");
  const begun = performance.now();
  if (afterMs !== undefined) await Promise.race([pause(afterMs), exit]);
  const killed = afterMs !== undefined && child.kill("SIGKILL");
  await exit;
  return { tookMs: performance.now() - begun, killed };
}
