// Modules of the host that plugins may load.

import { isRecord } from "../lib/config.js";

/**
 * A module of the host's plugin SDK, or null where this host does not have it or does not let plugins load it.
 * @param {string} name
 * @returns {Promise<Record<string, any> | null>}
 */
export async function importSdk(name) {
  try {
    const sdk = await import(`openclaw/plugin-sdk/${name}`);
    return isRecord(sdk) ? sdk : null;
  } catch {
    return null;
  }
}
