// A PostgreSQL server that belongs to one test, which may kill it.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { binFolder } from "../../scripts/postgres/binaries.mjs";
import { Cluster } from "../../scripts/postgres/cluster.mjs";
import { administer } from "./postgres.mjs";
import { openRelay } from "./relay.mjs";

/** @typedef {Awaited<ReturnType<typeof ownServer>>} OwnServer */

/** Starts it, behind an address that stays when it has another port. */
export async function ownServer() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "memory-server-"));
  // For whom the server runs as.
  chmodSync(folder, 0o755);
  const cluster = new Cluster(binFolder("18"), path.join(folder, "cluster"));
  let now = new URL(await cluster.start());
  administer("CREATE EXTENSION vector SCHEMA public", now.href);
  const { port, close } = await openRelay("127.0.0.1", () => now);
  return {
    url: Object.assign(new URL(now), { port: String(port) }).href,
    /** Kills it and starts it again. @param {NodeJS.Signals} signal */
    restartAfter: async (signal) => {
      await cluster.kill(signal);
      now = new URL(await cluster.start());
    },
    end: () => {
      close();
      cluster.delete();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
