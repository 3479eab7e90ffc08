// What a person who asked for it sees of a turn: a line under `/verbose` and one under `/trace`, in the words of the
// bundled plugin of each host version.

import { errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { sessionEntry } from "../hooks/session-entry.js";
import { importSdk } from "../sdk.js";

/**
 * @typedef {import("../../index.d.ts").ActiveOutcome} Outcome
 * @typedef {{api: import("../host.js").PluginApi, host: import("../host.js").Host}} Plugin
 * @typedef {import("../hooks/agent.js").Agent} Agent
 */

const STATUS = "🧩 Active Memory:";
const DEBUG = "🔎 Active Memory Debug:";

/** Statuses that hosts do not know: they follow what came of the turn as words. */
const OWN_WORDS = new Set(["late", "busy", "ungrounded", "unusable", "not-authorized", "circuit-breaker"]);

/** Most of what is shown that a line repeats. */
const MOST_SHOWN = 300;

/** @param {number} ms */
function shortTime(ms) {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = ms / 1000;
  return `${seconds % 1 === 0 ? seconds.toFixed(0) : seconds.toFixed(1)}s`;
}

/**
 * The lines of a turn.
 * @param {import("../host.js").Host} host
 * @param {Outcome & {asked?: boolean}} outcome `asked`: a model was, whatever came of it.
 * @param {number} ms
 * @param {string} queryMode
 * @returns {string[]}
 */
export function statusLines(host, { status, lane, cached, chars, shown, block, asked }, ms, queryMode) {
  const named = host.has("namedStatusFields");
  const nothing = named ? "no_relevant_memory" : "empty";
  const found = block ? "ok" : nothing;
  const known = OWN_WORDS.has(status) || status === "no_relevant_memory" ? found : status;
  // Older hosts know no failure but this.
  const word = !named && known === "failed" ? "unavailable" : known;
  const fields = named
    ? [`status=${word}`, `elapsed=${shortTime(ms)}`, `query=${queryMode}`, ...(block ? [`summary=${chars} chars`] : [])]
    : [word, shortTime(ms), queryMode, ...(block ? [`${chars} chars`] : [])];
  const more = [asked || lane === "model" ? "lane=1" : "lane=0", ...(OWN_WORDS.has(status) ? [status] : []), ...(cached ? ["cached"] : [])];
  const lines = [[STATUS, ...fields, ...more].join(" ")];
  if (shown) lines.push(`${DEBUG} ${[...shown].slice(0, MOST_SHOWN).join("")}`);
  return lines;
}

/**
 * Writes the lines of a turn where the host shows them, when somebody in the conversation asked for such; else takes those of
 * a turn before away. Nobody waits for it.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 * @param {string[]} lines
 */
export async function showLines(plugin, agent, ctx, lines) {
  const { api, host } = plugin;
  try {
    const { sessionKey } = ctx;
    const { entry } = sessionEntry(api.runtime.agent?.session, agent.cfg, agent.agentId, sessionKey);
    const shown = isAsked(agent.cfg, entry) ? lines : [];
    const before = Array.isArray(entry?.pluginDebugEntries) ? entry.pluginDebugEntries : [];
    if (shown.length === 0 && !before.some((/** @type {any} */ one) => one?.pluginId === PLUGIN_ID)) return;
    await patchEntry(plugin, agent, sessionKey, (existing) => {
      const entries = Array.isArray(existing?.pluginDebugEntries) ? existing.pluginDebugEntries : [];
      const others = entries.filter((/** @type {any} */ one) => typeof one?.pluginId === "string" && one.pluginId !== PLUGIN_ID);
      const all = shown.length > 0 ? [...others, { pluginId: PLUGIN_ID, lines: shown }] : others;
      return { pluginDebugEntries: all.length > 0 ? all : undefined };
    });
  } catch (error) {
    host.logger.debug?.(`${PLUGIN_ID}: active memory: no status line: ${errorText(error)}`);
  }
}

/**
 * Whether a conversation shows such lines.
 * @param {import("../host.js").HostConfig} cfg
 * @param {any} entry
 */
function isAsked(cfg, entry) {
  const isOn = (/** @type {unknown} */ level) => typeof level === "string" && level !== "" && level !== "off";
  const { verboseDefault, traceDefault } = cfg.agents?.defaults ?? {};
  return isOn(entry?.verboseLevel ?? verboseDefault) || isOn(entry?.traceLevel ?? traceDefault);
}

/**
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {string} sessionKey
 * @param {(entry: any) => Record<string, unknown>} update
 */
async function patchEntry({ api }, { cfg, agentId }, sessionKey, update) {
  const session = api.runtime.agent?.session;
  if (typeof session?.patchSessionEntry === "function") {
    await session.patchSessionEntry({ agentId, sessionKey, preserveActivity: true, update });
    return;
  }
  const sdk = await importSdk("config-runtime");
  await sdk?.updateSessionStore?.(session.resolveStorePath(cfg.session?.store, { agentId }), (/** @type {Record<string, any>} */ store) => {
    if (store[sessionKey]) Object.assign(store[sessionKey], update(store[sessionKey]));
  });
}
