// The host tells when something was said. The engine decides when that is enough to look at it.

import { listAgentIds, normalizeAgentId, rememberedConversations, searchOverview, sessionAgentId } from "../../lib/config.js";
import { errorText } from "../../lib/errors.js";
import { PACKAGE_VERSION, PLUGIN_ID } from "../../lib/package-info.js";
import { shared } from "../../lib/shared.js";
import { getManager } from "../runtime.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {{sessionFile?: string, sessionKey?: string, sessionId?: string, agentId?: string, message?: unknown,
 *   target?: {agentId?: string, sessionId?: string}}} Update
 */

/** The one subscription of this process: every registration would get every event. @type {{stop?: () => void}} */
const subscription = shared(`transcript-events@${PACKAGE_VERSION}`, () => ({}));

/** Bytes that stand for a message that the event does not carry. */
const UNKNOWN_BYTES = 200;

/**
 * Begins to listen, in place of whoever listened before.
 * @param {PluginApi} api
 * @param {Host} host
 */
export function watchTranscripts(api, host) {
  stopWatchingTranscripts();
  const listen = api.runtime.events?.onSessionTranscriptUpdate;
  if (typeof listen !== "function") return;
  const stop = listen((/** @type {Update} */ update) => {
    noteUpdate(host, update).catch((error) => host.logger.debug?.(`${PLUGIN_ID}: transcript: ${errorText(error)}`));
  });
  if (typeof stop === "function") subscription.stop = stop;
}

/** Listens no more. */
export function stopWatchingTranscripts() {
  subscription.stop?.();
  delete subscription.stop;
}

/**
 * @param {Host} host
 * @param {Update} update
 */
async function noteUpdate(host, update) {
  const cfg = host.config();
  const agentId = updateAgent(cfg, update);
  const name = transcriptName(update);
  if (!agentId || !name) return;
  // What is indexed for private recall alone is followed like what everybody searches.
  if (!searchOverview(cfg, agentId).sources.includes("sessions") && !rememberedConversations(cfg, agentId)) return;
  const { manager } = await getManager(host, { cfg, agentId, purpose: "default" });
  await manager?.noteTranscript({ path: `sessions/${agentId}/${name}`, bytes: sizeOf(update.message) });
}

/**
 * The agent whose conversation it is; undefined when that is not certain.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Update} update
 */
function updateAgent(cfg, { agentId, target, sessionKey, sessionFile }) {
  const named = agentId ?? target?.agentId ?? /[\\/]agents[\\/]([^\\/]+)[\\/]sessions[\\/][^\\/]+$/.exec(sessionFile ?? "")?.[1];
  const id = named ? normalizeAgentId(named) : sessionKey ? sessionAgentId(cfg, { sessionKey }) : undefined;
  return id && listAgentIds(cfg).includes(id) ? id : undefined;
}

/**
 * The name that its transcript has in results.
 * @param {Update} update
 */
function transcriptName({ sessionFile, sessionId, target }) {
  const id = sessionId ?? target?.sessionId;
  if (id) return `${id}.jsonl`;
  return sessionFile?.split(/[\\/]/).at(-1);
}

/** @param {unknown} message */
function sizeOf(message) {
  return message === undefined ? UNKNOWN_BYTES : Buffer.byteLength(JSON.stringify(message) ?? "");
}
