// The hooks of the automatic memory: which turns they are about, and what they read of the host's messages.

import { expect, test } from "vitest";
import { codedError } from "../../lib/errors.js";
import { hasAutomaticPart } from "../../plugin/hooks/agent.js";
import { guarded } from "../../plugin/hooks/guarded.js";
import { filesNotRecalled } from "../../plugin/hooks/host-files.js";
import { hostWritesNotes } from "../../plugin/hooks/host-notes.js";
import { lastMessages } from "../../plugin/hooks/messages.js";
import { registerHooks } from "../../plugin/hooks/register.js";
import { isConversation, isMainSession, isPrivate, isUserTurn, personOf } from "../../plugin/hooks/session.js";
import { Host } from "../../plugin/host.js";

test("only a person's own message counts as a turn", () => {
  expect(isUserTurn({ trigger: "user", sessionKey: "agent:main:main" })).toBe(true);
  for (const trigger of ["memory", "heartbeat", "cron", "manual", undefined])
    expect(isUserTurn({ trigger, sessionKey: "agent:main:main" })).toBe(false);
  for (const key of [
    "temp:slug-generator",
    "agent:main:subagent:memory-core-rs-1",
    "agent:main:main:active-memory:ab12",
    "agent:main:memory-capture:memory-core-rs-1",
    "agent:main:internal-session-effects:1",
    "agent:main:cron:daily",
    "agent:main:dashboard:incognito-12",
  ])
    expect(isUserTurn({ trigger: "user", sessionKey: key }), key).toBe(false);
  expect(isUserTurn({ trigger: "user", sessionKey: "agent:cron:main" })).toBe(true);
});

test("groups and sessions that cannot be told are not private", () => {
  for (const key of ["agent:main:main", "agent:main:whatsapp:direct:+351", "agent:main:telegram:dm:7"])
    expect(isPrivate({}, { sessionKey: key }), key).toBe(true);
  expect(isPrivate({}, { sessionKey: "agent:channel-7:main" })).toBe(true);
  const groups = ["agent:main:whatsapp:group:1", "agent:main:slack:channel:c1:thread:2", "agent:main:matrix:room:x", "", undefined];
  // As older hosts name groups, and one session for everybody.
  const former = [
    "agent:main:discord:acct:guild-1:channel-2",
    "agent:main:whatsapp:123-456@g.us",
    "group:7",
    "Agent:Main:Slack:Channel:C1",
  ];
  // Other people's agents.
  const agents = ["agent:main:a2a:default:direct:hermes:c1"];
  for (const key of [...groups, ...former, ...agents, "global", "agent:main:global"])
    expect(isPrivate({}, { sessionKey: key }), String(key)).toBe(false);
});

test("the main session is not private where the operator lets rooms join it", () => {
  const [main, thread, direct] = ["main", "main:thread:7", "telegram:direct:7"].map((scope) => ({ sessionKey: `agent:main:${scope}` }));
  for (const cfg of [{ session: { groupScope: "main" } }, { bindings: [{ agentId: "main", session: { groupScope: "main" } }] }])
    expect([main, thread, direct].map((ctx) => isPrivate(cfg, ctx))).toEqual([false, false, true]);
  const apart = { session: { groupScope: "per-group" }, bindings: [{ agentId: "main" }] };
  expect([main, thread, direct].map((ctx) => isPrivate(apart, ctx))).toEqual([true, true, true]);
});

// Whoever may write to the agent was taken for its owner: what they said was kept as the owner's, and they were shown the rest.
test("where owners are named, a conversation with somebody else is not private", () => {
  const cfg = { commands: { ownerAllowFrom: ["telegram:1", "whatsapp:+49170", "*"] } };
  const private_ = (/** @type {object} */ ctx, more = {}) => isPrivate({ ...cfg, ...more }, { sessionKey: "agent:main:main", ...ctx });
  const [owner, other] = [{ senderId: "1" }, { senderId: "666" }];
  expect(private_({ messageProvider: "telegram", ...owner })).toBe(true);
  expect(private_({ messageProvider: "telegram", ...other })).toBe(false);
  expect(private_({ messageProvider: "whatsapp", senderId: "49170:12@s.whatsapp.net" })).toBe(true);
  expect(private_({ messageProvider: "whatsapp", senderId: "49171@s.whatsapp.net" })).toBe(false);
  // Only the key tells who it is.
  const direct = (/** @type {string} */ peer) => ({ sessionKey: `agent:main:telegram:direct:${peer}`, messageProvider: "telegram" });
  expect([private_(direct("1")), private_(direct("666"))]).toEqual([true, false]);
  expect(private_(direct("ana"), { session: { identityLinks: { Ana: ["telegram:1"] } } })).toBe(true);
  // The end of a conversation is told without its channel: strangers got notes of theirs into the owner's memory.
  const ended = (/** @type {string} */ scope) => private_({ sessionKey: `agent:main:${scope}` });
  expect(["telegram:direct:1", "direct:1", "telegram:work:direct:1", "discord:direct:666"].map(ended)).toEqual(Array(4).fill(true));
  expect(["telegram:direct:666", "direct:666", "telegram:work:direct:666"].map(ended)).toEqual(Array(3).fill(false));
  expect(private_({ senderId: "gateway-client" })).toBe(true);
  // Tools are told.
  expect(private_({ messageChannel: "telegram", senderIsOwner: false })).toBe(false);
  expect(private_({ messageChannel: "telegram", requesterSenderId: "2", senderIsOwner: true })).toBe(true);
  // Nobody is named there, or nobody tells.
  expect(private_({ messageProvider: "discord", ...other })).toBe(true);
  expect(private_({ messageProvider: "webchat", ...other })).toBe(true);
  expect(private_({ messageProvider: "telegram" })).toBe(true);
  expect(isPrivate({}, { sessionKey: "agent:main:main", messageProvider: "telegram", ...other })).toBe(true);
  // An agent of theirs.
  // One that gave it a room, or was of another channel, took everybody for its own.
  const room = { agentId: "main", match: { channel: "telegram", peer: { kind: "group", id: "-77" } } };
  const work = { agentId: "main", match: { channel: "discord", accountId: "work" } };
  expect(private_({ messageProvider: "telegram", ...other }, { bindings: [room, work] })).toBe(false);
  const bound = { bindings: [{ agentId: "main", match: { channel: "telegram", peer: { kind: "direct", id: "666" } } }] };
  expect(private_({ messageProvider: "telegram", ...other }, bound)).toBe(true);
  expect(private_({ messageProvider: "telegram", ...other }, { bindings: [{ agentId: "main", match: { channel: "telegram" } }] })).toBe(
    false,
  );
});

test("a person whom the host keeps apart is known by the conversation", () => {
  const cfg = { session: { identityLinks: { Alice: ["telegram:7"] } } };
  const person = (/** @type {string} */ scope) => personOf(cfg, { sessionKey: `agent:main:${scope}` });
  for (const own of ["main", "work", "main:thread:7"]) expect(person(own), own).toBeUndefined();
  expect(person("telegram:direct:7")).toBe(person("telegram:direct:7:thread:9"));
  expect(new Set(["direct:7", "direct:8", "telegram:direct:7", "telegram:bot2:direct:7", "whatsapp:dm:7"].map(person)).size).toBe(5);
  expect(person("telegram:direct:alice")).toBe(person("whatsapp:direct:alice"));
});

test("the main session is the one the host calls so", () => {
  expect(isMainSession({}, { sessionKey: "agent:main:main" })).toBe(true);
  expect(isMainSession({ session: { mainKey: "home" } }, { sessionKey: "agent:work:home" })).toBe(true);
  expect(isMainSession({}, { sessionKey: "agent:main:telegram:dm:7" })).toBe(false);
});

test("messages are read as text or as blocks, the last ones only", () => {
  const messages = [
    { role: "user", content: "first" },
    { role: "toolResult", content: "from the web" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "image", data: "x" },
        { type: "text", text: "b" },
      ],
    },
    { role: "user", content: [] },
    { role: "user", content: "last" },
  ];
  expect(lastMessages(messages, 2)).toEqual([
    { role: "assistant", text: "a\nb" },
    { role: "user", text: "last" },
  ]);
  expect(lastMessages(undefined, 2)).toEqual([]);
  // Host 2026.6.11 writes what it has sent over Telegram once more.
  const [asked, reply] = [
    { role: "user", content: "Where?" },
    { role: "assistant", content: "In Sines." },
  ];
  const twice = [asked, reply, { ...reply, content: [{ type: "text", text: "In Sines. " }] }, asked, asked, reply];
  expect(lastMessages(twice, 9).map(({ role }) => role)).toEqual(["user", "assistant", "user", "user", "assistant"]);
});

test("hooks are registered only when a part is switched on", () => {
  /** @param {unknown} config */
  const names = (config) => {
    /** @type {string[]} */
    const registered = [];
    const api = {
      config: { plugins: { entries: { "memory-core-rs": { config } } } },
      on: (/** @type {string} */ name) => registered.push(name),
    };
    registerHooks(api, new Host(api));
    return registered;
  };
  expect(names(undefined)).toEqual([]);
  expect(names({ autoRecall: false, shortTerm: { enabled: false } })).toEqual([]);
  for (const config of [
    { autoRecall: true },
    { autoCapture: true },
    { captureOnCompaction: true },
    { sessionNotes: { enabled: true } },
    { agents: { work: { autoRecall: true } } },
  ]) {
    expect(hasAutomaticPart(config)).toBe(true);
    expect(new Set(names(config))).toEqual(
      new Set([
        "reply_dispatch",
        "before_prompt_build",
        "llm_output",
        "agent_end",
        "before_compaction",
        "before_reset",
        "session_end",
        "after_tool_call",
      ]),
    );
  }
});

test("a hook that fails costs a log line and no reply", async () => {
  /** @type {string[]} */
  const warnings = [];
  /** @type {Record<string, (event: unknown, ctx: unknown) => Promise<unknown>>} */
  const handlers = {};
  const api = {
    pluginConfig: { autoRecall: true },
    on: (/** @type {string} */ name, /** @type {(event: unknown, ctx: unknown) => Promise<unknown>} */ handler) => {
      handlers[name] ??= handler;
    },
    logger: { warn: (/** @type {string} */ line) => warnings.push(line) },
    get runtime() {
      throw new Error("the host is going away");
    },
  };
  registerHooks(api, new Host(api));
  const ctx = { trigger: "user", sessionKey: "agent:main:main" };
  expect(await handlers.before_prompt_build({ prompt: "where is the key?" }, ctx)).toBeUndefined();
  expect(await handlers.agent_end({ success: true, messages: [] }, ctx)).toBeUndefined();
  expect(warnings).toEqual([
    "memory-core-rs: before_prompt_build: the host is going away",
    "memory-core-rs: agent_end: the host is going away",
  ]);
});

// The log said the cause alone, and docs/troubleshooting.md is looked up by the code.
test("a hook that fails says the code of its failure", async () => {
  /** @type {string[]} */
  const warnings = [];
  const host = /** @type {any} */ ({ logger: { warn: (/** @type {string} */ line) => warnings.push(line) } });
  const fail = (/** @type {Error} */ error) =>
    guarded(host, "agent_end", () => {
      throw error;
    });
  await fail(codedError("MEM_DISK_FULL", "there is no room", { remedy: "Free some space" }))({}, {});
  await fail(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", path: "/a/b" }))({}, {});
  expect(warnings).toEqual([
    "memory-core-rs: agent_end: there is no room. Free some space [MEM_DISK_FULL]",
    "memory-core-rs: agent_end: /a/b has no room on its disk. Free some space, then try again [MEM_DISK_FULL]",
  ]);
});

// By the host's version alone there was no note at all from 2026.4.20 to 2026.7, and two of them since 2026.8.
test("no note is written where the host's own hook writes one, and one where it does not", () => {
  /** @param {string} version @param {unknown} [internal] */
  const writes = (version, internal) => hostWritesNotes(new Host({ runtime: { version } }), internal ? { hooks: { internal } } : {});
  const own = (/** @type {object} */ entry) => ({ entries: { "session-memory": entry } });
  const other = { "command-logger": { enabled: true } };
  for (const version of ["2026.4.12", "2026.4.15"]) {
    expect(writes(version), version).toBe(true);
    expect(writes(version, { entries: other }), version).toBe(true);
  }
  for (const version of ["2026.4.20", "2026.6.11", "2026.8.2", "2026.9.6"]) {
    expect(writes(version), version).toBe(false);
    expect(writes(version, { entries: other }), version).toBe(false);
    expect(writes(version, { enabled: true }), version).toBe(true);
    expect(writes(version, { load: { extraDirs: ["/hooks"] } }), version).toBe(true);
  }
  for (const version of ["2026.4.12", "2026.6.11", "2026.9.6"]) {
    expect(writes(version, { enabled: false, ...own({ enabled: true }) }), version).toBe(false);
    expect(writes(version, { enabled: true, ...own({ enabled: false }) }), version).toBe(false);
    expect(writes(version, own({ enabled: true })), version).toBe(true);
    expect(writes(version, own({ messages: 25 })), version).toBe(true);
  }
  expect(writes("2026.6.11", { enabled: true, entries: other })).toBe(true);
  expect(writes("2026.6.11", { installs: { pack: { hooks: ["session-memory"] } } })).toBe(true);
  expect(writes("2026.9.6", { enabled: true, entries: other })).toBe(false);
});

// Notes of sessions and capture before a compaction had a list of their own, which did not know it.
test("what the index leaves out as a machine's is no conversation for the hooks either", () => {
  for (const scope of ["main:heartbeat", "dreaming-narrative-light-1", "memory-core-rs:4f1c", "cron:job:run:1"]) {
    expect(isConversation({ sessionKey: `agent:main:${scope}` }), scope).toBe(false);
  }
  expect(isConversation({ sessionKey: "agent:main:telegram:direct:ana" })).toBe(true);
  expect(isConversation({})).toBe(false);
});

// Hosts from 2026.8 on keep agents in a keyed object: what one of them says of itself was not found there, and MEMORY.md,
// which such an agent is not shown, was not recalled either.
test("whether an agent is shown its files is read from its own entry, in either form of the configuration", async () => {
  const ctx = { sessionKey: "agent:work:main" };
  const quiet = { contextInjection: "never" };
  for (const agents of [{ list: [{ id: "main" }, { id: "Work", ...quiet }] }, { entries: { main: {}, Work: quiet } }]) {
    expect(await filesNotRecalled({ agents }, "work", ctx, "/nowhere")).toEqual([]);
    expect(await filesNotRecalled({ agents }, "main", ctx, "/nowhere")).not.toEqual([]);
  }
});
