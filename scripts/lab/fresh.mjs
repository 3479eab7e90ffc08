// A user's first minutes on a machine that has nothing but Node: all packages are published to a registry on the loopback,
// OpenClaw and the plugin are installed by their names, and `openclaw memory setup` answers its three questions. Needs root,
// debootstrap and a network; see scripts/ship/machine.mjs.
//
//   npm run lab -- fresh [--host 2026.9.6] [--release bookworm] [--cpu x64] [--root <folder>] [--copied]
//
// --root    where the machine's files are, or are to be; they stay there. Without it they go when the run ends.
// --copied  OpenClaw is installed from outside, or there already: many minutes less for a processor that is emulated
// Addons come from `npm run build:targets` or the build for this machine; platforms that have none are published empty.

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { LoopbackRegistry, publishAll } from "../ship/loopback.mjs";
import { Machine } from "../ship/machine.mjs";
import { platformPackage } from "../ship/packages.mjs";
import { Stage } from "../ship/stage.mjs";
import { shippedTargets } from "../ship/targets.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const { values: args } = parseArgs({
  options: {
    host: { type: "string", default: "2026.9.6" },
    release: { type: "string", default: "bookworm" },
    cpu: { type: "string", default: process.arch },
    root: { type: "string" },
    copied: { type: "boolean" },
  },
});
const QUESTION = "when do I put out the trash";
const QUESTIONS = 3;
const targets = shippedTargets(root);
const own = targets.find(({ os: system, cpu, libc }) => system === "linux" && cpu === args.cpu && libc === "glibc");
if (!own) throw new Error(`no processor of ours is called ${args.cpu}`);

const folder = mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-fresh-"));
const { stdout: upstream } = await run("npm", ["config", "get", "registry"]);
const registry = new LoopbackRegistry(upstream.trim());
/** @type {string[]} */
const faults = [];
try {
  await registry.start();
  await publish();
  const machine = await prepared(path.resolve(args.root ?? path.join(folder, "root")));
  await firstMinutes(machine);
} finally {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.error(`WRONG: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

async function publish() {
  const stage = new Stage(root, path.join(folder, "packages"));
  if (!own || !stage.findAddon(own)) throw new Error(`there is no addon for it: npm run build:targets -- linux-${args.cpu}-gnu`);
  const empty = await publishAll(stage, targets, registry);
  console.log(
    `published ${targets.length + 2} packages; without an addon here: ${empty.map(({ platform }) => platform).join(", ") || "none"}`,
  );
}

/** The machine with Node and npm, which ask our registry. @param {string} at */
async function prepared(at) {
  const cpu = /** @type {string} */ (args.cpu);
  const machine = existsSync(path.join(at, "usr"))
    ? new Machine(at, cpu)
    : await Machine.debian(at, cpu, /** @type {string} */ (args.release));
  if (!existsSync(path.join(at, "usr/local/bin/npm"))) await machine.addNode("24");
  writeFileSync(path.join(at, "root/.npmrc"), `registry=${registry.url}/\naudit=false\nfund=false\nupdate-notifier=false\n`);
  // Of a machine that was kept: what an earlier run left would hide what is fetched.
  for (const left of [".openclaw", ".npm"]) rmSync(path.join(at, "root", left), { recursive: true, force: true });
  cpSync(path.join(root, "examples/workspace"), path.join(at, "root/.openclaw/workspace"), { recursive: true });
  const compilers = await machine.compilers();
  if (compilers.length > 0) faults.push(`the machine has ${compilers.join(", ")}`);
  await said(machine, [
    "sh",
    "-c",
    '. /etc/os-release; echo "$PRETTY_NAME, $(ldd --version | head -1), Node $(node --version) for $(node -p process.arch)"',
  ]);
  if (args.copied && !existsSync(path.join(at, "usr/local/bin/openclaw"))) await copyHost(at, cpu);
  return machine;
}

/** Installs OpenClaw for the machine without running anything of it. @param {string} at @param {string} cpu */
async function copyHost(at, cpu) {
  const where = ["--global", "--prefix", path.join(at, "usr/local"), "--registry", registry.url];
  const what = ["--cpu", cpu, "--os", "linux", "--libc", "glibc", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...where, ...what, `openclaw@${args.host}`], { maxBuffer: 1 << 26 });
}

/** @param {Machine} machine */
async function firstMinutes(machine) {
  if (!args.copied) await said(machine, ["npm", "install", "--global", `openclaw@${args.host}`]);
  const consent = /** @type {string} */ (args.host) >= "2026.8" ? ["--accept-capabilities"] : [];
  const force = consent.length > 0 ? ["--force"] : [];
  await said(machine, ["openclaw", "plugins", "install", PLUGIN_ID, ...force, ...consent]);
  const wanted = [PLUGIN_ID, `${PLUGIN_ID}-model`, own && platformPackage(own)].sort().join(", ");
  const fetched = [...new Set(registry.fetched)].sort().join(", ");
  console.log(`  fetched from the registry: ${fetched}\n`);
  if (fetched !== wanted) faults.push(`fetched were ${fetched || "none"}, not ${wanted}`);
  await said(machine, ["openclaw", "plugins", "enable", PLUGIN_ID, ...consent]);
  const setUp = await said(machine, ["openclaw", "memory", "setup", "--yes"]);
  const answered = setUp.split("\n").filter((line) => /^\s*“.+” → /.test(line)).length;
  if (answered !== QUESTIONS) faults.push(`${answered} of ${QUESTIONS} questions were answered`);
  const found = await said(machine, ["openclaw", "memory", "search", QUESTION, "--limit", "1"]);
  if (!found.includes("MEMORY.md")) faults.push("the search did not find the line about the bins");
}

/** Runs a command and shows it as a terminal would. @param {Machine} machine @param {string[]} command */
async function said(machine, command) {
  const { code, output, seconds } = await machine.run(command);
  console.log(
    `$ ${command.join(" ")}\n${output.trimEnd().replace(/^/gm, "  ")}\n  (${code === 0 ? "" : `ended with ${code}, `}${seconds.toFixed(1)} s)\n`,
  );
  if (code !== 0) faults.push(`"${command.join(" ")}" ended with ${code}`);
  return output;
}
