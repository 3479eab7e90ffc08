// `npm run pg`: a real PostgreSQL is made, started and stopped. Needs its programs, which the command fetches once.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { binFolder } from "../../scripts/postgres/binaries.mjs";
import { Cluster } from "../../scripts/postgres/cluster.mjs";
import { debianBin, pgbouncerProgram } from "../../scripts/postgres/debian.mjs";
import { Pooler } from "../../scripts/postgres/pooler.mjs";

const bin = binFolder("18");
const isThere = existsSync(bin);
if (!isThere) console.log("skipped: no PostgreSQL here; `npm run pg -- start` fetches it");

const debian = debianBin();
const hasDebian = existsSync(debian);
if (!hasDebian) console.log("skipped: no PostgreSQL of Debian here; `npm run pg -- start --server debian15` fetches it");

/** A folder that a server may look into, which that of the tests is not. */
function ownFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "memory-core-pg-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** What a server answers to a statement, by Debian's psql. @param {string} url @param {string} sql */
const ask = (url, sql) =>
  execFileSync(path.join(debian, "psql"), ["--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, url], {
    encoding: "utf8",
    env: { ...process.env, LD_LIBRARY_PATH: path.join(debian, "..", "lib") },
  }).trim();

/** A cluster that is gone after the test. */
function throwAway() {
  const folder = ownFolder();
  const cluster = new Cluster(bin, path.join(folder, "cluster"));
  onTestFinished(() => {
    cluster.delete();
    rmSync(folder, { recursive: true, force: true });
  });
  return { cluster, pidFile: path.join(folder, "cluster", "data", "postmaster.pid"), password: path.join(folder, "cluster", "password") };
}

/** Whether somebody listens at an address. @param {string} url @returns {Promise<boolean>} */
function answers(url) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname, () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });
}

test.skipIf(!isThere)("a server is started once, however often it is asked for, and stopped", async () => {
  const { cluster, password } = throwAway();
  expect(cluster.url()).toBeUndefined();
  expect(cluster.stop()).toBe(false);
  const [url, again] = await Promise.all([cluster.start(), cluster.start()]);
  expect(again).toBe(url);
  expect(await cluster.start()).toBe(url);
  expect(cluster.url()).toBe(url);
  expect(new URL(url).password).toBe(readFileSync(password, "utf8"));
  expect(await answers(url)).toBe(true);
  expect(cluster.stop()).toBe(true);
  expect(await answers(url)).toBe(false);
  expect(cluster.url()).toBeUndefined();
});

// A machine that lost power leaves the file, and the number in it is another program's after the next start.
test.skipIf(!isThere)("what a killed server left behind does not keep the next one from starting", async () => {
  const { cluster, pidFile } = throwAway();
  const url = await cluster.start();
  const [pid] = readFileSync(pidFile, "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
  await expect.poll(() => answers(url), { timeout: 20_000 }).toBe(false);
  await expect.poll(() => cluster.url(), { timeout: 20_000 }).toBeUndefined();
  const left = readFileSync(pidFile, "utf8");
  writeFileSync(pidFile, left.replace(pid, String(process.pid)));
  expect(cluster.url()).toBeUndefined();
  expect(await answers(await cluster.start())).toBe(true);
});

// After its primary got another port, the standby waited for nobody, and the pooler led nowhere.
test.skipIf(!hasDebian)("a standby and a pooler follow a primary that was started again", async () => {
  const folder = ownFolder();
  const primary = new Cluster(debian, path.join(folder, "primary"));
  const standby = new Cluster(debian, path.join(folder, "standby"), { primary });
  const pooler = new Pooler(pgbouncerProgram(), path.join(debian, "..", "lib"), path.join(folder, "pooler"), primary);
  onTestFinished(async () => {
    await pooler.delete();
    standby.delete();
    primary.delete();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const round of ["1", "2"]) {
    const pooled = await pooler.start();
    expect(await pooler.start()).toBe(pooled);
    ask(pooled, `CREATE TABLE t${round} (n int)`);
    const followed = await standby.start();
    expect(await standby.start()).toBe(followed);
    await expect.poll(() => ask(followed, `SELECT pg_is_in_recovery(), to_regclass('t${round}')`), { timeout: 20_000 }).toBe(`t|t${round}`);
    expect(primary.stop()).toBe(true);
    expect(pooler.url()).toBeUndefined();
  }
});
