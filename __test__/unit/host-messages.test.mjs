// The host's messages, and whose they are.

import { expect, test } from "vitest";
import { lastMessages, saidBefore } from "../../plugin/hooks/messages.js";
import { importFrom } from "../../plugin/sdk.js";
import { hostSessions } from "../../plugin/sessions/source.js";

const OWN = { role: "assistant", provider: "openclaw", model: "gateway-injected", content: "Active Memory: off globally." };
const SENT = { role: "assistant", provider: "openclaw", model: "delivery-mirror", content: "The report is in your mail." };
const SAID = { role: "user", content: "Our lighthouse has three lamps" };

test("what a host answers to a command is nobody's message, what a tool has sent is the assistant's", async () => {
  expect(lastMessages([SAID, OWN, SENT], 9).map(({ text }) => text)).toEqual([SAID.content, SENT.content]);
  expect(lastMessages([{ ...SENT, openclawDeliveryMirror: { kind: "channel-final" } }], 9)).toEqual([]);
  const entries = [SAID, OWN, SENT].map((message, at) => ({ seq: at + 1, message }));
  importFrom(async () => ({ readSessionTranscriptVisibleMessageDelta: async () => ({ kind: "page", cursor: "c", entries }) }));
  const read = hostSessions("main", () => ({}));
  const page = /** @type {any} */ (await read({ kind: "read", sessionKey: "agent:main:main", sessionId: "s1" }));
  expect(page.messages.map((/** @type {any} */ { line, text }) => [line, text])).toEqual([
    [1, SAID.content],
    [3, SENT.content],
  ]);
});

test("recall is given the message before with the answer to it, and none to another one", () => {
  const answered = { role: "assistant", content: "It has three, as you said." };
  const called = { role: "assistant", content: [{ type: "toolCall", name: "memory_search", arguments: {} }] };
  expect(saidBefore([SAID, called, answered])).toEqual({ before: SAID.content, replied: answered.content });
  expect(saidBefore([SAID, answered, { role: "user", content: "And the harbour?" }])).toEqual({
    before: "And the harbour?",
    replied: undefined,
  });
  expect(saidBefore([SAID, { role: "assistant", content: "x".repeat(100_000) }]).replied).toHaveLength(2000);
  expect(saidBefore(undefined)).toEqual({ before: undefined, replied: undefined });
});
