// Whether the host writes a note of a conversation that ends: its own session-memory hook.

import { isRecord } from "../../lib/config.js";

const HOOK = "session-memory";

/**
 * Whether the host's hook is on, as the host itself decides it.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 */
export function hostWritesNotes(host, cfg) {
  const internal = isRecord(cfg.hooks?.internal) ? cfg.hooks.internal : {};
  const entries = isRecord(internal.entries) ? internal.entries : {};
  if (internal.enabled === false || entries[HOOK]?.enabled === false) return false;
  if (HOOK in entries || !host.has("hooksOnRequest")) return true;
  if (searchesForHooks(internal)) return true;
  const namesOthers = host.has("namedHooksOnly") && Object.keys(entries).length > 0;
  return internal.enabled === true && !namesOthers;
}

/**
 * Whether hooks are looked for in places where nobody has named them; all that are found are then loaded, the host's too.
 * @param {Record<string, any>} internal
 */
function searchesForHooks({ load, installs, handlers }) {
  const folders = Array.isArray(load?.extraDirs) ? load.extraDirs : [];
  const installed = Object.values(isRecord(installs) ? installs : {});
  return (
    folders.some((/** @type {unknown} */ folder) => String(folder).trim() !== "") ||
    installed.some((/** @type {any} */ install) => !install?.hooks?.length || install.hooks.includes(HOOK)) ||
    // Hosts before 2026.8.
    (Array.isArray(handlers) && handlers.length > 0)
  );
}
