// A hook of ours never costs a reply: what fails is a line in the log, and "nothing to add".

import { errorMessage } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { withSender } from "./speakers.js";

/**
 * A handler as the host calls it, told who writes where only the message tells.
 * @param {import("../host.js").Host} host
 * @param {string} what What fails, for the log.
 * @param {(event: Record<string, any>, ctx: Record<string, any>) => unknown} handler
 */
export function guarded(host, what, handler) {
  return async (/** @type {Record<string, any>} */ event, /** @type {Record<string, any>} */ ctx) => {
    try {
      return await handler(event ?? {}, withSender(event ?? {}, ctx ?? {}));
    } catch (error) {
      host.logger.warn(`${PLUGIN_ID}: ${what}: ${errorMessage(error)}`);
      return undefined;
    }
  };
}
