// One question to the user's model, by the best way a host version offers to plugins.

import { AsyncLocalStorage } from "node:async_hooks";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { isRecord } from "../../lib/config.js";
import { PLUGIN_ID } from "../../lib/package-info.js";

/** Time limit of an answer in milliseconds, and the longest answer in tokens, where a task names none. */
const TIMEOUT_MS = 30_000;
const MAX_TOKENS = 600;

/** @typedef {import("../../index.d.ts").ModelTask} ModelTask */
/** @typedef {Pick<ModelTask, "id" | "system" | "prompt"> & Partial<ModelTask>} Task A task of our own hooks leaves the rest to us. */

/** Runs work as if it had begun when this file was loaded: newer hosts refuse models to work that outlives its hook. */
export const outsideHooks = AsyncLocalStorage.snapshot();

/**
 * The same with a question. At each change of settings 2026.9.6 ends what it had loaded plugins in, and refuses models to what
 * began then; before anything is sent. The engine calls us from outside of all that.
 * @template T
 * @param {() => Promise<T>} ask
 * @returns {Promise<T>}
 */
export async function askOutsideHooks(ask) {
  try {
    return await outsideHooks(ask);
  } catch (error) {
    if (!String(/** @type {any} */ (error)?.message).includes("inventory has retired")) throw error;
    return await ask();
  }
}

/**
 * @param {Record<string, any>} runtime The host's, as a plugin has it.
 * @param {{cfg: import("../host.js").HostConfig, agentId: string}} agent
 * @param {Task} task
 * @param {(purpose: string, answer: unknown) => void} note Told what the host gave.
 * @returns {Promise<string>}
 */
export async function askModel(runtime, agent, task, note) {
  const { purpose = "memory-capture" } = task;
  const noted = (/** @type {any} */ answer) => {
    note(purpose, answer);
    return answer;
  };
  if (typeof runtime.llm?.complete === "function") return await askOutsideHooks(() => complete(runtime.llm, { ...task, purpose }, noted));
  const run = runtime.agent?.runEmbeddedPiAgent;
  if (typeof run === "function") return await askOutsideHooks(() => runEmbedded(runtime, run, agent, task, noted));
  throw new Error("this host offers plugins no way to ask a model; set autoCaptureMode to rules");
}

/**
 * From 2026.6: a plain completion with the default agent's model.
 * @param {Record<string, any>} llm
 * @param {Task} task
 * @param {(answer: any) => any} noted
 */
async function complete(llm, { system, prompt, purpose, maxTokens = MAX_TOKENS, timeoutMs }, noted) {
  const answer = llm.complete({
    messages: [{ role: "user", content: prompt }],
    systemPrompt: system,
    purpose: `${PLUGIN_ID}.${purpose}`,
    maxTokens,
  });
  const { text } = noted(await withinTime(answer, timeoutMs));
  return said(text);
}

/**
 * What a model said. Hosts answer with nothing where its provider failed, and no question of ours has nothing for an answer.
 * @param {unknown} text
 */
export function said(text) {
  if (typeof text !== "string" || text.trim() === "") {
    throw new Error("the model gave no answer: its provider failed, or said nothing. The log of the gateway has the provider's error");
  }
  return text;
}

/**
 * What a model said in a run of its own. A call that failed is among it, as the host's words for people.
 * @param {any} result The host's.
 * @returns {string[]}
 */
export function textsOfRun(result) {
  const payloads = Array.isArray(result?.payloads) ? result.payloads : [];
  return payloads
    .filter((/** @type {any} */ payload) => payload?.isError !== true)
    .map((/** @type {any} */ payload) => String(payload?.text ?? ""));
}

/** What the operator lets us ask for. @param {import("../host.js").HostConfig} cfg @returns {Record<string, any>} */
export function grantsOf(cfg) {
  const llm = cfg.plugins?.entries?.[PLUGIN_ID]?.llm;
  return isRecord(llm) ? llm : {};
}

/**
 * Before: an agent run of its own, without tools, in a file nobody else sees. The model must be named; the host would
 * take its built-in default and not the user's.
 * @param {Record<string, any>} runtime
 * @param {(request: Record<string, unknown>) => Promise<any>} run
 * @param {{cfg: import("../host.js").HostConfig, agentId: string}} agent
 * @param {Task} task
 * @param {(answer: any) => any} noted
 */
async function runEmbedded(runtime, run, { cfg, agentId }, { id, system, prompt, provider, model, timeoutMs = TIMEOUT_MS }, noted) {
  const dir = await mkdtemp(path.join(os.tmpdir(), `${PLUGIN_ID}-`));
  const sessionId = `${PLUGIN_ID}-${id}`;
  try {
    const answer = run({
      sessionId,
      // The key tells our own hooks to leave this run alone.
      sessionKey: `agent:${agentId}:memory-capture:${sessionId}`,
      agentId,
      sessionFile: path.join(dir, "session.jsonl"),
      workspaceDir: dir,
      agentDir: runtime.agent.resolveAgentDir?.(cfg, agentId),
      config: cfg,
      prompt: `${system}\n\n${prompt}`,
      ...chosenModel(cfg, provider, model),
      runId: sessionId,
      timeoutMs,
      disableTools: true,
      trigger: "manual",
      thinkLevel: "off",
      reasoningLevel: "off",
      verboseLevel: "off",
    });
    return said(textsOfRun(noted(await withinTime(answer, timeoutMs))).join(""));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * The model of the turn, else the configured one.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string | null | undefined} provider
 * @param {string | null | undefined} model
 */
function chosenModel(cfg, provider, model) {
  if (provider && model) return { provider, model };
  return modelNamed(primaryModel(cfg.agents?.defaults?.model));
}

/** The name of a configured model, `provider/model`. @param {any} configured With its fallbacks, or alone. @returns {string | undefined} */
export const primaryModel = (configured) => (typeof configured === "string" ? configured : configured?.primary);

/** What a run takes for a model of that name; nothing, which is the agent's own, for none. @param {unknown} named */
export function modelNamed(named) {
  const name = String(named ?? "");
  const at = name.indexOf("/");
  return at > 0 ? { provider: name.slice(0, at), model: name.slice(at + 1) } : {};
}

/**
 * @template T
 * @param {Promise<T>} answer
 * @param {number} [ms]
 * @returns {Promise<T>}
 */
async function withinTime(answer, ms = TIMEOUT_MS) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the model did not answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([answer, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
