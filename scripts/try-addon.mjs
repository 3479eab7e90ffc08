// Tries the addon of a platform in a Node of that platform, under an emulator where need be, against what this machine's
// own addon answers: a process killed in the middle of the first pass, the index opened again and brought up to date,
// questions by meaning and by words, closing.
//   node scripts/try-addon.mjs node
//   node scripts/try-addon.mjs qemu-aarch64-static -L /usr/aarch64-linux-gnu <folder>/bin/node
// What is tried is the package for offline use with every addon that is here: that of `npm run build`, and those of
// `npm run build:targets`.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compareAnswers } from "./ship/answers.mjs";
import { Stage } from "./ship/stage.mjs";
import { shippedTargets } from "./ship/targets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const face = fileURLToPath(new URL("../__test__/support/face.mjs", import.meta.url));
const command = process.argv.slice(2);
if (command.length === 0) throw new Error("which Node? for example: node scripts/try-addon.mjs node");

/** @param {string[]} node @param {string} phase @param {string} folder */
function run([program, ...args], phase, folder) {
  const started = performance.now();
  const { status, signal, stdout, stderr, error } = spawnSync(program, [...args, face, phase, folder, packed], { encoding: "utf8" });
  if (error) throw error;
  return { status, signal, stdout, stderr, seconds: (performance.now() - started) / 1000 };
}

/** @param {string[]} node */
function tryOut(node) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-try-"));
  try {
    const killed = run(node, "killed", folder);
    // Windows knows no signals, and an emulator may end with a code in their place.
    const isKilled = killed.signal === "SIGKILL" || (killed.status !== 0 && !killed.stderr.includes("Error"));
    if (!isKilled) throw new Error(`the process that was to be killed ended with ${killed.status}: ${killed.stderr}`);
    if (!existsSync(path.join(folder, "state"))) throw new Error("the killed process left no index");
    const answered = run(node, "answers", folder);
    if (answered.status !== 0) throw new Error(`no answers (${answered.signal ?? answered.status}): ${answered.stderr}`);
    return { ...JSON.parse(answered.stdout), seconds: answered.seconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const stage = new Stage(root, mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-package-")));
process.once("exit", () => rmSync(stage.into, { recursive: true, force: true }));
const packed = stage.offline(shippedTargets(root).filter((target) => stage.findAddon(target)));
const [own, theirs] = [[process.execPath], command].map(tryOut);
const faults = compareAnswers(theirs, own);
console.log(
  `${theirs.platform}, Node ${theirs.node}: ${theirs.chunks} chunks (${theirs.found} found after the kill), ${theirs.seconds.toFixed(1)} s`,
);
for (const { question, hits } of theirs.answers)
  console.log(`  ? ${question}  ${hits[0] ? `${hits[0].at}  ${hits[0].score.toFixed(3)}` : "(nothing)"}`);
for (const fault of faults) console.error(`  WRONG: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
else console.log(`  the same as ${own.platform}, Node ${own.node}`);
