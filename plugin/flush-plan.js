// The silent turn before a compaction, in which the model saves what should outlive the conversation.

import { userTimeZone } from "../lib/config.js";
import { knownTimeZone, localTime } from "../lib/time.js";

/**
 * @typedef {{softThresholdTokens: number, forceFlushTranscriptBytes: number, reserveTokensFloor: number, prompt: string,
 *   systemPrompt: string, relativePath: string, model?: string}} FlushPlan
 */

/** The flush starts this many tokens before the host would compact. */
const SOFT_THRESHOLD_TOKENS = 4000;
/** A transcript of this size is flushed whatever its tokens. */
const FORCE_FLUSH_BYTES = 2 * 1024 * 1024;
/** Tokens the host keeps free for the compaction itself. */
const RESERVE_TOKENS = 20_000;
/** Newer hosts reserve at most this share of the context window. */
const RESERVE_SHARE = 0.25;
/** What the host takes for "no reply". */
const SILENT = "NO_REPLY";

/**
 * Rules of the flush turn, with `{date}` for the day. They are added to prompts of the user's own that lack them.
 * `{file}` occurs in each, so that a prompt which has a rule can be told from one that has not.
 */
const RULES = [
  "Write only to {file}; create the folder memory/ when it does not exist.",
  "When {file} exists, append to it: never replace or shorten what it holds, and start no second file such as memory/{date}-HHMM.md.",
  "Next to {file}, everything is read-only in this turn: MEMORY.md, DREAMS.md, SOUL.md, TOOLS.md, AGENTS.md and the other files of the workspace.",
];

const PROMPT =
  "Memory flush before compaction: save what should be remembered of this conversation – decisions, facts, preferences, open tasks.";
const SYSTEM_PROMPT = "This is a memory flush turn. The conversation is about to be compacted; what is not written down now is lost.";

/**
 * The plan of the next flush; null when flushing is switched off.
 * @param {{cfg?: import("./host.js").HostConfig, nowMs?: number, contextWindowTokens?: number}} [request]
 * @returns {FlushPlan | null}
 */
export function buildFlushPlan({ cfg = {}, nowMs, contextWindowTokens } = {}) {
  const compaction = cfg.agents?.defaults?.compaction ?? {};
  const settings = compaction.memoryFlush ?? {};
  if (settings.enabled === false) return null;
  const now = new Date(Number.isFinite(nowMs) ? Number(nowMs) : Date.now());
  const timeZone = knownTimeZone(userTimeZone(cfg));
  const { date, time } = localTime(now, timeZone);
  const relativePath = `memory/${date}.md`;
  const fill = (/** @type {string} */ text) =>
    text.replaceAll("{file}", relativePath).replaceAll("{date}", date).replaceAll("YYYY-MM-DD", date);
  const clock = `Current time: ${date} ${time} (${timeZone}), ${now.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return {
    ...thresholds(settings, compaction, contextWindowTokens),
    prompt: withClock(fill(withRules(text(settings.prompt) ?? PROMPT)), clock),
    systemPrompt: fill(withRules(text(settings.systemPrompt) ?? SYSTEM_PROMPT)),
    relativePath,
    ...(text(settings.model) ? { model: text(settings.model) } : {}),
  };
}

/**
 * @param {Record<string, any>} settings
 * @param {Record<string, any>} compaction
 * @param {number | undefined} contextWindowTokens
 */
function thresholds(settings, compaction, contextWindowTokens) {
  const soft = wholeNumber(settings.softThresholdTokens) ?? SOFT_THRESHOLD_TOKENS;
  const reserve = wholeNumber(compaction.reserveTokensFloor) ?? RESERVE_TOKENS;
  const forceFlushTranscriptBytes = byteSize(settings.forceFlushTranscriptBytes) ?? FORCE_FLUSH_BYTES;
  const window = wholeNumber(contextWindowTokens);
  if (!window) return { softThresholdTokens: soft, forceFlushTranscriptBytes, reserveTokensFloor: reserve };
  // A small window must not be eaten up by reserves: the flush would run in every turn.
  const reserveTokensFloor = Math.min(reserve, Math.floor(window * RESERVE_SHARE));
  return {
    softThresholdTokens: Math.min(soft, Math.floor((window - reserveTokensFloor) / 2)),
    forceFlushTranscriptBytes,
    reserveTokensFloor,
  };
}

/** @param {string} prompt */
function withRules(prompt) {
  const missing = RULES.filter((rule) => !prompt.includes(rule));
  const silent = prompt.includes(SILENT) ? [] : [`When there is nothing to save, or nothing to tell the user, answer with ${SILENT}.`];
  return [prompt.trim(), ...missing, ...silent].join("\n");
}

/**
 * @param {string} prompt
 * @param {string} clock
 */
function withClock(prompt, clock) {
  return prompt.includes("Current time:") ? prompt : `${prompt}\n${clock}`;
}

/** @param {unknown} value */
function text(value) {
  return typeof value === "string" && value.trim() ? value.trim() : undefined;
}

/** @param {unknown} value */
function wholeNumber(value) {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

/**
 * Bytes, or a text such as `512kb` or `2 MB`.
 * @param {unknown} value
 */
function byteSize(value) {
  if (typeof value !== "string") return wholeNumber(value);
  const match = /^(\d+(?:\.\d+)?)\s*(k|m|g|t)?i?b?$/i.exec(value.trim());
  if (!match) return undefined;
  const power = ["", "k", "m", "g", "t"].indexOf((match[2] ?? "").toLowerCase());
  return Math.floor(Number(match[1]) * 1024 ** power);
}
