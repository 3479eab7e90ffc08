// What the engine says goes to the host's logger.

import { native } from "../lib/native.js";
import { PLUGIN_ID } from "../lib/package-info.js";

/** Hosts whose logger the engine has. @type {WeakSet<import("./host.js").Host>} */
const heard = new WeakSet();

/** Lets the engine speak through the logger of a host, which is asked for once. @param {import("./host.js").Host} host */
export function speakThrough(host) {
  if (heard.has(host)) return;
  native().setLogger(({ level, agent, text }) => {
    try {
      host.logger[level]?.(`${PLUGIN_ID}: ${agent ? `agent ${agent}: ` : ""}${text}`);
    } catch {
      // Thrown from here it would end the process, and there is no other place to tell it.
    }
  });
  heard.add(host);
}
