// Opening and closing again and again, in a process of its own: what it holds must not grow.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./cycle-child.mjs", import.meta.url));
const NOTES = 100;
/** Growth from the sample after half of the time to the last one that counts as flat. */
const FLAT = { rssMiB: 12, fds: 2, threads: 2, handles: 2 };

/**
 * @typedef {{done: number, rssMiB: number, fds: number, threads: number, handles: number}} Sample
 * @param {{what: "managers" | "workers", times: number}} options
 * @returns {Promise<{samples: Sample[], problems: string[]}>} `problems` is empty when nothing grew and nothing failed.
 */
export async function cycles({ what, times }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-cycles-"));
  try {
    const workspace = path.join(dir, "workspace");
    await mkdir(path.join(workspace, "memory"), { recursive: true });
    for (let n = 0; n < NOTES; n++) await writeFile(path.join(workspace, "memory", `${n}.md`), `- Note ${n}\n`.repeat(40));
    const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
    const request = { cfg, agentId: "main", stateDir: path.join(dir, "state"), env: {}, modelPaths: [] };
    const args = ["--expose-gc", CHILD, JSON.stringify(request), what, String(times), String(Math.ceil(times / 10))];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    const [code, signal] = await once(child, "close");
    /** @type {Sample[]} */
    const samples = output
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const problems = code === 0 && errors === "" ? [] : [`the process ended with ${code ?? signal}: ${errors}`];
    return { samples, problems: [...problems, ...growth(samples)] };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** @param {Sample[]} samples */
function growth(samples) {
  const [half, last] = [samples[Math.floor(samples.length / 2)], samples.at(-1)];
  if (!half || !last) return ["there are no samples"];
  const names = /** @type {(keyof typeof FLAT)[]} */ (Object.keys(FLAT));
  const grown = names.filter((name) => last[name] - half[name] > FLAT[name]);
  return grown.map((name) => `${name} grew from ${half[name]} after ${half.done} times to ${last[name]} after ${last.done}`);
}
