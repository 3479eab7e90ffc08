// A host with our hooks and the native engine behind them, on a throw-away workspace.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { native } from "../../lib/native.js";
import { registerActiveMemory } from "../../plugin/active-memory/register.js";
import { automaticAgent } from "../../plugin/hooks/agent.js";
import { registerHooks } from "../../plugin/hooks/register.js";
import { Host } from "../../plugin/host.js";
import { makeWorkspace } from "../support/workspace.mjs";

export const MAIN = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", trigger: "user" };

/**
 * A host of a version with our hooks, on a throw-away workspace.
 * @param {Record<string, unknown>} settings
 * @param {{files?: Record<string, string>, version?: string, llm?: unknown, runtimeAgent?: Record<string, unknown>}} [options]
 */
export async function hooked(settings, { files, version = "2026.9.6", llm, runtimeAgent } = {}) {
  const home = await makeWorkspace(files);
  const cfg = { ...home.config(), plugins: { entries: { "memory-core-rs": { config: settings } } } };
  /** @type {Record<string, (event: Record<string, unknown>, ctx: Record<string, unknown>) => Promise<any>>} */
  const handlers = {};
  /** @type {string[]} */
  const warnings = [];
  /** @type {Record<string, (ctx: Record<string, unknown>) => Promise<{text: string}>>} */
  const commands = {};
  const api = {
    config: cfg,
    logger: { info: () => {}, warn: (/** @type {string} */ line) => warnings.push(line) },
    on: (/** @type {string} */ name, /** @type {(typeof handlers)[string]} */ handler) => {
      const others = handlers[name];
      handlers[name] = async (event, ctx) => {
        // Both begin at once: what a handler does before its first await is done when the call returns.
        const answers = [others?.(event, ctx), handler(event, ctx)];
        return (await answers[0]) ?? (await answers[1]);
      };
    },
    registerCommand: (/** @type {any} */ { name, handler }) => (commands[name] = handler),
    runtime: {
      version,
      config: { current: () => cfg },
      state: { resolveStateDir: () => home.stateDir },
      agent: { resolveAgentWorkspaceDir: () => home.workspace, ...runtimeAgent },
      ...(llm ? { llm } : {}),
    },
  };
  const host = new Host(api);
  registerHooks(api, host);
  registerActiveMemory(api, host);
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(host.managerRequest({ cfg, agentId: "main" })));
  await manager.sync();
  const agent = automaticAgent(host, cfg, "main").native;
  const today = async () => {
    const { captures } = await native().listCaptures(agent, 100);
    const stored = captures.find((capture) => capture.path);
    return stored?.path ? await readFile(path.join(home.workspace, stored.path), "utf8") : "";
  };
  /** Waits until no turn is left on the queue. */
  const drained = async () => {
    await expect.poll(async () => (await native().listCaptures(agent, 1)).waiting, { timeout: 30_000 }).toBe(0);
  };
  return { ...home, cfg, api, host, handlers, commands, warnings, manager, agent, today, drained };
}

/** @param {string[]} said */
export const turn = (...said) => ({
  success: true,
  runId: said.join(),
  messages: said.flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: "Fine." },
  ]),
});
