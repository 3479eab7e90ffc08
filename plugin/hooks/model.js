// One question to the user's model, by the best way a host version offers to plugins.

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PLUGIN_ID } from "../../lib/package-info.js";

/** Time limit of an answer in milliseconds (K5). */
const TIMEOUT_MS = 30_000;
/** Longest answer in tokens. */
const MAX_TOKENS = 600;

/** @typedef {{id: string, system: string, prompt: string, provider?: string | null, model?: string | null}} Task */

/**
 * @param {import("./capture.js").Plugin} plugin
 * @param {import("./agent.js").Agent} agent
 * @param {Task} task
 * @returns {Promise<string>}
 */
export async function askModel({ api }, agent, task) {
  const { runtime } = api;
  if (typeof runtime.llm?.complete === "function") return await complete(runtime.llm, task);
  const run = runtime.agent?.runEmbeddedPiAgent;
  if (typeof run === "function") return await runEmbedded(runtime, run, agent, task);
  throw new Error("this host offers plugins no way to ask a model; set autoCaptureMode to rules");
}

/**
 * From 2026.6: a plain completion with the default agent's model.
 * @param {Record<string, any>} llm
 * @param {Task} task
 */
async function complete(llm, { system, prompt }) {
  const answer = llm.complete({
    messages: [{ role: "user", content: prompt }],
    systemPrompt: system,
    purpose: `${PLUGIN_ID}.memory-capture`,
    maxTokens: MAX_TOKENS,
  });
  const { text } = await withinTime(answer);
  return String(text ?? "");
}

/**
 * Before: an agent run of its own, without tools, in a file nobody else sees. The model must be named; the host would
 * take its built-in default and not the user's.
 * @param {Record<string, any>} runtime
 * @param {(request: Record<string, unknown>) => Promise<any>} run
 * @param {import("./agent.js").Agent} agent
 * @param {Task} task
 */
async function runEmbedded(runtime, run, { cfg, agentId }, { id, system, prompt, provider, model }) {
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
      timeoutMs: TIMEOUT_MS,
      disableTools: true,
      trigger: "manual",
      thinkLevel: "off",
      reasoningLevel: "off",
      verboseLevel: "off",
    });
    const { payloads } = await withinTime(answer);
    return (payloads ?? []).map((/** @type {{text?: string}} */ payload) => payload.text ?? "").join("");
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
  const configured = cfg.agents?.defaults?.model;
  const name = String((typeof configured === "string" ? configured : configured?.primary) ?? "");
  const at = name.indexOf("/");
  return at > 0 ? { provider: name.slice(0, at), model: name.slice(at + 1) } : {};
}

/**
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
async function withinTime(answer) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the model did not answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
