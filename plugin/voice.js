// What the engine says goes to the host's logger.

import { PLUGIN_ID } from "../lib/package-info.js";

/**
 * Gives a line of the engine to the logger of a host.
 * @param {Pick<import("./host.js").Host, "logger">} host
 * @returns {import("../index.d.ts").LogFunction}
 */
export function voiceOf(host) {
  return ({ level, agent, text }) => {
    try {
      host.logger[level]?.(`${PLUGIN_ID}: ${agent ? `agent ${agent}: ` : ""}${text}`);
    } catch {
      // Thrown from here it would end the process, and there is no other place to tell it.
    }
  };
}
