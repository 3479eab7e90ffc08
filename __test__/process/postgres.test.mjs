// `npm run pg`: a real PostgreSQL is made, started and stopped. Needs its programs, which the command fetches once.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { binFolder } from "../../scripts/postgres/binaries.mjs";
import { Cluster } from "../../scripts/postgres/cluster.mjs";

const bin = binFolder("18");
const isThere = existsSync(bin);
if (!isThere) console.log("skipped: no PostgreSQL here; `npm run pg -- start` fetches it");

/** A cluster that is gone after the test. */
function throwAway() {
  // Not the folder of the tests: the server's user may not look into that.
  const folder = mkdtempSync(path.join(os.tmpdir(), "memory-core-pg-"));
  chmodSync(folder, 0o755);
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
