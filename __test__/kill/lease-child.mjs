// Looks at the writer lease of an index without the engine, and tells every change of it as a JSON line.
//   node lease-child.mjs <database>
// A line on its input: "locked?" asks whether somebody is inside a write transaction; "expire" lets the lease run out.

import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";

const LOOK_EVERY_MS = 15;

const db = new DatabaseSync(process.argv[2]);
db.exec("PRAGMA busy_timeout = 0");
const look = db.prepare("SELECT pid, token, expires_ms FROM lease");
const tell = (/** @type {object} */ what) => process.stdout.write(`${JSON.stringify(what)}\n`);

let before = "";
const timer = setInterval(() => {
  const row = /** @type {any} */ (look.get());
  const lease = { pid: row && row.expires_ms > Date.now() ? row.pid : 0, token: row?.token ?? 0 };
  const now = JSON.stringify(lease);
  if (now !== before) tell({ lease });
  before = now;
}, LOOK_EVERY_MS);

/** Does something inside a write transaction; false when another process is inside one. */
function transact(/** @type {string} */ sql) {
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`);
    return true;
  } catch {
    return false;
  }
}

createInterface(process.stdin)
  .on("line", (line) => {
    if (line === "locked?") tell({ locked: !transact("SELECT 1") });
    else tell({ expired: transact("UPDATE lease SET expires_ms = 0") });
  })
  .on("close", () => {
    clearInterval(timer);
    db.close();
  });
