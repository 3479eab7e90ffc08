// Processes that a host is made of: how they end, what they said, and ports for them.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import net from "node:net";

/** Time limit of one command in milliseconds; a busy machine needs some. */
export const COMMAND_MS = 420_000;

/** Ports for gateways: below those that systems give to clients, where another program could take one meanwhile. */
const PORTS = { first: 20_000, count: 12_000 };

/** @typedef {{code: number | null, stdout: string, stderr: string, output: string}} Outcome */

/**
 * Ends a process with all that it has started.
 * @param {import("node:child_process").ChildProcess} child
 */
export function killGroup(child) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

/**
 * What a process said, and how it ended.
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<Outcome>}
 */
export async function outcomeOf(child) {
  const timer = setTimeout(() => killGroup(child), COMMAND_MS);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code, stdout, stderr, output: stdout + stderr };
}

/**
 * A port that nobody listens at.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const server = net.createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
