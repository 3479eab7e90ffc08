// What databases keep of every agent, for `openclaw memory reset --everything`. Other gateways may share it, so it is removed only
// where that is asked for.

import { HostPort } from "../../lib/host-port.js";
import { native } from "../../lib/native.js";
import { forEveryIndex } from "./index-files.js";
import { counted, paint } from "./output.js";

/** @typedef {import("../../index.d.ts").DatabaseRows & {agentId: string}} Rows */

/**
 * What they keep.
 * @param {import("../host.js").Host} host
 */
export async function rowsInDatabases(host) {
  /** @type {(Rows & {remove: () => Promise<void>})[]} */
  const found = [];
  await forEveryIndex(host, "What a database keeps was not looked for", async (request, agentId, password) => {
    const rows = (/** @type {boolean} */ remove) =>
      native().databaseRows(request, remove, new HostPort({}).native(undefined, undefined, password));
    const kept = await rows(false);
    if (kept) found.push({ ...kept, agentId, remove: async () => void (await rows(true)) });
  });
  return found;
}

/**
 * As a person reads it; `stays` says that it is not removed.
 * @param {Rows} rows
 * @param {boolean} stays
 */
export function rowsText({ agentId, schema, tenant, notes, files, chunks, forgotten }, stays) {
  const texts = [counted(notes, "note"), counted(files, "indexed file"), counted(chunks, "chunk"), `${forgotten} forgotten`];
  const place = paint("cyan", `PostgreSQL, schema ${schema}, tenant ${tenant}, agent ${agentId}`);
  const kept = `${place}: ${texts.join(", ")}, of all gateways that share it`;
  return stays ? `${kept}. It stays in the database; \`openclaw memory reset --everything --database\` removes it.` : kept;
}
