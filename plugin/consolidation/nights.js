// The nights: a timer of the gateway's own, so that there is no job of the host, no session and no permission. Who is due
// is decided in the store, once for all processes; after a time away there is one run.

import { hostname } from "node:os";
import { listAgentIds } from "../../lib/config.js";
import { errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { command } from "../command.js";
import { chosen, isAnyOn, sharedWorkspaces } from "./agent.js";
import { apply, consolidate, plan } from "./run.js";

/** How often it is asked whether a run is due, in milliseconds. */
const EVERY_MS = 60_000;

/** @type {NodeJS.Timeout | undefined} */
let timer;
let busy = false;

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function startNights(api, host) {
  clearInterval(timer);
  timer = setInterval(() => lookWhoIsDue(api, host), EVERY_MS);
  timer.unref();
}

export function stopNights() {
  clearInterval(timer);
}

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export async function lookWhoIsDue(api, host) {
  if (busy) return;
  busy = true;
  try {
    const cfg = host.config();
    if (!isAnyOn(cfg)) return;
    const known = listAgentIds(cfg);
    for (const agents of sharedWorkspaces(host, cfg)) {
      // One agent of a workspace has the clock and the runs: the first for whom it is on.
      const agentId = agents.find((id) => known.includes(id) && chosen(cfg, id).mode !== "off");
      if (agentId) await runIfDue({ api, host, cfg, agentId });
    }
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: consolidation: ${errorText(error)}`);
  } finally {
    busy = false;
  }
}

/** @param {import("./run.js").Place & {api: import("../host.js").PluginApi}} place */
async function runIfDue(place) {
  const { host, cfg, agentId } = place;
  try {
    const holder = `${hostname()}:${process.pid}`;
    if (!(await consolidate(place, { op: "due", holder }))) return;
    if (chosen(cfg, agentId).mode === "plan") {
      const { runId, add, move } = await plan(place);
      if (add.length + move.length > 0) {
        host.logger.info(
          `${PLUGIN_ID}: agent ${agentId}: ${add.length} to learn, ${move.length} to archive. See: ${command(`consolidate runs ${runId}`, place)}`,
        );
      }
      return;
    }
    const { runId, added, moved } = await apply(place);
    if (added + moved > 0) host.logger.info(`${PLUGIN_ID}: agent ${agentId}: learned ${added}, archived ${moved} (run ${runId})`);
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: agent ${agentId}: consolidation: ${errorText(error)}`);
  }
}
