// The settings of the active memory that comes with the host, as ours: `setup --import-active-memory`.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { isRecord, listAgentIds, pluginSettings, sessionAgentId } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { BUNDLED_ID } from "../active-memory/bundled.js";
import { automaticAgent } from "../hooks/agent.js";
import { grantsOf } from "../hooks/model.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("./predecessors.js").Predecessor} Predecessor
 */

/** Settings of the same name and meaning. */
const SAME = [
  "agents",
  "allowedChatTypes",
  "allowedChatIds",
  "deniedChatIds",
  "model",
  "modelFallback",
  "thinking",
  "queryMode",
  "promptStyle",
  "promptOverride",
  "promptAppend",
  "maxSummaryChars",
  "recentUserTurns",
  "recentAssistantTurns",
  "recentUserChars",
  "recentAssistantChars",
  "cacheTtlMs",
  "circuitBreakerMaxTimeouts",
  "circuitBreakerCooldownMs",
  "logging",
  "persistTranscripts",
  "transcriptDir",
];

/** The same, for the engine "agent" only: one call has no tools. */
const OF_AGENT = ["toolsAllow", "setupGraceTimeoutMs", "fastMode"];

/** What has no counterpart. */
const DROPPED = ["modelFallbackPolicy", "qmd"];

/** Longest a reply waits after an import, in milliseconds: a single call needs no more. */
const MOST_MS = 5000;

/** @param {string} name */
const ours = (name) => `plugins.entries.${PLUGIN_ID}.config.activeMemory.${name}`;
/** @param {string} name */
const theirs = (name) => `plugins.entries.${BUNDLED_ID}.config.${name}`;

/**
 * What an import writes; nothing where the plugin was never configured, or was imported. Keys of ours that are set stay.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @returns {Predecessor | null}
 */
export function activeMemoryImport(host, cfg) {
  const entry = cfg.plugins?.entries?.[BUNDLED_ID];
  if (!isRecord(entry) || !isRecord(entry.config) || entry.enabled === false) return null;
  const { config } = entry;
  const from = (/** @type {string} */ name) => `from ${theirs(name)}`;
  const notes = [];
  const wanted = [...SAME, ...OF_AGENT]
    .filter((name) => config[name] !== undefined)
    .map((name) => ({
      key: ours(name),
      value: config[name],
      reason: from(name),
    }));
  wanted.push({ key: ours("enabled"), value: config.enabled !== false, reason: from("enabled") });
  const mode = config.mode ?? (host.has("escalatingRecall") ? "escalate" : "always");
  wanted.push({
    key: ours("mode"),
    value: mode,
    reason: config.mode === undefined ? "as this host's plugin does by itself" : from("mode"),
  });
  if (config.promptOverride !== undefined || config.maxSummaryChars !== undefined)
    wanted.push({ key: ours("answer"), value: "summary", reason: "its prompt is about a summary" });
  if (typeof config.timeoutMs === "number") {
    wanted.push({ key: ours("timeoutMs"), value: Math.min(config.timeoutMs, MOST_MS), reason: from("timeoutMs") });
    if (config.timeoutMs > MOST_MS)
      notes.push(`A reply waits for at most ${MOST_MS} ms instead of ${config.timeoutMs}: a single call needs no more.`);
  }
  for (const name of DROPPED) if (config[name] !== undefined) notes.push(`${name} is not taken over: ours has nothing like it.`);
  const idle = OF_AGENT.filter((name) => config[name] !== undefined);
  if (idle.length > 0)
    notes.push(`${idle.join(", ")}: of use only with activeMemory.engine "agent"; ours asks a model once, without tools.`);
  if (config.model !== undefined) wanted.push(...grants(cfg, config.model));
  /** @type {Record<string, any> | undefined} */
  const set = pluginSettings(cfg).activeMemory;
  const isOpen = (/** @type {string} */ key) =>
    !key.startsWith(ours("")) || !isRecord(set) || set[key.slice(ours("").length)] === undefined;
  const off = { key: `plugins.entries.${BUNDLED_ID}.enabled`, value: false, reason: "only one of the two may run" };
  return { id: BUNDLED_ID, wanted: [...wanted.filter(({ key }) => isOpen(key)), off], notes };
}

/**
 * What the host wants to be told before a plugin may name a model.
 * @param {HostConfig} cfg
 * @param {unknown} model
 */
function grants(cfg, model) {
  const { allowedModels } = grantsOf(cfg);
  const models = [...new Set([...(Array.isArray(allowedModels) ? allowedModels : []), String(model)])];
  const reason = "else the host refuses the model that is named";
  return [
    { key: `plugins.entries.${PLUGIN_ID}.llm.allowModelOverride`, value: true, reason },
    { key: `plugins.entries.${PLUGIN_ID}.llm.allowedModels`, value: models, reason },
  ];
}

/**
 * Takes over which conversations were paused, from the file of older hosts; newer ones keep that to themselves. Gives how
 * many.
 * @param {Host} host
 * @param {HostConfig} cfg
 */
export async function importPauses(host, cfg) {
  const file = path.join(host.stateDir(), "plugins", BUNDLED_ID, "session-toggles.json");
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return 0;
  const { sessions } = JSON.parse(text);
  const paused = Object.entries(isRecord(sessions) ? sessions : {}).filter(([, state]) => state?.disabled === true);
  for (const agentId of listAgentIds(cfg)) {
    const keys = paused.map(([key]) => key).filter((sessionKey) => sessionAgentId(cfg, { sessionKey }) === agentId);
    if (keys.length > 0) native().setActiveMemoryOff(automaticAgent(host, cfg, agentId).native, keys, true);
  }
  return paused.length;
}
