// One PostgreSQL server with its databases in a folder: made, started and stopped by PostgreSQL's own programs.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { isRoot, PostgresError } from "./binaries.mjs";

/** The name of the superuser. */
const SUPERUSER = "postgres";

/** Whom root runs the server as: it refuses to run as root. */
const SERVICE_USERS = ["postgres", "nobody"];

/** How long `pg_ctl` waits, in seconds. */
const PATIENCE = "60";

/** A port of the loopback interface that nobody uses now. @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Whom the server runs as; none = this user. @returns {{ uid: number, gid: number } | undefined} */
function serviceUser() {
  if (!isRoot()) return undefined;
  for (const name of SERVICE_USERS) {
    const ids = ["-u", "-g"].map((which) => spawnSync("id", [which, name], { encoding: "utf8" }));
    if (ids.every(({ status }) => status === 0)) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new PostgresError(`PostgreSQL does not run as root, and there is no user ${SERVICE_USERS.join(" or ")}: run this as another user.`);
}

export class Cluster {
  /** @type {string} */
  #bin;
  /** @type {string} */
  #folder;
  #user = serviceUser();

  /** @param {string} bin the folder of `initdb` and `pg_ctl` @param {string} folder where the databases are kept */
  constructor(bin, folder) {
    this.#bin = bin;
    this.#folder = folder;
  }

  get #data() {
    return path.join(this.#folder, "data");
  }

  get #log() {
    return path.join(this.#folder, "data", "server.log");
  }

  /** Runs one of PostgreSQL's programs. @param {string} program @param {string[]} args */
  #run(program, args) {
    const { PATH, HOME } = process.env;
    const options = { cwd: "/", env: { PATH, HOME, LC_ALL: "C" }, ...this.#user };
    // Not a pipe: the server inherits it, and it would never end.
    const { status, error } = spawnSync(path.join(this.#bin, program), args, { ...options, stdio: ["ignore", "ignore", "ignore"] });
    if (error) throw new PostgresError(`${program} cannot be run: ${error.message}`);
    return status;
  }

  /** Makes the folder with an empty database, all at once. */
  #make() {
    const partial = `${this.#folder}.${process.pid}`;
    mkdirSync(partial, { recursive: true, mode: 0o755 });
    try {
      const password = path.join(partial, "password");
      const data = path.join(partial, "data");
      writeFileSync(password, randomBytes(24).toString("base64url"), { mode: 0o600 });
      mkdirSync(data, { mode: 0o700 });
      if (this.#user) for (const name of [password, data]) chownSync(name, this.#user.uid, this.#user.gid);
      // What sorts and compares does so by bytes, on every machine.
      const options = ["--username", SUPERUSER, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"];
      const status = this.#run("initdb", [...options, "--pwfile", password, "--pgdata", data]);
      if (status !== 0)
        throw new PostgresError(`initdb failed (${status}): is there room in ${path.dirname(this.#folder)}, and may its user read it?`);
      chmodSync(partial, 0o755);
      renameSync(partial, this.#folder);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      // Another call was quicker.
      if (!existsSync(this.#data)) throw error;
    }
  }

  /** What a running server says of itself. @returns {{ pid: number, port: string } | undefined} */
  #running() {
    let lines;
    try {
      lines = readFileSync(path.join(this.#data, "postmaster.pid"), "utf8").split("\n");
    } catch {
      return undefined;
    }
    const pid = Number(lines[0]);
    return Number.isSafeInteger(pid) && pid > 0 && isPostgres(pid) ? { pid, port: lines[3] } : undefined;
  }

  /** The address of the running server, with its password. @returns {string | undefined} */
  url() {
    const running = this.#running();
    if (!running) return undefined;
    const password = readFileSync(path.join(this.#folder, "password"), "utf8");
    return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${running.port}/postgres`;
  }

  /** Starts the server, unless it runs. Gives its address. @returns {Promise<string>} */
  async start() {
    if (!existsSync(this.#data)) this.#make();
    if (!this.#running()) {
      // The number in it may be another program's by now: PostgreSQL would take that for itself.
      rmSync(path.join(this.#data, "postmaster.pid"), { force: true });
      const settings = `-c listen_addresses=127.0.0.1 -c unix_socket_directories= -p ${await freePort()}`;
      const status = this.#run("pg_ctl", [
        "start",
        "--wait",
        "--timeout",
        PATIENCE,
        "--pgdata",
        this.#data,
        "--log",
        this.#log,
        "-o",
        settings,
      ]);
      // Another call may have been quicker.
      if (status !== 0 && !this.#running()) throw new PostgresError(`the server did not start (${status}): see ${this.#log}`);
    }
    // One that was started a moment ago by another call may not answer yet.
    for (;;) {
      const running = this.#running();
      if (!running) throw new PostgresError(`the server ended at once: see ${this.#log}`);
      if (this.#run("pg_isready", ["--host", "127.0.0.1", "--port", running.port, "--timeout", PATIENCE]) === 0) break;
    }
    return /** @type {string} */ (this.url());
  }

  /** Stops the server; false when none ran. */
  stop() {
    if (!this.#running()) return false;
    const status = this.#run("pg_ctl", ["stop", "--wait", "--timeout", PATIENCE, "--mode", "fast", "--pgdata", this.#data]);
    if (status !== 0 && this.#running()) throw new PostgresError(`the server did not stop (${status}): see ${this.#log}`);
    return true;
  }

  /** Stops the server and deletes its databases. */
  delete() {
    this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Whether a process is a PostgreSQL. @param {number} pid */
function isPostgres(pid) {
  try {
    // Readable for everybody, other than the path of its program.
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres");
  } catch {
    // No such process, or a system without /proc.
  }
  if (existsSync("/proc/self/comm")) return false;
  return spawnSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" }).stdout?.includes("postgres") ?? false;
}
