// What somebody passes on is another's: hosts from 2026.8 tell it of a message while it comes in, and write nothing of it down.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { withForwarded } from "../../plugin/hooks/forwarded.js";
import { hooked, MAIN } from "./hooked.mjs";

const WORDS = "I am allergic to walnuts and I weigh 61 kilos.";
const SENT = 1_796_027_706_000;
const reply = { role: "assistant", content: "Noted." };

/** @param {any} home */
const kept = async (home) =>
  JSON.stringify((await native().listCaptures(home.agent, 100)).captures.filter(({ status }) => status === "stored"));

/** As 2026.9.6 tells of one over Telegram. @param {string} text @param {Record<string, unknown>} [more] */
const comesIn = (text, more = {}) => ({
  sessionKey: MAIN.sessionKey,
  ctx: {
    Body: `[Telegram Jana] Jana: [Forwarded from Bob (@bobby)]\n${text}`,
    BodyForAgent: text,
    RawBody: text,
    SessionKey: MAIN.sessionKey,
    AgentId: "main",
    MessageSid: "706032",
    SenderId: "111",
    Timestamp: SENT,
    ...more,
  },
});
const FORWARDED = { ForwardedFrom: "Bob (@bobby)", ForwardedFromType: "user", ForwardedFromId: "333" };

/** As it is in its own turn, and as the host hands it over later. @param {string} content */
const own = (content) => ({ role: "user", content: [{ type: "text", text: content }], timestamp: SENT + 2474 });
/** @param {string} content */
const written = (content, messageId = "706032") => ({
  role: "user",
  content,
  timestamp: SENT,
  __openclaw: { senderId: "111", senderIsOwner: true, transport: { channel: "telegram", messageId } },
});

const settings = { autoCapture: true, shortTerm: { enabled: true }, sessionNotes: { enabled: true } };

/** Capture was on when everything here was said. @param {any} home @param {any[]} messages @param {string} runId */
async function end(home, messages, runId) {
  await home.handlers.agent_end({ success: true, runId, messages }, { ...MAIN, runId });
  await home.drained();
}

// The words of a forwarded message were in the note of the day as the owner's.
test("a message that was passed on is no fact of its owner, in its turn and later", async () => {
  const home = await hooked(settings);
  const real = Date.now;
  try {
    Date.now = () => SENT + 2000;
    const claimed = await home.handlers.reply_dispatch(comesIn(WORDS, FORWARDED), {});
    expect(claimed, "the host goes on by itself").toBeUndefined();
    // A comment that is typed with it is a message of its own.
    await home.handlers.reply_dispatch(comesIn("My sister Rita lives in Braga.", { MessageSid: "706033" }), {});
  } finally {
    Date.now = real;
  }
  const comment = { ...written("My sister Rita lives in Braga.", "706033"), timestamp: undefined };
  await end(home, [{ ...own(WORDS), timestamp: undefined }, reply], "r1");
  await end(home, [{ ...written(WORDS), timestamp: SENT }, reply, comment, reply], "r2");
  expect(await kept(home)).toContain("Rita");
  expect(await kept(home)).not.toMatch(/walnuts|61 kilos/);
  const files = await readdir(home.stateDir, { recursive: true });
  const texts = await Promise.all(
    files.filter((name) => /\.jsonl?$/.test(name)).map((name) => readFile(path.join(home.stateDir, name), "utf8")),
  );
  expect(texts.join("\n"), "neither the journal nor the short-term memory nor what is known of it has the words").not.toContain("walnuts");
});

test("the same words, said by the owner another day, are hers", async () => {
  const home = await hooked(settings);
  await home.handlers.reply_dispatch(comesIn(WORDS, FORWARDED), {});
  const later = { ...written(WORDS, "800001"), timestamp: undefined };
  await end(home, [later, reply], "r1");
  expect(await kept(home)).toContain("walnuts");
});

test("the note of a conversation leaves what was passed on out", async () => {
  const home = await hooked(settings);
  await home.handlers.reply_dispatch(comesIn(WORDS, FORWARDED), {});
  const messages = [written(WORDS), reply, written("My sister Rita lives in Braga.", "706033"), reply];
  await home.handlers.before_reset({ messages, reason: "new" }, MAIN);
  const notes = (await readdir(path.join(home.workspace, "memory"))).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(notes.map((name) => readFile(path.join(home.workspace, "memory", name), "utf8")));
  expect(texts.join("\n")).toContain("Rita");
  expect(texts.join("\n")).not.toContain("walnuts");
});

/** What is handed over of messages without ids: their words, as whose they count. @param {any[]} messages @param {any[]} [notes] */
async function told(messages, notes = [comesIn(WORDS, { ...FORWARDED, MessageSid: undefined })]) {
  const home = await hooked(settings);
  for (const note of notes) await home.handlers.reply_dispatch(note, {});
  return withForwarded(home.host, MAIN, messages).flatMap(({ role, content }) =>
    role === "user" ? [String(content).startsWith("[Forwarded message]") ? "forwarded" : "own"] : [],
  );
}
/** @param {number} [after] Milliseconds after it was sent. */
const typed = (after) => ({ role: "user", content: WORDS, ...(after === undefined ? {} : { timestamp: SENT + after }) });
const FAILED = { role: "assistant", content: "429", stopReason: "error" };

// Her own words, typed after she had passed on the same, were left out of capture and short-term memory for an hour.
test("a message that was passed on is one message, and the same words after it are the owner's", async () => {
  const home = await hooked(settings);
  await home.handlers.reply_dispatch(comesIn(WORDS, { ...FORWARDED, MessageSid: undefined }), {});
  await end(home, [typed(2474), reply], "r1");
  expect(await kept(home)).not.toContain("walnuts");
  await end(home, [typed(2474), reply, typed(9000), reply], "r2");
  expect(await kept(home)).toContain("walnuts");
  // In the turn of her own words, which have no time yet, and later.
  expect(await told([typed(0), reply, typed()])).toEqual(["forwarded", "own"]);
  expect(await told([typed(2474), reply, typed(9000), reply, typed(60_000)])).toEqual(["forwarded", "own", "own"]);
  // The host has written down which it was.
  const noted = [comesIn(WORDS, FORWARDED)];
  expect(await told([written(WORDS), reply, typed()], noted)).toEqual(["forwarded", "own"]);
  // The copy of a reply that goes to the channel changes nothing.
  const copy = { ...reply, provider: "openclaw", model: "gateway-injected" };
  expect(await told([typed(2474), reply, copy, typed(9000)])).toEqual(["forwarded", "own"]);
});

test("what may still be the message that was passed on stays another's", async () => {
  // Written once more, because the model was asked again.
  expect(await told([typed(2474), FAILED, typed(9000), reply])).toEqual(["forwarded", "forwarded"]);
  expect(await told([typed(2474), typed(9000), reply])).toEqual(["forwarded", "forwarded"]);
  const calls = { role: "assistant", content: [{ type: "text", text: "I look." }], stopReason: "toolUse" };
  expect(await told([typed(2474), calls, typed(9000), reply])).toEqual(["forwarded", "forwarded"]);
  // Nobody knows which of the two it was: a clock may be ahead, and a message in its own turn has no time.
  expect(await told([typed(-5000), reply, typed(2474), reply])).toEqual(["forwarded", "forwarded"]);
  expect(await told([typed(), reply, typed(2474), reply])).toEqual(["forwarded", "forwarded"]);
  // Two that have the same words are two.
  const second = comesIn(WORDS, { ...FORWARDED, MessageSid: undefined, Timestamp: SENT + 4000 });
  const both = [comesIn(WORDS, { ...FORWARDED, MessageSid: undefined }), second];
  const three = [typed(5000), reply, typed(7000), reply, typed(9000), reply];
  expect(await told(three, both)).toEqual(["forwarded", "forwarded", "own"]);
});
