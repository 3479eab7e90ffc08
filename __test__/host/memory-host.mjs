// A real host with the packed plugin installed, and what the suites of the automatic memory ask of it.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, inject } from "vitest";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { TestHost } from "./harness.mjs";

export const ID = PLUGIN_ID;

/** Key of the conversation that the command line and the suites talk in. */
export const MAIN = "agent:main:main";

export const RESET = { key: MAIN, reason: "new" };

/** Patience for work that nobody waits for, in milliseconds. */
const PATIENCE_MS = 180_000;

/** @param {any} message */
export const text = (message) => (typeof message.content === "string" ? message.content : JSON.stringify(message.content ?? ""));

/** The messages of a role that reached the model, as they did. @param {any[]} chats @param {string} role */
export const messagesOf = (chats, role) =>
  chats.flatMap((chat) => chat.messages.filter((/** @type {any} */ message) => message.role === role).map(text));

/**
 * What tools answered, as they reached the model, without the wrapper of hosts that let it call tools through another one.
 * @param {any[]} chats
 */
export const toolAnswers = (chats) => messagesOf(chats, "tool").map(unwrapped);

/** @param {string} answer */
function unwrapped(answer) {
  try {
    const { tool, result } = JSON.parse(answer);
    return tool && result ? result.content.map((/** @type {any} */ part) => part.text ?? "").join("\n") : answer;
  } catch {
    return answer;
  }
}

/**
 * The memory tools that the model may call, directly or through another one.
 * @param {any[]} chats
 * @returns {string[]}
 */
export function offeredTools(chats) {
  const names = chats.flatMap((chat) => (chat.tools ?? []).map((/** @type {any} */ tool) => tool.function?.name));
  const listed = names.includes("tool_call")
    ? (messagesOf(chats, "system")
        .join("\n")
        .match(/\bmemory_(?:search|get|store|recall|forget)\b/g) ?? [])
    : [];
  return [...new Set([...names, ...listed])];
}

/** Every user message with `words` that reached the model, as it did. @param {any[]} chats @param {string} words */
export function question(chats, words) {
  const said = messagesOf(chats, "user");
  const found = said.filter((message) => message.includes(words));
  expect(found.length, `no request with "${words}" among:\n${said.join("\n---\n")}`).toBeGreaterThan(0);
  return found.join("\n");
}

/** @param {() => Promise<boolean>} condition */
export async function eventually(condition) {
  for (let waited = 0; waited < PATIENCE_MS; waited += 500) {
    if (await condition()) return true;
    await pause(500);
  }
  return false;
}

/**
 * A host with the plugin, whose own session notes are off: there are only ours to look at.
 * @param {string} version
 * @param {{files: Record<string, string>, rules: object[]}} setup
 */
export async function memoryHost(version, setup) {
  const host = await TestHost.start(version, setup);
  await host.addPlugin(inject("tarball").file);
  await host.edit((_, config) => {
    config.hooks = { internal: { entries: { "session-memory": { enabled: false } } } };
  });
  const noteNames = async () => (await readdir(path.join(host.workspace, "memory"))).filter((name) => name.endsWith(".md"));
  const texts = async () =>
    await Promise.all((await noteNames()).map((name) => readFile(path.join(host.workspace, "memory", name), "utf8")));
  const notes = async () => (await texts()).join("\n");
  /** The texts of the notes that hold some words. @param {string} words */
  const notesWith = async (words) => (await texts()).filter((note) => note.includes(words));
  /** @param {string} method @param {Record<string, unknown>} params */
  const call = (method, params) => host.callAsOwner(method, params);
  /**
   * Says something in the chat of the running gateway, as a chat surface does; the conversation holds the answer.
   * Hosts before 2026.6 call a message done when it waits behind another turn.
   * @param {string} message
   * @param {string} [sessionKey]
   */
  const say = async (message, sessionKey = MAIN) => {
    await host.chat(sessionKey, message);
    /** @type {any[]} */
    let messages = [];
    const isAnswered = async () => {
      ({ messages } = await call("chat.history", { sessionKey }));
      const at = messages.findLastIndex((one) => one.role === "user" && text(one).includes(message));
      return at >= 0 && messages.slice(at).some((one) => one.role === "assistant");
    };
    if (await eventually(isAnswered)) return;
    const lines = (/** @type {any[]} */ list) => list.slice(-5).map((one) => `${one.role}: ${text(one).slice(0, 400)}`);
    const output = host.gatewayOutput.split("\n").filter((line) => !line.includes("chat.history"));
    const [held, asked] = [lines(messages), lines(host.peekChats().at(-1)?.messages ?? [])];
    const parts = ["the conversation:", ...held, "the last request to the model:", ...asked, ...output.slice(-20)];
    throw new Error(`nobody answered "${message.slice(0, 200)}"; ${parts.join("\n")}`);
  };
  return { host, notes, noteNames, notesWith, call, say };
}
