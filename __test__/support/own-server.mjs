// A PostgreSQL server that belongs to one test, which may kill it.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { binFolder } from "../../scripts/postgres/binaries.mjs";
import { Cluster } from "../../scripts/postgres/cluster.mjs";
import { administer } from "./postgres.mjs";

/** @typedef {Awaited<ReturnType<typeof ownServer>>} OwnServer */

/** Starts it, behind an address that stays when it has another port. */
export async function ownServer() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "memory-server-"));
  // For whom the server runs as.
  chmodSync(folder, 0o755);
  const cluster = new Cluster(binFolder("18"), path.join(folder, "cluster"));
  let now = new URL(await cluster.start());
  administer("CREATE EXTENSION vector SCHEMA public", now.href);
  /** @type {Set<net.Socket>} */
  const open = new Set();
  const relay = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect({ port: Number(now.port), host: now.hostname, noDelay: true });
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      open.add(socket);
      socket.on("error", () => other.destroy()).on("close", () => open.delete(socket));
    }
  });
  await new Promise((listening) => relay.listen(0, "127.0.0.1", () => listening(undefined)));
  const { port } = /** @type {net.AddressInfo} */ (relay.address());
  return {
    url: Object.assign(new URL(now), { port: String(port) }).href,
    /** Kills it and starts it again. @param {NodeJS.Signals} signal */
    restartAfter: async (signal) => {
      await cluster.kill(signal);
      now = new URL(await cluster.start());
    },
    end: () => {
      relay.close();
      for (const socket of open) socket.destroy();
      cluster.delete();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
