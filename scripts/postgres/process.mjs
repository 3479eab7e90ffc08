// What all servers here have in common: whom they run as, at which port, and whether a process is one of them.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { isRoot, PostgresError } from "./binaries.mjs";

/** Whom root runs a server as: it refuses to run as root. */
const SERVICE_USERS = ["postgres", "nobody"];

/** A port of the loopback interface that nobody uses now. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Whom a server runs as; none = this user. @returns {{ uid: number, gid: number } | undefined} */
export function serviceUser() {
  if (!isRoot()) return undefined;
  for (const name of SERVICE_USERS) {
    const ids = ["-u", "-g"].map((which) => spawnSync("id", [which, name], { encoding: "utf8" }));
    if (ids.every(({ status }) => status === 0)) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new PostgresError(`PostgreSQL does not run as root, and there is no user ${SERVICE_USERS.join(" or ")}: run this as another user.`);
}

/**
 * Runs a program of a server and waits for it; gives its exit code.
 * @param {string} program @param {string[]} args @param {{ uid: number, gid: number } | undefined} user
 * @param {{ lib: string, password?: string }} has the folder of its libraries, and what it logs in with
 */
export function runAs(program, args, user, { lib, password }) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LC_ALL: "C", LD_LIBRARY_PATH: lib, ...(password ? { PGPASSWORD: password } : {}) };
  // Not a pipe: a server inherits it, and it would never end.
  const { status, error } = spawnSync(program, args, { cwd: "/", env, ...user, stdio: ["ignore", "ignore", "ignore"] });
  if (error) throw new PostgresError(`${path.basename(program)} cannot be run: ${error.message}`);
  return status;
}

/** The number in the first line of a file, if a process of that name has it. @param {string} file @param {string} name */
export function runningFrom(file, name) {
  let lines;
  try {
    lines = readFileSync(file, "utf8").split("\n");
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  return Number.isSafeInteger(pid) && pid > 0 && isCalled(pid, name) ? { pid, lines } : undefined;
}

/** Whether a process runs a program of that name. @param {number} pid @param {string} name */
function isCalled(pid, name) {
  try {
    // Readable for everybody, other than the path of its program.
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith(name);
  } catch {
    // No such process, or a system without /proc.
  }
  if (existsSync("/proc/self/comm")) return false;
  return spawnSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" }).stdout?.includes(name) ?? false;
}
