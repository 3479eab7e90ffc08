// Processes that end in the middle of work: none hangs, none crashes (T12).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cycles } from "../kill/cycles.mjs";
import { makeWorkspace } from "./workspace.mjs";

const CHILD = fileURLToPath(new URL("../kill/exit-child.mjs", import.meta.url));
/** Longest life of such a process on a busy machine, in milliseconds. */
const LONGEST_MS = 45_000;

test.each([
  ["the end of the program", 0, null],
  ["closing", 0, null],
  ["closing and process.exit", 0, null],
  ["process.exit", 0, null],
  ["an exception", 1, null],
  ["a signal", null, "SIGTERM"],
  ["worker threads", 0, null],
])("%s ends a process that is indexing", { timeout: 2 * LONGEST_MS }, async (way, code, signal) => {
  const home = await makeWorkspace();
  await mkdir(path.join(home.workspace, "memory"), { recursive: true });
  for (let n = 0; n < 300; n++) await writeFile(path.join(home.workspace, "memory", `${n}.md`), `- Note ${n}\n`.repeat(40));
  const child = spawn(process.execPath, [CHILD, JSON.stringify(home.request), way], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (output += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const [ended, killedBy] = await once(child, "close");
  clearTimeout(timer);
  expect({ ended, killedBy, output: way === "an exception" ? "" : output }).toEqual({ ended: code, killedBy: signal, output: "" });
});

// `npm run cycles` does it 1,000 and 200 times.
test.each([
  ["managers that are opened and closed", "managers", 120],
  ["worker threads that end after their work or in the middle of it", "workers", 16],
])("%s leave nothing behind", { timeout: 2 * LONGEST_MS }, async (_, what, times) => {
  const { problems } = await cycles({ what: /** @type {"managers" | "workers"} */ (what), times });
  expect(problems).toEqual([]);
});
