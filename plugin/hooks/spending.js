// What a model took that answered one of our questions, as far as the host tells: booked by month, for whoever asks what
// memory costs.

import { isRecord } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { automaticAgent } from "./agent.js";
import { handOver } from "./at-exit.js";

/**
 * Books an answer; nobody waits for it. Hosts differ in where they tell the usage, and the oldest tell none.
 * @param {import("../host.js").Host} host
 * @param {{cfg: import("../host.js").HostConfig, agentId: string}} agent
 * @param {string} purpose `active-memory`, `consolidation`, `memory-capture`, …
 * @param {unknown} answer What the host gave.
 */
export function noteAnswer(host, { cfg, agentId }, purpose, answer) {
  const spent = spentOf(answer);
  if (!spent) return;
  const book = () => native().bookAnswer(automaticAgent(host, cfg, agentId).native, { purpose, ...spent });
  handOver(host, "what a model took was not booked", book);
}

/**
 * What an answer says of itself; nothing where it names no model or no tokens.
 * @param {unknown} answer Of a completion, of a run of an agent, or a message.
 * @returns {Omit<import("../../index.d.ts").AnswerSpent, "purpose"> | null}
 */
function spentOf(answer) {
  if (!isRecord(answer)) return null;
  const told = isRecord(answer.usage) ? answer : answer.meta?.agentMeta;
  if (!isRecord(told) || !isRecord(told.usage) || !told.provider || !told.model) return null;
  const { usage } = told;
  const sent = [usage.inputTokens ?? usage.input, usage.cacheReadTokens ?? usage.cacheRead, usage.cacheWriteTokens ?? usage.cacheWrite];
  const [inputTokens, outputTokens] = [sent.reduce((sum, some) => sum + tokens(some), 0), tokens(usage.outputTokens ?? usage.output)];
  if (inputTokens + outputTokens === 0) return null;
  const cost = usage.costUsd ?? usage.cost?.total;
  return {
    provider: String(told.provider),
    model: String(told.model),
    inputTokens,
    outputTokens,
    ...(Number.isFinite(cost) && cost > 0 ? { hostCost: Number(cost) } : {}),
  };
}

/** @param {unknown} value */
const tokens = (value) => (Number.isFinite(value) ? Math.max(0, Math.floor(Number(value))) : 0);
