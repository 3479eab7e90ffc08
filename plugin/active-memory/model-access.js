// By which way the agent's own model is asked: once, without tools, or as an agent that searches by itself. Versions of the
// host differ in what they offer a plugin, and in whose account they use: another agent's notes must not leave through the
// default agent's.

import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { grantsOf } from "../hooks/model.js";
import { noteAnswer } from "../hooks/spending.js";
import { importSdk } from "../sdk.js";
import { askAgent, canRunAgent } from "./sub-agent.js";

/**
 * @typedef {import("../hooks/agent.js").Agent} Agent
 * @typedef {{api: import("../host.js").PluginApi, host: import("../host.js").Host}} Plugin
 * @typedef {{system: string, prompt: string, maxTokens: number}} Task
 * @typedef {{signal: AbortSignal, noted: (answer: any) => any}} How `noted` is told what the host gave.
 * @typedef {{text: string, seen: string[]}} Answer `seen`: what tools gave an agent that answers.
 * @typedef {{name: string, model?: string, policy: string}} Named
 *   `name`: which model by which way; `model`: where one is named; `policy`: what the configuration says about it.
 * @typedef {Named & {tools: string[], ask: (task: Task, signal: AbortSignal) => Promise<Answer>}} Access `tools`: those of an agent.
 */

/** What the host shows as the reason of a call. */
const PURPOSE = `${PLUGIN_ID}.active-memory`;

/** How long a model that was made ready is used, in milliseconds. */
const PREPARED_MS = 300_000;

/** Whether the log has been told that this host runs no agent for us. */
let isTold = false;

/**
 * The way for an agent in a conversation; null where its model must not or cannot be asked.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 * @returns {Access | null}
 */
export function modelAccess(plugin, agent, ctx) {
  const own = agent.settings.activeMemory;
  if (own.engine === "agent") {
    if (canRunAgent(plugin)) {
      const model = own.model ?? sessionModel(ctx);
      const name = `run ${agent.agentId} ${model ?? ""}`;
      return { name, model, policy: "", tools: own.toolsAllow, ask: ({ prompt }, signal) => askAgent(plugin, agent, ctx, prompt, signal) };
    }
    if (!isTold) {
      isTold = true;
      plugin.host.logger.warn(`${PLUGIN_ID}: activeMemory.engine "agent" needs a host from 2026.6; a model is asked once instead`);
    }
  }
  const once = askOnce(plugin, agent, ctx);
  return once && { ...once, tools: [], ask: async (task, signal) => ({ text: await once.ask(task, signal), seen: [] }) };
}

/**
 * What the engine keeps the failures of a model under. Homes that share a process share no failures.
 * @param {import("../host.js").Host} host
 * @param {Access | null} access
 */
export function breakerKey(host, access) {
  return JSON.stringify([host.stateDir(), access?.name ?? "none", access?.model ?? null]);
}

/**
 * The models of an agent that are not asked now: which, where one is named, and until when, where it failed or took too long.
 * @param {import("../host.js").Host} host
 * @param {string} agentId
 * @returns {{model: string | null, untilMs: number | null, timedOut: boolean}[]}
 */
export function suspendedModels(host, agentId) {
  const home = host.stateDir();
  return native()
    .activeMemorySuspended(agentId)
    .map(({ model: key, ...why }) => ({ key: JSON.parse(key), ...why }))
    .filter(({ key }) => key[0] === home)
    .map(({ key, ...why }) => ({ model: key[2], ...why }));
}

/**
 * The way to one answer without tools.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 * @returns {Named & {ask: (task: Task, signal: AbortSignal) => Promise<string>} | null}
 */
function askOnce({ api, host }, agent, ctx) {
  const { runtime } = api;
  const grants = grantsOf(agent.cfg);
  const wanted = agent.settings.activeMemory.model ?? (grants.allowModelOverride ? sessionModel(ctx) : undefined);
  const model = grants.allowModelOverride === true ? wanted : undefined;
  const policy = JSON.stringify([grants, wanted ?? null]);
  const noted = (/** @type {any} */ answer) => {
    noteAnswer(host, agent, "active-memory", answer);
    return answer;
  };
  if (typeof runtime.llm?.complete === "function") {
    const { isDefaultAgent } = agent.native;
    if (isDefaultAgent || grants.allowAgentIdOverride === true) {
      const who = isDefaultAgent ? {} : { agentId: agent.agentId };
      const how = host.has("completionReasoning") ? { reasoning: agent.settings.activeMemory.thinking } : {};
      const more = { ...who, ...how, ...(model ? { model } : {}) };
      return {
        name: `llm ${agent.agentId} ${model ?? ""}`,
        model,
        policy,
        ask: (task, signal) => complete(runtime.llm, task, { more, signal, noted }),
      };
    }
    if (typeof runtime.subagent?.complete !== "function") return null;
    const ms = agent.settings.activeMemory.timeoutMs + agent.settings.activeMemory.lateMs;
    return {
      name: `agent ${agent.agentId}`,
      policy,
      ask: (task, signal) => completeAs(runtime.subagent, agent.agentId, task, { ms, signal, noted }),
    };
  }
  // Only hosts that offer nothing else: on others this would go round what the operator allows.
  if (typeof runtime.agent?.runEmbeddedPiAgent !== "function") return null;
  const named = agent.settings.activeMemory.model ?? sessionModel(ctx);
  return {
    name: `sdk ${agent.agentId} ${named ?? ""}`,
    model: named,
    policy,
    ask: (task, signal) => completePrepared(agent, named, task, { signal, noted }),
  };
}

/** The model of the conversation. @param {Record<string, any>} ctx */
const sessionModel = ({ modelProviderId, modelId }) => (modelProviderId && modelId ? `${modelProviderId}/${modelId}` : undefined);

/** Whether a host's error says that it does not let us. @param {any} error */
export const isRefusal = (error) =>
  error?.code === "LLM_COMPLETION_NOT_AUTHORIZED" || /cannot override|not authorized|not allowlisted/i.test(String(error?.message ?? ""));

/**
 * From 2026.6. An abort does not throw there: it gives what had come until then.
 * @param {Record<string, any>} llm
 * @param {Task} task
 * @param {{more: Record<string, unknown>} & How} how
 */
async function complete(llm, { system, prompt, maxTokens }, { more, signal, noted }) {
  const { text } = noted(
    await llm.complete({
      messages: [{ role: "user", content: prompt }],
      systemPrompt: system,
      purpose: PURPOSE,
      maxTokens,
      temperature: 0,
      signal,
      ...more,
    }),
  );
  return whole(String(text ?? ""), signal);
}

/**
 * From 2026.9, for an agent that is not the default one: with that agent's model and account.
 * @param {Record<string, any>} subagent
 * @param {string} agentId
 * @param {Task} task
 * @param {{ms: number} & How} how
 */
async function completeAs(subagent, agentId, { system, prompt }, { ms: timeoutMs, signal, noted }) {
  const answer = noted(await subagent.complete({ agentId, message: prompt, extraSystemPrompt: system, timeoutMs, signal }));
  return whole(String(typeof answer === "string" ? answer : (answer?.text ?? "")), signal);
}

/** Models that were made ready, by configuration, agent and model. @type {WeakMap<object, Map<string, {at: number, ready: Promise<any>}>>} */
const prepared = new WeakMap();

/**
 * A model made ready by the host's own parts, which takes it a second of work; nothing on hosts that offer a completion.
 * @param {Agent} agent
 * @param {string | undefined} model
 */
function prepare({ cfg, agentId, settings }, model) {
  const known = prepared.get(cfg) ?? new Map();
  prepared.set(cfg, known);
  const key = `${agentId}\n${model ?? ""}`;
  const before = known.get(key);
  if (before && Date.now() - before.at < PREPARED_MS) return before.ready;
  const ready = prepareNow(cfg, agentId, model, settings.activeMemory.modelFallback);
  known.set(key, { at: Date.now(), ready });
  // What failed once may work the next time.
  ready.catch(() => known.delete(key));
  return ready;
}

/**
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {string | undefined} model
 * @param {string | undefined} fallback
 */
async function prepareNow(cfg, agentId, model, fallback) {
  const sdk = await importSdk("simple-completion-runtime");
  if (typeof sdk?.prepareSimpleCompletionModelForAgent !== "function")
    throw new Error("this host offers plugins no way to ask a model once");
  const first = await sdk.prepareSimpleCompletionModelForAgent({ cfg, agentId, modelRef: model });
  const chosen =
    "error" in first && fallback ? await sdk.prepareSimpleCompletionModelForAgent({ cfg, agentId, modelRef: fallback }) : first;
  if ("error" in chosen) throw new Error(`no model could be made ready: ${chosen.error}`);
  return { sdk, model: chosen.model, auth: chosen.auth };
}

/**
 * Makes ready what the first question would wait for.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 */
export function makeReady({ api }, agent, ctx) {
  if (typeof api.runtime.llm?.complete === "function" || typeof api.runtime.agent?.runEmbeddedPiAgent !== "function") return;
  // Whoever asks hears of a failure.
  prepare(agent, agent.settings.activeMemory.model ?? sessionModel(ctx)).catch(() => {});
}

/**
 * Before 2026.6.
 * @param {Agent} agent
 * @param {string | undefined} named
 * @param {Task} task
 * @param {How} how
 */
async function completePrepared(agent, named, { system, prompt, maxTokens }, { signal, noted }) {
  const { sdk, model, auth } = await prepare(agent, named);
  signal.throwIfAborted();
  const context = { systemPrompt: system, messages: [{ role: "user", content: prompt, timestamp: Date.now() }] };
  const options = { maxTokens, temperature: 0, signal };
  const answer = noted(await sdk.completeWithPreparedSimpleCompletionModel({ model, auth, context, options }));
  if (answer?.stopReason === "error" || answer?.stopReason === "aborted") {
    prepared.get(agent.cfg)?.clear();
    throw new Error("the model failed");
  }
  return whole(String(sdk.extractAssistantText?.(answer) ?? textOf(answer)), signal);
}

/** @param {any} answer */
const textOf = (answer) =>
  (Array.isArray(answer?.content) ? answer.content : [])
    .map((/** @type {any} */ part) => (part?.type === "text" ? part.text : ""))
    .join("");

/**
 * A text that came whole: after our own abort hosts hand over the part that had come.
 * @param {string} text
 * @param {AbortSignal} signal
 */
function whole(text, signal) {
  signal.throwIfAborted();
  return text;
}
