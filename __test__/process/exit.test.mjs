// Processes that end in the middle of work: none hangs, none crashes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.mjs";
import { cycles } from "./cycles.mjs";

const CHILD = fileURLToPath(new URL("./exit-child.mjs", import.meta.url));
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

// A command of one turn ended while another process held the file, and its turn was lost.
test.skipIf(process.platform !== "linux")("a turn is recorded by a process that ends while another holds the file", async () => {
  const home = await makeWorkspace();
  const file = path.join(home.stateDir, "memory", "short-term.jsonl");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "");
  const holder = spawn("flock", [file, "sh", "-c", "echo held; sleep 1"], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  const turn = `
    import { captureTurn } from ${JSON.stringify(new URL("../../plugin/hooks/capture.js", import.meta.url))};
    const cfg = { plugins: { entries: { "memory-core-rs": { config: { shortTerm: { enabled: true } } } } } };
    const host = { config: () => cfg, stateDir: () => ${JSON.stringify(home.stateDir)}, logger: console };
    const messages = [{ role: "user", content: "I like tea" }, { role: "assistant", content: "Fine." }];
    captureTurn({ host }, { success: true, messages }, { agentId: "main", sessionKey: "agent:main:main", trigger: "user" });
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", turn], { stdio: "inherit" });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ turn: 1, input: "I like tea" });
});

// A gateway of 2026.9.6 that took over eleven changes of settings warned of a leak of listeners.
test("copies of the plugin in one process wait for its end once", async () => {
  const home = await makeWorkspace();
  const cfg = { plugins: { entries: { "memory-core-rs": { config: { shortTerm: { enabled: true } } } } } };
  const host = { config: () => cfg, stateDir: () => home.stateDir, logger: console };
  const messages = [
    { role: "user", content: "I like tea" },
    { role: "assistant", content: "Fine." },
  ];
  const listeners = [];
  for (const copy of [1, 2, 3]) {
    const { captureTurn } = await import(new URL(`../../plugin/hooks/capture.js?copy=${copy}`, import.meta.url).href);
    await captureTurn({ host }, { success: true, messages }, { agentId: "main", sessionKey: "agent:main:main", trigger: "user" });
    listeners.push(process.listenerCount("exit"));
  }
  const file = path.join(home.stateDir, "memory", "short-term.jsonl");
  expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(3);
  expect(listeners).toEqual([listeners[0], listeners[0], listeners[0]]);
});

// `npm run cycles` does it 1,000 and 200 times.
test.each([
  ["managers that are opened and closed", "managers", 120],
  ["worker threads that end after their work or in the middle of it", "workers", 16],
])("%s leave nothing behind", { timeout: 2 * LONGEST_MS }, async (_, what, times) => {
  const { problems } = await cycles({ what: /** @type {"managers" | "workers"} */ (what), times });
  expect(problems).toEqual([]);
});
