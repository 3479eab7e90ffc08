// Runs of consolidation: what the command line, the gateway's methods, `/dreaming` and the service have in common.

import { defaultAgentId } from "../../lib/config.js";
import { errorText, switchedOff } from "../../lib/errors.js";
import { MemoryIndexManager } from "../../lib/manager.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { askModel, askOutsideHooks, grantsOf, said } from "../hooks/model.js";
import { noteAnswer } from "../hooks/spending.js";
import { chosen, coAgents, nativeAgent } from "./agent.js";

/**
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{api?: PluginApi, host: Host, cfg: HostConfig, agentId: string}} Place
 * @typedef {{system: string, prompt: string}} Question
 */

/** Longest answer of a model in tokens. */
const MAX_TOKENS = 4_000;
/** Time limit of an answer in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * One operation of the engine on the workspace of an agent.
 * @param {Place} place
 * @param {{op: string} & Record<string, unknown>} call
 */
export async function consolidate({ host, cfg, agentId }, call) {
  const manager = await MemoryIndexManager.get(host.managerRequest({ cfg, agentId, purpose: "cli" }));
  if (!manager) throw switchedOff(agentId);
  try {
    return await manager.consolidate(nativeAgent(host, cfg, agentId), call);
  } finally {
    await manager.close();
  }
}

/**
 * Plans a run with what all agents of the workspace know. Writes no file, and asks no model.
 * @param {Place} place
 */
export async function plan(place) {
  const others = [];
  for (const agentId of coAgents(place.host, place.cfg, place.agentId)) {
    if (agentId === place.agentId) continue;
    try {
      others.push(...(await consolidate({ ...place, agentId }, { op: "evidence" })));
    } catch (error) {
      place.host.logger.warn(`${PLUGIN_ID}: consolidation: agent ${agentId}: ${errorText(error)}`);
    }
  }
  return await consolidate(place, { op: "plan", others });
}

/**
 * Carries a plan out: the one that is named, else a new one. Asks a model once where the settings say so.
 * @param {Place} place
 * @param {{run?: string, only?: string[]}} [wanted]
 */
export async function apply(place, { run, only = [] } = {}) {
  const planned = run ? undefined : await plan(place);
  const question = planned?.question ?? (run ? await questionOf(place, run) : undefined);
  const answer = question && (await ask(place, question));
  return await consolidate(place, { op: "apply", run: run ?? planned?.runId, only, ...(answer ? { answer } : {}) });
}

/**
 * The question of a plan that was made before.
 * @param {Place} place
 * @param {string} run
 * @returns {Promise<Question | undefined>}
 */
async function questionOf(place, run) {
  if (chosen(place.cfg, place.agentId).writer !== "abstractive") return undefined;
  return (await consolidate(place, { op: "question", run })) ?? undefined;
}

/**
 * One call of a model. When it fails the sentences stand as they were found.
 * @param {Place} place
 * @param {Question} question
 */
async function ask({ api, host, cfg, agentId }, { system, prompt }) {
  try {
    if (!api) throw new Error("no model can be asked here");
    const { llm } = api.runtime;
    const { model } = chosen(cfg, agentId);
    if (typeof llm?.complete !== "function") {
      // Hosts before 2026.6 tell no usage.
      const task = { id: "consolidation", system, prompt, purpose: "consolidation", maxTokens: MAX_TOKENS, timeoutMs: TIMEOUT_MS };
      return {
        text: await askModel(api.runtime, { cfg, agentId }, task, (purpose, answer) => noteAnswer(host, { cfg, agentId }, purpose, answer)),
      };
    }
    const request = {
      messages: [{ role: "user", content: prompt }],
      systemPrompt: system,
      purpose: `${PLUGIN_ID}.consolidation`,
      maxTokens: MAX_TOKENS,
      ...accountOf(cfg, agentId),
      ...(model ? { model } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const answer = await askOutsideHooks(() => llm.complete(request));
    noteAnswer(host, { cfg, agentId }, "consolidation", answer);
    const { text, usage } = answer;
    return { text: said(text), inputTokens: tokens(usage?.inputTokens), outputTokens: tokens(usage?.outputTokens) };
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: consolidation: ${errorText(error)}; the sentences stand as they were found`);
    return { text: "" };
  }
}

/**
 * Whose model is asked. Hosts take the default agent for who names none, and let a plugin name one only where the operator
 * does; another agent's notes must not leave through the default agent's account.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
function accountOf(cfg, agentId) {
  if (agentId === defaultAgentId(cfg)) return {};
  if (grantsOf(cfg).allowAgentIdOverride === true) return { agentId };
  throw new Error(`the host asks the model of ${agentId} for us only with plugins.entries.${PLUGIN_ID}.llm.allowAgentIdOverride: true`);
}

/** @param {unknown} value */
function tokens(value) {
  return Number.isFinite(value) ? Math.max(0, Math.floor(Number(value))) : 0;
}
