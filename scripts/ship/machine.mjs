// A machine without anything on it: the file tree of a Linux distribution, entered with chroot, in which there is Node and
// npm, and neither a compiler nor Rust. Needs root and, to make a tree, debootstrap; other processors need Debian's
// qemu-user-static and binfmt-support besides.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What Debian calls the processors of Node. */
const DEBIAN_CPU = new Map([
  ["x64", "amd64"],
  ["arm64", "arm64"],
]);

/** What must not be on it. */
const COMPILERS = ["cc", "gcc", "clang", "make", "rustc", "cargo", "python3"];

export class Machine {
  /** @param {string} folder @param {string} cpu */
  constructor(folder, cpu) {
    this.folder = folder;
    this.cpu = cpu;
  }

  /** Lays out a release of Debian. @param {string} folder @param {string} cpu @param {string} release */
  static async debian(folder, cpu, release) {
    const args = [`--arch=${DEBIAN_CPU.get(cpu)}`, "--variant=minbase", release, folder, "http://deb.debian.org/debian"];
    await run("debootstrap", args, { maxBuffer: 1 << 26 });
    return new Machine(folder, cpu);
  }

  /** Puts Node there, as npm has it for the processor, and npm. @param {string} version */
  async addNode(version) {
    const into = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-node-"));
    try {
      for (const name of [`node-linux-${this.cpu}@${version}`, "npm@11"]) {
        const { stdout } = await run("npm", ["pack", "--silent", name], { cwd: into });
        await run("tar", ["xzf", stdout.trim(), "--one-top-level"], { cwd: into });
      }
      const local = path.join(this.folder, "usr/local");
      await mkdir(path.join(local, "lib/node_modules"), { recursive: true });
      const [node, npm] = await Promise.all(["node-linux-*", "npm-*"].map((pattern) => onlyFolder(into, pattern)));
      await cp(path.join(node, "package/bin/node"), path.join(local, "bin/node"));
      await cp(path.join(npm, "package"), path.join(local, "lib/node_modules/npm"), { recursive: true });
      await rm(path.join(local, "bin/npm"), { force: true });
      await symlink("../lib/node_modules/npm/bin/npm-cli.js", path.join(local, "bin/npm"));
    } finally {
      await rm(into, { recursive: true, force: true });
    }
  }

  /** Compilers that it has; there should be none. */
  async compilers() {
    const { output } = await this.run(["sh", "-c", `for name in ${COMPILERS.join(" ")}; do command -v $name; done; true`]);
    return output.split("\n").filter(Boolean);
  }

  /**
   * Runs a program there, as root of the machine and with nothing of this one's environment. Its mounts end with it.
   * @param {string[]} command
   */
  async run(command) {
    const enter = 'mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"';
    const environment = ["HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "NO_COLOR=1"];
    const args = ["--mount", "--pid", "--fork", "sh", "-c", enter, "sh", this.folder, "/usr/bin/env", "-i", ...environment, ...command];
    const started = performance.now();
    const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
    const [code] = await once(child, "close");
    return { code, output, seconds: (performance.now() - started) / 1000 };
  }
}

/** @param {string} folder @param {string} pattern */
async function onlyFolder(folder, pattern) {
  const { stdout } = await run("find", [folder, "-maxdepth", "1", "-type", "d", "-name", pattern]);
  return stdout.trim();
}
