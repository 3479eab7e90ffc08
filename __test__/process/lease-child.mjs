// Looks at the writer lease of an index without the engine, and tells every change of it as a JSON line.
//   node lease-child.mjs <database>
// A line on its input: "locked?" asks whether somebody is inside a write transaction; "expire" lets the lease run out,
// "take" takes it.

import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";

const LOOK_EVERY_MS = 15;
/** As long as a lease may be valid, in milliseconds. */
const HELD_MS = 20_000;

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

const TAKE = `UPDATE lease SET owner = 'lease-child', pid = ${process.pid}, host = '', boot_id = '', token = token + 1`;

createInterface(process.stdin)
  .on("line", (line) => {
    if (line === "locked?") tell({ locked: !transact("SELECT 1") });
    else if (line === "take") tell({ taken: transact(`${TAKE}, expires_ms = ${Date.now() + HELD_MS}`) });
    else tell({ expired: transact("UPDATE lease SET expires_ms = 0") });
  })
  .on("close", () => {
    clearInterval(timer);
    db.close();
  });
