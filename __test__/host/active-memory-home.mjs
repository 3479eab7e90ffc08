// A real host with active memory on, a model in front of whose answers a proxy stands, and what its suites say to it.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { eventually, MAIN, memoryHost, text } from "./memory-host.mjs";
import { SlowModel } from "./slow-model.mjs";

/** Longest a reply waits here; a busy machine opens the index in the first turn. */
export const TIMEOUT_MS = 5000;

/** How a block of ours begins, by a model's help or by the search alone. */
export const A_BLOCK = /<(?:active_memory_plugin|relevant-memories)>/;

/** What the host itself may do on a busy machine before an abort takes effect, and between our hook and its request. */
export const HOST_MS = 1500;

/** A note that answers, and what else there is. */
export const FALCON = {
  "MEMORY.md": "# Memory\n",
  "memory/falcon.md": "# Falcon\n\n- We decided that Falcon stores its data in PostgreSQL 17, after the outage in May.\n",
};
export const KITCHEN = { "memory/kitchen.md": "# Kitchen\n\n- The oven runs too hot: bake bread twenty degrees lower.\n" };

/** The conversation's own model has nothing to say. */
export const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  { match: ".", reply: "HELLO" },
];

/** @typedef {Awaited<ReturnType<typeof activeHome>>} ActiveHome */

/**
 * Starts a proxy before the provider of a host.
 * @param {string} baseUrl
 */
async function proxyBefore(baseUrl) {
  const model = new SlowModel(baseUrl);
  model.server.listen(0, "127.0.0.1");
  await once(model.server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (model.server.address());
  return { model, url: `http://127.0.0.1:${port}/v1` };
}

/**
 * @param {string} version
 * @param {{files: Record<string, string>, rules: object[], active?: Record<string, unknown>, others?: Record<string, string>,
 *   config?: (config: Record<string, any>, other: {url: string, workspace: string}) => void}} setup
 *   `active`: what differs from our usual settings of active memory; `config`: what differs in the host's, which is handed the
 *   address of another proxy and a workspace with the notes `others`.
 */
export async function activeHome(version, { files, rules, active = {}, others = {}, config: change }) {
  const home = await memoryHost(version, { files, rules });
  const { host } = home;
  const [{ model, url }, other] = await Promise.all([proxyBefore(host.baseUrl), proxyBefore(host.baseUrl)]);
  const workspace = path.join(host.dir, "other-workspace");
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  for (const [name, note] of Object.entries(others)) await writeFile(path.join(workspace, "memory", name), note);
  await host.edit((entry, config) => {
    config.models.providers.fake.baseUrl = url;
    const activeMemory = { enabled: true, timeoutMs: TIMEOUT_MS, lateMs: 3000, queryMode: "message", mode: "always", ...active };
    entry.config = { ...entry.config, autoRecallTimeoutMs: 5000, activeMemory };
    change?.(config, { url: other.url, workspace });
  });
  await host.ok("memory", "index");
  await host.startGateway();

  /**
   * Says something on the web, and waits until the agent's model was asked: its request, and how long that took.
   * @param {string} message
   * @param {string} [sessionKey]
   * @param {SlowModel} [asked] The proxy that the agent's requests go through.
   */
  async function say(message, sessionKey = MAIN, asked = model) {
    const from = asked.main.length;
    const began = Date.now();
    await home.call("chat.send", { sessionKey, message, idempotencyKey: randomUUID() });
    const isMine = (/** @type {any} */ one) => one.role === "user" && text(one).includes(message);
    const mine = () => asked.main.slice(from).find(({ body }) => body.messages.some(isMine));
    const isAsked = async () => mine() !== undefined;
    expect(await eventually(isAsked), `not asked: ${message}\n${host.gatewayOutput.slice(-3000)}`).toBe(true);
    const found = /** @type {NonNullable<ReturnType<typeof mine>>} */ (mine());
    // Newer hosts put context of their own behind it.
    const newest = text(found.body.messages.findLast(isMine));
    return { ...found, ms: found.at - began, newest };
  }

  /**
   * Says it, and waits until the turn is over, so that the next one finds it in the conversation.
   * @param {string} message
   * @param {string} [sessionKey]
   */
  async function sayToTheEnd(message, sessionKey = MAIN) {
    const turn = await say(message, sessionKey);
    const isOver = async () => {
      const { messages } = await home.call("chat.history", { sessionKey });
      const at = messages.findLastIndex((/** @type {any} */ one) => one.role === "user" && text(one).includes(message));
      return at >= 0 && messages.slice(at).some((/** @type {any} */ one) => one.role === "assistant");
    };
    expect(await eventually(isOver), `no end: ${message}`).toBe(true);
    return turn;
  }

  /** A command, which reaches no model; its effect is what the next turn shows. @param {string} line @param {string} [sessionKey] */
  async function command(line, sessionKey = MAIN) {
    await home.call("chat.send", { sessionKey, message: line, idempotencyKey: randomUUID() });
    await pause(3000);
  }

  /** What a conversation answers a command. @param {string} line @param {string} [sessionKey] */
  async function answerTo(line, sessionKey = MAIN) {
    const before = host.shown(sessionKey).length;
    await home.call("chat.send", { sessionKey, message: line, idempotencyKey: randomUUID() });
    expect(await eventually(async () => host.shown(sessionKey).length > before), `no answer to ${line}`).toBe(true);
    return host.shown(sessionKey).slice(before).join("\n");
  }

  /** Ends the proxy; hosts end with their suite. */
  function close() {
    for (const { server } of [model, other.model]) {
      server.closeAllConnections();
      server.close();
    }
  }

  return { home, host, model, other: other.model, say, sayToTheEnd, command, answerTo, close };
}
