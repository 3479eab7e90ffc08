// The host's Dreams switch. It writes `dreaming.enabled` into the entry of the plugin in the memory slot, whoever that
// is, and the host then loads memory-core beside us, which takes our tools and commands away. Nothing of ours is under
// that key, so a `true` there is put back to what it means for us: false.

import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../lib/errors.js";
import { PLUGIN_ID } from "../lib/package-info.js";
import { shared } from "../lib/shared.js";
import { writeWhole } from "../lib/whole-file.js";

/** @typedef {import("./host.js").Host} Host */

/** The key of the switch in the configuration. */
const SWITCH_KEY = `plugins.entries.${PLUGIN_ID}.config.dreaming.enabled`;

/** What the switch is for, for whoever has clicked it. */
export const SWITCH_MEANING = `${SWITCH_KEY} loads memory-core beside ${PLUGIN_ID}, and nothing else; consolidation of ours is asked for with /dreaming`;

/** @typedef {{repairing: boolean, lastFailure?: string}} SwitchState */

/** One repair at a time in this process, over all copies of the plugin. @type {SwitchState} */
const state = shared("dreaming-switch", () => ({ repairing: false }));

/** @param {import("./host.js").HostConfig} cfg */
function isSwitchedOn(cfg) {
  return cfg.plugins?.entries?.[PLUGIN_ID]?.config?.dreaming?.enabled === true;
}

/**
 * Puts the switch back when it is on. Called when the gateway starts and whenever its settings may have changed.
 * @param {Host} host
 * @returns {Promise<boolean>} Whether it was put back.
 */
export async function repairSwitch(host) {
  if (state.repairing || !host.has("memoryCoreBeside") || !isSwitchedOn(host.config())) return false;
  state.repairing = true;
  try {
    if (!isSwitchedOn(await host.sourceConfig())) return false;
    await host.editConfig(
      (draft) => {
        const entry = draft.plugins?.entries?.[PLUGIN_ID];
        if (entry?.config?.dreaming?.enabled === true) entry.config.dreaming.enabled = false;
      },
      [SWITCH_KEY],
    );
    state.lastFailure = undefined;
    await remember(host);
    host.logger.warn(`${PLUGIN_ID}: the Dreams switch was put back to off: ${SWITCH_MEANING}`);
    return true;
  } catch (error) {
    const failure = errorMessage(error);
    // Asked for again and again while it stays on; said once.
    if (state.lastFailure !== failure) {
      host.logger.warn(`${PLUGIN_ID}: the Dreams switch is on and could not be put back (${failure}): ${SWITCH_MEANING}`);
    }
    state.lastFailure = failure;
    return false;
  } finally {
    state.repairing = false;
  }
}

/** Where it is kept when the switch was last put back, so that `status` of another process can say it. @param {Host} host */
const recordFile = (host) => path.join(host.stateDir(), PLUGIN_ID, "dreams-switch.json");

/** @param {Host} host */
async function remember(host) {
  const file = recordFile(host);
  await mkdir(path.dirname(file), { recursive: true });
  await writeWhole(file, `${JSON.stringify({ putBackAtMs: Date.now() })}\n`);
}

/**
 * When the switch was last put back, in milliseconds; undefined when it never was.
 * @param {Host} host
 * @returns {Promise<number | undefined>}
 */
export async function lastPutBack(host) {
  try {
    const { putBackAtMs } = JSON.parse(await readFile(recordFile(host), "utf8"));
    return Number.isSafeInteger(putBackAtMs) ? putBackAtMs : undefined;
  } catch {
    // No record says as much as none that can be read: there is nothing to tell.
    return undefined;
  }
}
