// What was said while capture was off, or before the plugin was there, is not captured once it is switched on.

import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { registerService } from "../../plugin/service.js";
import { hooked, MAIN } from "./hooked.mjs";

const DOCTOR = "My therapist is called Dr Vogel and I see him on Mondays.";
const TEA = "I prefer tea to coffee in the morning";

/**
 * A conversation on a host whose settings change while it runs.
 * @param {Record<string, unknown>} settings
 * @param {{isTimed?: boolean}} [options] Whether the host notes when something is said.
 */
async function conversation(settings, { isTimed = true } = {}) {
  const made = await hooked(settings);
  let run = 0;
  /** @type {Record<string, unknown>[]} */
  const messages = [];
  const message = (/** @type {string} */ role, /** @type {string} */ content) => ({
    role,
    content,
    ...(isTimed ? { timestamp: Date.now() } : {}),
  });
  return {
    ...made,
    messages,
    /** @param {Record<string, unknown>} changed */
    change: (changed) => {
      const cfg = { ...made.cfg, plugins: { entries: { "memory-core-rs": { config: changed } } } };
      made.api.runtime.config.current = () => cfg;
    },
    /** A turn; one that fails has its message in the conversation. @param {string} said @param {{success?: boolean}} [options] */
    say: async (said, { success = true } = {}) => {
      const ctx = { ...MAIN, runId: `run-${++run}` };
      await made.handlers.before_prompt_build({ prompt: said, messages: [...messages] }, ctx);
      messages.push(message("user", said));
      messages.push(message("assistant", "Fine."));
      // Time passes in a conversation.
      await delay(5);
      await made.handlers.agent_end({ success, messages: [...messages] }, ctx);
      await delay(5);
    },
    /** What was captured, and whatever was looked at. */
    looked: async () => {
      await made.drained();
      return (await native().listCaptures(made.agent, 99)).captures.map(({ text }) => text).join("\n");
    },
  };
}

for (const isTimed of [true, false]) {
  test(`what was said while it was off is not captured once it is on, ${isTimed ? "with" : "without"} times`, async () => {
    const { say, change, looked } = await conversation({ autoCapture: false, autoRecall: true }, { isTimed });
    await say(DOCTOR);
    change({ autoCapture: true, autoRecall: true });
    await say(TEA);
    expect(await looked()).toBe(TEA);
    change({ autoCapture: false, autoRecall: true });
    await say("My sister is called Ana and she lives in Porto");
    change({ autoCapture: true, autoRecall: true });
    // The same words, said again while it is on, are new.
    await say(DOCTOR);
    expect(await looked()).toMatch(/Dr Vogel/);
    expect(await looked()).not.toMatch(/Ana/);
  });
}

// A gateway that reloads its plugins keeps the addon: a disabled plugin had listened all the time once it was enabled again.
for (const isTimed of [true, false]) {
  test(`what was said while the plugin was disabled is not captured, ${isTimed ? "with" : "without"} times`, async () => {
    const { say, messages, looked, host, cfg } = await conversation({ autoCapture: true }, { isTimed });
    /** @type {any} */
    let service;
    registerService(/** @type {any} */ ({ registerService: (/** @type {unknown} */ given) => (service = given), runtime: {} }), host);
    service.start({ config: cfg });
    await say(TEA);
    await service.stop();
    await delay(5);
    messages.push({
      role: "user",
      content: "My brother is called Rui and he lives in Faro",
      ...(isTimed ? { timestamp: Date.now() } : {}),
    });
    messages.push({ role: "assistant", content: "Noted.", ...(isTimed ? { timestamp: Date.now() } : {}) });
    await delay(5);
    service.start({ config: cfg });
    await say("I live in Porto near the market");
    expect((await looked()).split("\n").sort()).toEqual(["I live in Porto near the market", TEA]);
    await service.stop();
  });
}

test("what was said before the plugin was there, or before all it kept was removed, is not captured", async () => {
  const { say, messages, looked, stateDir } = await conversation({ autoCapture: true });
  messages.push(
    { role: "user", content: DOCTOR, timestamp: Date.now() - 60_000 },
    { role: "assistant", content: "Noted.", timestamp: Date.now() - 50_000 },
  );
  await say(TEA);
  expect(await looked()).toBe(TEA);
  // The journal may be written anew yet.
  await delay(500);
  // What `reset --everything` does while a gateway runs.
  await rm(path.join(stateDir, "memory-core-rs", "main"), { recursive: true });
  messages.push({ role: "user", content: DOCTOR, timestamp: messages.at(-1)?.timestamp });
  await say("I live in Porto near the market");
  expect(await looked()).toBe("I live in Porto near the market");
});

test("what was said while it was on is captured with the next turn where its own failed", async () => {
  const { say, looked } = await conversation({ autoCapture: true });
  await say(TEA, { success: false });
  await say("I live in Porto near the market");
  expect((await looked()).split("\n").sort()).toEqual(["I live in Porto near the market", TEA]);
});

test("a compaction does not capture what was said while nothing was to be", async () => {
  const { say, change, messages, handlers, looked } = await conversation({ autoRecall: true });
  await say(DOCTOR);
  change({ autoRecall: true, captureOnCompaction: true });
  await say(TEA);
  await handlers.before_compaction({ messages }, MAIN);
  expect(await looked()).toBe(TEA);
});
