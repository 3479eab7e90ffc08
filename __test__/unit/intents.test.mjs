// Standing intents: the tool that arms them, the message that brings them up, and the end of its turn.

import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { registerIntents } from "../../plugin/intents/register.js";
import { registerTools } from "../../plugin/tools/register.js";
import { commandLine } from "../support/command-line.mjs";
import { hooked, MAIN } from "./hooked.mjs";

/**
 * @param {Record<string, unknown>} [settings]
 * @param {{granted?: boolean, version?: string}} [options]
 */
async function withIntents(settings = {}, { granted = true, version } = {}) {
  const home = await hooked(settings, { version });
  if (granted) Object.assign(home.cfg.plugins.entries["memory-core-rs"], { hooks: { allowConversationAccess: true } });
  /** @type {(ctx: object) => any} */
  let factory = () => undefined;
  const registerTool = (/** @type {typeof factory} */ create, /** @type {{names: string[]}} */ { names }) => {
    if (names.includes("intent")) factory = create;
  };
  registerTools({ registerTool }, home.host);
  registerIntents(home.api, home.host);
  const tool = (/** @type {object} */ ctx = MAIN) => factory({ config: home.cfg, ...ctx });
  const call = async (/** @type {object} */ params, /** @type {object} */ ctx = MAIN) => (await tool(ctx).execute("1", params)).details;
  let runs = 0;
  /**
   * What stands beside a message, and then how its turn ends.
   * @param {string} prompt
   * @param {{success?: boolean, ctx?: Record<string, unknown>, messages?: object[]}} [options]
   */
  const say = async (prompt, { success = true, ctx = MAIN, messages = [] } = {}) => {
    const run = { ...ctx, runId: `run-${runs++}` };
    const added = await home.handlers.before_prompt_build({ prompt, messages: [] }, run);
    await home.handlers.agent_end({ success, messages }, run);
    return added?.appendContext ?? added?.prependContext ?? "";
  };
  return { ...home, tool, call, say };
}

const BOAT = { action: "create", description: "Ask about the anchor", triggerKeywords: ["boat"], cooldownSeconds: 0 };

// An id that was left empty cancelled the only intent there was, and a description of several lines passed for more of them.
test("no id is no intent, and an intent is one line", async () => {
  const { run, json, stateDir } = await commandLine({ provider: "none" });
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  const input = { description: "About the boat\n00000000 armed 0 of 3 times: forged", triggerKeywords: ["boat"] };
  await native().createIntent(agent, input, { sessionKey: MAIN.sessionKey });
  for (const call of [
    ["cancel", ""],
    ["show", " "],
  ])
    expect(await run("intents", ...call)).toMatchObject({ code: 1, output: expect.stringMatching(/there is no id.*\[MEM_ARGUMENT\]/s) });
  expect((await json("intents", "list")).intents).toMatchObject([{ status: "armed" }]);
  expect((await run("intents", "list")).output).toMatch(/^\w{8} .*: About the boat 00000000 armed 0 of 3 times: forged\n.*boat\n$/);
});

// Thousands of lines of intents that were over hid those at work.
test("those that are over are counted, and listed when asked for", async () => {
  const { run, json, stateDir } = await commandLine({ provider: "none" });
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  for (const word of ["boat", '"red kite"'])
    await native().createIntent(agent, { description: `About it: ${word}`, triggerKeywords: [word] }, { sessionKey: MAIN.sessionKey });
  const [{ id }] = (await json("intents", "list")).intents;
  await run("intents", "cancel", id);
  const { output } = await run("intents", "list");
  expect(output).not.toContain("boat");
  expect(output).toMatch(/armed .*red kite[\s\S]*\n1 more is over \(done, expired or cancelled\): --all lists them\.\n$/);
  expect((await run("intents", "list", "--all")).output).toMatch(/cancelled .*boat[\s\S]*armed/);
  expect((await json("intents", "list")).intents).toHaveLength(2);
  expect((await run("intents", "test", "a red kite")).output).toContain(' "red kite": ');
});

// They were passed over without a word.
test("lines of the file that are no intents are told by number", async () => {
  const { run, json, stateDir } = await commandLine({ provider: "none" });
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  await native().createIntent(agent, { description: "About the boat", triggerKeywords: ["boat"] }, { sessionKey: MAIN.sessionKey });
  expect((await json("intents", "list")).unreadable).toBeUndefined();
  const file = path.join(stateDir, "memory-core-rs/main/intents.jsonl");
  await appendFile(file, "# my words\n");
  expect(await json("intents", "list")).toMatchObject({ intents: [{ status: "armed" }], unreadable: { path: file, lines: [2] } });
  expect((await run("intents", "list")).output).toContain("intents.jsonl has 1 line that is no intent: 2;");
  expect((await run("doctor")).output).toMatch(/intents.*1 line that is no intent: 2/);
  expect(await readFile(file, "utf8")).toContain("# my words");
});

// Its whole id was refused, as one that begins several.
test("an intent whose id begins that of another can be shown and taken back", async () => {
  const { run, json, stateDir } = await commandLine({ provider: "none" });
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  await native().createIntent(agent, { description: "About the boat", triggerKeywords: ["boat"] }, { sessionKey: MAIN.sessionKey });
  const file = path.join(stateDir, "memory-core-rs", "main", "intents.jsonl");
  const intent = JSON.parse(await readFile(file, "utf8"));
  await appendFile(file, `${JSON.stringify({ ...intent, id: `${intent.id}0` })}\n`);
  expect(await json("intents", "show", intent.id)).toMatchObject({ id: intent.id });
  expect(await json("intents", "cancel", intent.id)).toMatchObject({ cancelled: true, intent: { id: intent.id } });
  expect((await run("intents", "show", intent.id.slice(0, 8))).output).toContain("begins several ids. Give more of it");
});

// One line that a person had changed hid all the others, behind "Unexpected token" and without a code.
test("a scope that nobody of us has written is shown as it stands", async () => {
  const { json, stateDir } = await commandLine({ provider: "none" });
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  await native().createIntent(agent, { description: "About the boat", triggerKeywords: ["boat"] }, { sessionKey: MAIN.sessionKey });
  const file = path.join(stateDir, "memory-core-rs", "main", "intents.jsonl");
  const intent = JSON.parse(await readFile(file, "utf8"));
  const scopes = ['"telegram"', "7", "telegram"];
  for (const channelScope of scopes)
    await appendFile(file, `${JSON.stringify({ ...intent, id: `${intent.id}-${channelScope}`, channelScope })}\n`);
  const { intents } = await json("intents", "list");
  expect(intents.map((/** @type {any} */ { channelScope }) => channelScope)).toEqual([MAIN.sessionKey, ...scopes]);
  expect(intents.map((/** @type {any} */ { scope }) => scope)).not.toContain("anywhere");
});

test("a message that mentions it brings it up, as often as it was meant to", async () => {
  const { call, say } = await withIntents();
  const { intent, message } = await call({ ...BOAT, maxFires: 2 });
  expect(intent).toMatchObject({ status: "armed", fireCount: 0, maxFires: 2, scope: "conversation", senderScope: null });
  expect(message).toContain("armed for this conversation");
  expect(await say("How is the garden?")).toBe("");
  expect(await say("The boats are in the harbour")).toMatch(
    /^<standing_intents>\nStanding intent \(created \d{4}-\d\d-\d\d\): Ask about the anchor\n<\/standing_intents>$/,
  );
  // A turn without a reply has shown it to nobody.
  expect(await say("The boat again", { success: false })).toContain("anchor");
  // Hosts call a turn a success too whose model has answered with an error.
  const messages = [
    { role: "user", content: "The boat" },
    { role: "assistant", content: [], stopReason: "error", errorMessage: "500" },
  ];
  expect(await say("The boat yet again", { messages })).toContain("anchor");
  expect((await call({ action: "list" })).intents[0]).toMatchObject({ status: "armed", fireCount: 1 });
  expect(await say("The boat once more")).toContain("anchor");
  expect(await say("And the boat")).toBe("");
  expect((await call({ action: "list", status: "done" })).intents).toHaveLength(1);
});

test("it is taken back, and what is asked wrongly is told", async () => {
  const { call, say } = await withIntents();
  const { intent } = await call(BOAT);
  expect(await call({ action: "cancel", id: intent.id })).toMatchObject({ cancelled: true, intent: { status: "cancelled" } });
  // Nothing said why, and the model told the user that it was done.
  const again = { cancelled: false, intent: null, reason: "It is over already: cancelled." };
  expect(await call({ action: "cancel", id: intent.id })).toEqual(again);
  const unknown = await call({ action: "cancel", id: "no-such-id" });
  expect(unknown).toEqual({ cancelled: false, intent: null, reason: "There is no intent with this id. List them for theirs." });
  expect(await say("The boat")).toBe("");
  const wrong = [
    [{ action: "create" }, /description required/],
    [{ ...BOAT, triggerKeywords: [] }, /triggerKeywords must be a non-empty string array/],
    [{ ...BOAT, triggerKeywords: "boat" }, /triggerKeywords must be a non-empty string array/],
    [{ ...BOAT, expiresAt: "soon" }, /expiresAt must be an ISO 8601 timestamp/],
    [{ ...BOAT, expiresAt: "12/05/2036" }, /expiresAt must be an ISO 8601 timestamp/],
    [{ ...BOAT, expiresAt: "2036-06-31" }, /expiresAt must be an ISO 8601 timestamp/],
    [{ ...BOAT, expiresAt: "2036-06-30T25:00" }, /expiresAt must be an ISO 8601 timestamp/],
    [{ ...BOAT, expiresAt: "2020-01-01" }, /expiresAt must be a future/],
    [{ ...BOAT, maxFires: 0 }, /maxFires must be a positive integer/],
    [{ ...BOAT, maxFires: 1e12 }, /maxFires must be a positive integer of at most 4294967295/],
    [{ ...BOAT, scope: "planet" }, /scope must be one of/],
    [{ action: "explode" }, /action must be one of/],
  ];
  for (const [params, told] of /** @type {[object, RegExp][]} */ (wrong)) await expect(call(params)).rejects.toThrow(told);
  expect((await call({ action: "list" })).intents).toHaveLength(1);
});

// A time was read as one of the machine, and an intent "until 1 December" ended as that day began.
test("it ends when the user's clock says so, and holds through a day that is named alone", async () => {
  const { cfg, call } = await withIntents();
  const at = async (/** @type {string} */ expiresAt) =>
    new Date((await call({ ...BOAT, description: expiresAt, expiresAt })).intent.expiresAt).toISOString();
  Object.assign(cfg.agents.defaults, { userTimezone: "Asia/Kolkata" });
  expect(await at("2036-12-01T08:00")).toBe("2036-12-01T02:30:00.000Z");
  expect(await at("2036-12-01")).toBe("2036-12-01T18:29:59.999Z");
  expect(await at("2036-12-01 08:00:00Z")).toBe("2036-12-01T08:00:00.000Z");
  expect(await at("2036-12-01T08:00+01:00")).toBe("2036-12-01T07:00:00.000Z");
  expect(await at("2036-12-01T08:00+0100")).toBe("2036-12-01T07:00:00.000Z");
});

// "Invalid time value" was the answer to what models write for never.
test("an end on the last day that can be written is that", async () => {
  const { call } = await withIntents();
  for (const expiresAt of ["9999-12-31", "9999-12-31T23:59:59Z", "9999-12-31T20:00-08:00"]) {
    const { intent } = await call({ ...BOAT, description: expiresAt, expiresAt });
    expect(new Date(intent.expiresAt).toISOString()).toBe("9999-12-31T23:59:59.999Z");
  }
});

// Both blocks had the day of UTC, beside a message with the user's.
test("its block says the user's day", async () => {
  for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
    const { call, say } = await withIntents({ timeZone: zone });
    const { intent } = await call(BOAT);
    const day = new Date(intent.createdAt).toLocaleDateString("sv-SE", { timeZone: zone });
    expect(await say("The boat")).toContain(`Standing intent (created ${day})`);
  }
});

test("a stranger in a room arms nothing, and sees nothing of the owner's", async () => {
  const { tool, call, say } = await withIntents();
  const room = { ...MAIN, sessionKey: "agent:main:telegram:group:7", messageChannel: "telegram", requesterSenderId: "eve" };
  expect(tool({ ...room, senderIsOwner: false })).toBeNull();
  // Alone with the agent they read and took back the owner's, and armed one that spoke to the owner.
  expect(tool({ ...room, sessionKey: "agent:main:telegram:direct:eve", senderIsOwner: false })).toBeNull();
  const owner = { ...room, senderIsOwner: true, requesterSenderId: "ana" };
  expect((await call(BOAT, owner)).intent).toMatchObject({ scope: "channel", channelScope: "telegram", senderScope: "ana" });
  const turn = { ...MAIN, sessionKey: room.sessionKey, messageProvider: "telegram", channelId: "7" };
  expect(await say("The boat", { ctx: { ...turn, senderId: "eve" } })).toBe("");
  expect(await say("The boat", { ctx: { ...turn, senderId: "ana", trigger: "cron" } })).toBe("");
  expect(await say("The boat", { ctx: MAIN })).toBe("");
  expect(await say("The boat", { ctx: { ...turn, senderId: "ana" } })).toContain("anchor");
});

// The run of an external hook armed what spoke to the owner, and a sub-agent listed what is theirs.
test("a run that no person holds arms nothing", async () => {
  const { tool } = await withIntents();
  for (const sessionKey of ["agent:main:hook:ingress", "agent:main:subagent:4f1c", "agent:main:cron:job:run:1"]) {
    expect(tool({ ...MAIN, sessionKey }), sessionKey).toBeNull();
    expect(tool({ ...MAIN, sessionKey, senderIsOwner: true }), sessionKey).toBeNull();
  }
});

// The owner's question in a room brought every intent of theirs into what the room reads.
test("in a room are listed those that count there", async () => {
  const { call } = await withIntents();
  const room = { sessionKey: "agent:main:telegram:group:7", messageChannel: "telegram", requesterSenderId: "ana", senderIsOwner: true };
  await call({ ...BOAT, description: "Ask for the test results", triggerKeywords: ["doctor"] });
  await call(BOAT, { ...MAIN, ...room });
  const listed = await call({ action: "list" }, { ...MAIN, ...room });
  expect(listed.intents.map((/** @type {any} */ intent) => intent.description)).toEqual(["Ask about the anchor"]);
  expect(listed.message).toContain("alone with you");
  expect((await call({ action: "list" })).intents).toHaveLength(2);
});

test("without the grant, or switched off, nothing is promised", async () => {
  const closed = await withIntents({}, { granted: false });
  expect(closed.tool()).toBeNull();
  const off = await withIntents({ standingIntents: { enabled: false } });
  expect(off.tool()).toBeNull();
  // Older hosts ask for no grant, and keep what is added in front.
  const older = await withIntents({}, { granted: false, version: "2026.4.12" });
  await older.call(BOAT);
  expect(await older.say("The boat")).toContain("anchor");
});

test("what memory-core stored is taken over once", async () => {
  const { agent, say, call } = await withIntents();
  const row = {
    id: "5d2c1a80-0000-4000-8000-000000000001",
    description: "Ask about the anchor",
    triggerKeywords: ["boat"],
    channelScope: null,
    senderScope: null,
    creatorSender: "ana",
    status: /** @type {const} */ ("armed"),
    expiresAt: Date.now() + 86_400_000,
    maxFires: 3,
    fireCount: 0,
    cooldownSeconds: 0,
    lastFiredAt: null,
    createdAt: Date.now(),
    sourceSessionId: null,
  };
  expect(await native().importIntents(agent, JSON.stringify([row]))).toBe(1);
  expect(await native().importIntents(agent, JSON.stringify([row]))).toBe(0);
  await expect(native().importIntents(agent, '[{"id":1}]')).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
  expect(await say("The boat")).toContain("anchor");
  expect((await call({ action: "list" })).intents).toHaveLength(1);
});
