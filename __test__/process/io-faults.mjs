// Runs the loop of io-loop.mjs under the library of io-faults.c. Linux with a C compiler only.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildLibrary, Control } from "./fault-control.mjs";

const LOOP = fileURLToPath(new URL("./io-loop.mjs", import.meta.url));

/**
 * @typedef {{life: string, fault: string, rounds?: number, bad?: number, skip?: number, problems?: string[]}} Line Either a
 *   round with problems, or the sum of all rounds of a life and a fault.
 * @param {{stride: number, offset: number}} options Every how many-th write or sync fails, from which on.
 * @returns {AsyncGenerator<Line>}
 */
export async function* ioFaults({ stride, offset }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-io-"));
  try {
    const [home, control] = [path.join(dir, "home"), path.join(dir, "control")];
    await mkdir(home);
    new Control(control).close();
    const env = {
      ...process.env,
      LD_PRELOAD: buildLibrary(dir),
      IO_FAULTS_FOLDER: `${path.join(home, "state")}/`,
      IO_FAULTS_CONTROL: control,
    };
    const options = { env, stdio: /** @type {["ignore", "pipe", "inherit"]} */ (["ignore", "pipe", "inherit"]) };
    const child = spawn(process.execPath, [LOOP, home, control, String(stride), String(offset)], options);
    const ended = once(child, "close");
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
    const [code, signal] = await ended;
    if (code !== 0) throw new Error(`the process with the faults ended with ${signal ?? code}`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
