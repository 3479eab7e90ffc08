// A command of one turn ends soon after it, and what waits for another process or thread would be lost.

import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PACKAGE_VERSION, PLUGIN_ID } from "../../lib/package-info.js";
import { shared } from "../../lib/shared.js";

/** Whether this process does it; newer hosts load this module anew for every registration. */
const settles = shared(`settles-at-exit@${PACKAGE_VERSION}`, () => ({ atExit: false }));

/** Has the end of the process wait for what was handed over, at most two seconds. */
export function settleAtExit() {
  if (settles.atExit) return;
  settles.atExit = true;
  process.once("exit", () => native().settleTurns());
}

/**
 * Hands over what only the end of the process waits for.
 * @param {import("../host.js").Host} host
 * @param {string} failure What the log says, before the cause, where it fails.
 * @param {() => Promise<unknown>} work
 */
export function handOver(host, failure, work) {
  const failed = (/** @type {unknown} */ error) => host.logger.warn(`${PLUGIN_ID}: ${failure}: ${errorText(error)}`);
  try {
    work().catch(failed);
    settleAtExit();
  } catch (error) {
    failed(error);
  }
}
