// pgbouncer in front of a server, as a user would have it: transactions of many clients over two connections, and no named
// statements (they came with 1.21).

import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { PostgresError } from "./binaries.mjs";
import { freePort, runAs, runningFrom, serviceUser } from "./process.mjs";

/** Connections to the server, for each database and role. */
const POOL_SIZE = 2;

/** How long it may take to start or end, in milliseconds. */
const PATIENCE_MS = 30_000;

export class Pooler {
  #user = serviceUser();

  /** @param {string} program @param {string} lib its libraries @param {string} folder @param {import("./cluster.mjs").Cluster} cluster */
  constructor(program, lib, folder, cluster) {
    this.program = program;
    this.lib = lib;
    this.folder = folder;
    this.cluster = cluster;
  }

  /** @param {string} name */
  #file(name) {
    return path.join(this.folder, name);
  }

  /** The address of the running server through it. @returns {string | undefined} */
  url() {
    const server = this.cluster.url();
    if (!server || !this.#running()) return undefined;
    const settings = readFileSync(this.#file("pgbouncer.ini"), "utf8");
    // The server has another port after it was started again.
    if (!settings.includes(` port=${new URL(server).port}\n`)) return undefined;
    const url = new URL(server);
    url.port = settings.match(/^listen_port = (\d+)$/m)?.[1] ?? "";
    return url.href;
  }

  #running() {
    return runningFrom(this.#file("pid"), "pgbouncer");
  }

  /** Starts it, and the server behind it, unless they run. Gives the address. */
  async start() {
    const server = new URL(await this.cluster.start());
    const running = this.url();
    if (running) return running;
    await this.stop();
    mkdirSync(this.folder, { recursive: true, mode: 0o755 });
    const settings = `[databases]
* = host=${server.hostname} port=${server.port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${await freePort()}
unix_socket_dir =
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
max_client_conn = 1000
; Of roles that are not in the file it asks the server.
auth_type = scram-sha-256
auth_file = ${this.#file("users")}
auth_user = ${server.username}
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
admin_users = ${server.username}
ignore_startup_parameters = extra_float_digits
logfile = ${this.#file(`log-${randomBytes(4).toString("hex")}`)}
pidfile = ${this.#file("pid")}
`;
    writeFileSync(this.#file("pgbouncer.ini"), settings);
    writeFileSync(this.#file("users"), `"${server.username}" "${server.password}"\n`);
    for (const name of [".", "pgbouncer.ini", "users"]) {
      if (name !== ".") chmodSync(this.#file(name), 0o600);
      if (this.#user) chownSync(this.#file(name), this.#user.uid, this.#user.gid);
    }
    const status = runAs(this.program, ["--daemon", "--quiet", this.#file("pgbouncer.ini")], this.#user, { lib: this.lib });
    if (status !== 0) throw new PostgresError(`pgbouncer did not start (${status}): see the log in ${this.folder}`);
    await this.#until(() => this.url() !== undefined);
    return /** @type {string} */ (this.url());
  }

  /** Stops it, not the server behind it; false when it did not run. */
  async stop() {
    const running = this.#running();
    if (!running) return false;
    process.kill(running.pid, "SIGTERM");
    await this.#until(() => !this.#running());
    return true;
  }

  async delete() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param {() => boolean} is */
  async #until(is) {
    const began = Date.now();
    while (!is()) {
      if (Date.now() - began > PATIENCE_MS) throw new PostgresError(`pgbouncer neither starts nor ends: see the log in ${this.folder}`);
      await setTimeout(20);
    }
  }
}
