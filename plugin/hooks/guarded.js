// A hook of ours never costs a reply: what fails is a line in the log, and "nothing to add".

import { errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { withSender } from "./speakers.js";
import { readWritten, readWrittenInTime } from "./written.js";

/** What a turn begins with. */
const AT_BEGINNING = new Set(["before_prompt_build", "active memory"]);

/**
 * A handler as the host calls it, told who writes where only the message tells.
 * @param {import("../host.js").Host} host
 * @param {string} what What fails, for the log.
 * @param {(event: Record<string, any>, ctx: Record<string, any>) => unknown} handler
 */
export function guarded(host, what, handler) {
  return async (/** @type {Record<string, any>} */ event, /** @type {Record<string, any>} */ ctx) => {
    try {
      // What was switched off since is off from this turn on. Nothing is waited for where the file is as it was.
      if (AT_BEGINNING.has(what) && readWritten(host)) await readWrittenInTime(host);
      return await handler(event ?? {}, withSender(event ?? {}, ctx ?? {}));
    } catch (error) {
      host.logger.warn(`${PLUGIN_ID}: ${what}: ${errorText(error)}`);
      return undefined;
    }
  };
}
