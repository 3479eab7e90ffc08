// The engine of host 2026.4.12 in a process of its own: its SQLite and ours never meet.

import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installHost } from "../support/install.mjs";

/** The version whose chunks, order and scores `ranking: "memory-core"` reproduces. */
const VERSION = "2026.4.12";

const RUNNER = fileURLToPath(new URL("host-engine.mjs", import.meta.url));

/**
 * @template T
 * @param {string} dir Folder for the job and its answer.
 * @param {string} name
 * @param {unknown} job See host-engine.mjs.
 * @returns {Promise<T>}
 */
export async function askHost(dir, name, job) {
  const host = path.join(await installHost(VERSION), "node_modules", "openclaw");
  const [jobFile, answerFile] = ["job", "answer"].map((kind) => path.join(dir, `${name}.${kind}.json`));
  await writeFile(jobFile, JSON.stringify(job));
  // A clean environment: keys of the user must not reach a provider, and under a test runner the host leaves parts out.
  const env = { PATH: process.env.PATH };
  const child = spawn(process.execPath, [RUNNER, host, jobFile, answerFile], { env, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (data) => {
    log = (log + data).slice(-4000);
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (code !== 0) throw new Error(`the engine of host ${VERSION} ended with ${code}:\n${log}`);
  return JSON.parse(await readFile(answerFile, "utf8"));
}
