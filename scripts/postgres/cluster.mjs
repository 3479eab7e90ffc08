// One PostgreSQL server with its databases in a folder: made, started and stopped by PostgreSQL's own programs.

import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { PostgresError } from "./binaries.mjs";
import { freePort, runAs, runningFrom, serviceUser } from "./process.mjs";

/** The name of the superuser. */
const SUPERUSER = "postgres";

/** How long `pg_ctl` waits, in seconds. */
const PATIENCE = "60";

export class Cluster {
  /** @type {string} */
  #bin;
  /** @type {string} */
  #folder;
  #user = serviceUser();

  #certificate;
  #primary;

  /**
   * @param {string} bin the folder of `initdb` and `pg_ctl` @param {string} folder where the databases are kept
   * @param {{ certificate?: { cert: string, key: string }, primary?: Cluster }} [has] what it speaks TLS with; whose standby it is
   */
  constructor(bin, folder, { certificate, primary } = {}) {
    this.#bin = bin;
    this.#folder = folder;
    this.#certificate = certificate;
    this.#primary = primary;
  }

  get #data() {
    return path.join(this.#folder, "data");
  }

  get #log() {
    return path.join(this.#folder, "data", "server.log");
  }

  /** Runs one of PostgreSQL's programs. @param {string} program @param {string[]} args @param {string} [password] */
  #run(program, args, password) {
    return runAs(path.join(this.#bin, program), args, this.#user, { lib: path.join(this.#bin, "..", "lib"), password });
  }

  /** Fills a folder with an empty database. @param {string} data @param {string} password a file with it */
  #initialise(data, password) {
    // What sorts and compares does so by bytes, on every machine.
    const options = ["--username", SUPERUSER, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"];
    const status = this.#run("initdb", [...options, "--pwfile", password, "--pgdata", data]);
    if (status !== 0)
      throw new PostgresError(`initdb failed (${status}): is there room in ${path.dirname(this.#folder)}, and may its user read it?`);
  }

  /** Fills a folder with what the primary has, and how it is followed. @param {string} data @param {Cluster} primary */
  #follow(data, primary) {
    const { hostname, port, password } = new URL(primary.url() ?? "");
    const where = ["--host", hostname, "--port", port, "--username", SUPERUSER, "--no-password"];
    const status = this.#run("pg_basebackup", [...where, "--write-recovery-conf", "--checkpoint=fast", "--pgdata", data], password);
    if (status !== 0) throw new PostgresError(`pg_basebackup failed (${status}): see the primary's server.log`);
  }

  /** Makes the folder with its databases, all at once. */
  #make() {
    const partial = `${this.#folder}.${process.pid}`;
    mkdirSync(partial, { recursive: true, mode: 0o755 });
    try {
      const password = path.join(partial, "password");
      const data = path.join(partial, "data");
      const known = this.#primary && new URL(this.#primary.url() ?? "").password;
      writeFileSync(password, known ?? randomBytes(24).toString("base64url"), { mode: 0o600 });
      mkdirSync(data, { mode: 0o700 });
      if (this.#user) for (const name of [password, data]) chownSync(name, this.#user.uid, this.#user.gid);
      if (this.#primary) this.#follow(data, this.#primary);
      else this.#initialise(data, password);
      for (const [kind, file] of Object.entries(this.#certificate ?? {})) {
        const own = path.join(data, `server.${kind}`);
        copyFileSync(file, own);
        chmodSync(own, 0o600);
        if (this.#user) chownSync(own, this.#user.uid, this.#user.gid);
      }
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
    const found = runningFrom(path.join(this.#data, "postmaster.pid"), "postgres");
    return found && { pid: found.pid, port: found.lines[3] };
  }

  /** Whether a standby follows its primary at the port that that has now. @param {Cluster} primary */
  #follows(primary) {
    try {
      const settings = readFileSync(path.join(this.#data, "postgresql.auto.conf"), "utf8");
      return settings.includes(`port=${new URL(primary.url() ?? "").port} `);
    } catch {
      return false;
    }
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
    if (this.#primary) {
      await this.#primary.start();
      // One that was left behind by a primary at another port is made anew.
      if (!this.#follows(this.#primary)) this.delete();
    }
    if (!existsSync(this.#data)) this.#make();
    if (!this.#running()) {
      // The number in it may be another program's by now: PostgreSQL would take that for itself.
      rmSync(path.join(this.#data, "postmaster.pid"), { force: true });
      const tls = this.#certificate ? "-c ssl=on -c ssl_cert_file=server.cert -c ssl_key_file=server.key" : "";
      const settings = `-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c jit=off ${tls} -p ${await freePort()}`;
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

  /** Ends the server without letting it finish, and waits until it is gone. @param {NodeJS.Signals} signal */
  async kill(signal) {
    const running = this.#running();
    if (!running) return;
    process.kill(running.pid, signal);
    while (this.#running()?.pid === running.pid) await wait(10);
  }

  /** Stops the server and deletes its databases. */
  delete() {
    this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
