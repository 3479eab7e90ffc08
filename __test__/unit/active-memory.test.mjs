import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { activeContext } from "../../plugin/active-memory/hook.js";
import { registerActiveMemory } from "../../plugin/active-memory/register.js";
import { statusLines } from "../../plugin/active-memory/status.js";
import { promptContext } from "../../plugin/hooks/prompt.js";
import { Host } from "../../plugin/host.js";
import { versionHas } from "../../plugin/host-versions.js";
import { hooked, MAIN } from "./hooked.mjs";

const FILES = {
  "memory/falcon.md": "# Falcon\n\n- We decided that Falcon uses PostgreSQL 17 as its database.\n",
  "memory/kitchen.md": "# Kitchen\n\n- Ana drinks oolong tea in the morning, decided after the doctor's advice.\n",
};

/** A model is asked whatever the search says: what is tried here is what comes after. */
const ON = { activeMemory: { enabled: true, mode: "always", floor: 0.05, timeoutMs: 3000 }, autoRecallTimeoutMs: 5000 };

const ASKED = "What did we decide about the database of Falcon?";

/** A turn of a person on the web, on a host that lets it search. */
const WEB = { ...MAIN, messageProvider: "webchat", toolAuthority: { allows: () => true, assertActive: () => {} } };

/** @typedef {{messages: {content: string}[], systemPrompt: string, signal: AbortSignal, [name: string]: any}} Request */

/** A model of the host that answers as it is told. @param {(request: Request, n: number) => any} answer */
function scripted(answer) {
  /** @type {Request[]} */
  const requests = [];
  return {
    requests,
    complete: (/** @type {Request} */ request) => {
      requests.push(request);
      return answer(request, requests.length);
    },
  };
}

/** The number that a passage with some words has in a request. @param {Request} request @param {RegExp} words */
function numberOf({ messages }, words) {
  const line = messages[0].content.split("\n").find((one) => /^\d+\. /.test(one) && words.test(one));
  return line ? Number.parseInt(line, 10) : 0;
}

const picks = (/** @type {RegExp} */ words) => scripted(async (request) => ({ text: String(numberOf(request, words)) }));
const never = () => new Promise(() => {});

let said = 0;
/** Asks in a turn of its own. @param {Awaited<ReturnType<typeof hooked>>} home @param {string} prompt @param {object} [ctx] @param {object} [event] */
const ask = (home, prompt, ctx, event) =>
  home.handlers.before_prompt_build({ prompt, messages: [], ...event }, { ...WEB, runId: `r${++said}`, ...ctx });

describe("active memory", () => {
  // It was shown the first 400 characters of a note, whatever the note was found for.
  test("a model sees the line that a note was found for", async () => {
    const shelves = Array.from({ length: 9 }, (_, n) => `- Shelf ${n} of the cellar holds jars, twine and old papers.\n`).join("");
    const llm = picks(/walnut/);
    const home = await hooked(ON, { files: { "memory/home.md": `# Home\n\n${shelves}- The table for Ruth is of walnut.\n` }, llm });
    const shown = await ask(home, "What did we decide about the table for Ruth?");
    expect(llm.requests[0].messages[0].content).toContain("The table for Ruth is of walnut.");
    expect(shown.appendContext).toContain("The table for Ruth is of walnut.");
  });

  // Only the words of the newest message were looked for, and the note names what the one before was about.
  test("a question that goes on about a thing finds its note", async () => {
    const files = {
      "memory/boat.md": "# Boat\n\n- Nereid lies at Wedel: 1,240 euros for 2026.\n",
      "memory/harbour.md": "# Harbour\n\n- We owe the master baker in the harbour a visit.\n",
    };
    const llm = picks(/1,240/);
    const home = await hooked(ON, { files, llm });
    const before = { role: "user", content: "Where does our Nereid lie this winter?" };
    const shown = await ask(home, "And what do we owe the harbour master?", {}, { messages: [before] });
    expect(llm.requests[0].messages[0].content).toContain("1,240 euros");
    expect(shown.appendContext).toContain("1,240 euros");
  });

  test("a model picks among stored passages, and is asked once for the same", async () => {
    const llm = picks(/PostgreSQL/);
    const home = await hooked(ON, { files: FILES, llm });
    const first = await ask(home, ASKED);
    expect(first.appendContext).toMatch(
      /^<active_memory_plugin>\n[\s\S]*memory\/falcon\.md#L\d[\s\S]*PostgreSQL 17[\s\S]*<\/active_memory_plugin>$/,
    );
    expect(first.appendContext).not.toContain("oolong");
    const [request] = llm.requests;
    expect(request).toMatchObject({ maxTokens: 16, temperature: 0, reasoning: "off" });
    for (const key of ["tools", "agentId", "model"]) expect(request).not.toHaveProperty(key);
    expect(request.systemPrompt.length + request.messages[0].content.length).toBeLessThanOrEqual(4800);
    expect(await ask(home, ASKED)).toEqual(first);
    expect(llm.requests).toHaveLength(1);
  });

  test("what needs no memory costs no call and shows nothing", async () => {
    const llm = picks(/./);
    const home = await hooked({ ...ON, activeMemory: { enabled: true, sure: 1 } }, { files: FILES, llm });
    for (const prompt of ["thanks!", "Explain DNS over HTTPS.", "Write a haiku about rain", ""])
      expect(await ask(home, prompt)).toBeUndefined();
    expect(await ask(home, ASKED, {}, { currentUserMessage: "" })).toBeUndefined();
    expect(llm.requests).toHaveLength(0);
  });

  test("only turns of people in the listed kinds of conversation are served", async () => {
    const llm = picks(/PostgreSQL/);
    const home = await hooked(ON, { files: FILES, llm });
    const silent = [
      { trigger: "heartbeat" },
      { trigger: "cron" },
      { sessionKey: "agent:main:subagent:1" },
      { sessionKey: "agent:main:telegram:group:7" },
      { sessionKey: "agent:main:discord:channel:7" },
      { sessionKey: "agent:main:explicit:x" },
      { inputProvenance: { kind: "inter_session" } },
      { messageProvider: undefined },
      { toolAuthority: { allows: () => false, assertActive: () => {} } },
      { toolAuthority: undefined },
    ];
    for (const ctx of silent) expect(await ask(home, ASKED, ctx), JSON.stringify(ctx)).toBeUndefined();
    expect(llm.requests).toHaveLength(0);
    const person = { sessionKey: "agent:main:telegram:direct:4711:thread:9", messageProvider: "telegram", channelId: "telegram" };
    expect((await ask(home, ASKED, person)).appendContext).toContain("PostgreSQL");
    const listed = (/** @type {object} */ own) =>
      hooked({ ...ON, activeMemory: { ...ON.activeMemory, ...own } }, { files: FILES, llm: picks(/PostgreSQL/) });
    expect(await ask(await listed({ deniedChatIds: ["4711"] }), ASKED, person)).toBeUndefined();
    expect(await ask(await listed({ allowedChatIds: ["4711"] }), ASKED)).toBeUndefined();
    expect(await ask(await listed({ allowedChatIds: ["4711"] }), ASKED, person)).toBeDefined();
    expect(await ask(await listed({ agents: ["other"] }), ASKED)).toBeUndefined();
    expect(await ask(await listed({ allowedChatTypes: ["group"] }), ASKED, { sessionKey: "agent:main:telegram:group:7" })).toBeDefined();
  });

  // A stranger's question in a group was answered from the owner's notes.
  test("in a room only its owner brings memory up", async () => {
    const own = { ...ON.activeMemory, mode: "native", allowedChatTypes: ["group", "channel"] };
    for (const version of ["2026.4.12", "2026.9.6"]) {
      const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, version });
      const cfg = /** @type {any} */ (home.cfg);
      const served = async (/** @type {string} */ senderId, sessionKey = "agent:main:telegram:group:7") => {
        const room = { sessionKey, messageProvider: "telegram", channelId: "telegram" };
        if (version !== "2026.4.12") return (await ask(home, ASKED, { ...room, senderId })) !== undefined;
        const prompt = `Conversation info (untrusted metadata):\n\`\`\`json\n{"message_id": "7", "sender_id": "${senderId}"}\n\`\`\`\n\n${ASKED}`;
        return (await ask(home, prompt, room)) !== undefined;
      };
      cfg.commands = { ownerAllowFrom: ["telegram:1"] };
      expect([await served("1"), await served("2"), await served("")], version).toEqual([true, false, false]);
      expect(await served("2", "agent:main:telegram:channel:7"), version).toBe(false);
      // Nobody is named: in a room nobody can be told for the owner.
      delete cfg.commands;
      expect(await served("1"), version).toBe(false);
    }
  });

  test("a model that never answers costs three turns their limit, and no reply its memory", async () => {
    const llm = scripted(never);
    const own = { ...ON.activeMemory, timeoutMs: 250, lateMs: 0 };
    const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, llm });
    await ask(home, "thanks!");
    for (let turn = 0; turn < 6; turn++) {
      const began = performance.now();
      const shown = await ask(home, ASKED);
      const ms = performance.now() - began;
      expect(shown.appendContext).toMatch(/<relevant-memories>[\s\S]*PostgreSQL/);
      if (turn < 3) expect(ms).toBeGreaterThanOrEqual(245);
      expect(llm.requests).toHaveLength(Math.min(turn + 1, 3));
    }
    expect(llm.requests.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test("an answer that comes late serves the next turn about the same", async () => {
    /** @type {((answer: {text: string}) => void)[]} */
    const waiting = [];
    const llm = scripted(() => new Promise((resolve) => waiting.push(resolve)));
    const home = await hooked({ ...ON, activeMemory: { ...ON.activeMemory, timeoutMs: 300 } }, { files: FILES, llm });
    expect((await ask(home, ASKED)).appendContext).toContain("<relevant-memories>");
    waiting[0]({ text: String(numberOf(llm.requests[0], /PostgreSQL/)) });
    await pause(10);
    const next = await ask(home, "And since when did we decide on this database of Falcon?");
    expect(next.appendContext).toMatch(/<active_memory_plugin>[\s\S]*PostgreSQL/);
    expect(llm.requests).toHaveLength(1);
  });

  test.each([
    ["a refusal", () => Promise.reject(Object.assign(new Error("cannot override"), { code: "LLM_COMPLETION_NOT_AUTHORIZED" }))],
    ["an error", () => Promise.reject(new Error("500"))],
    [
      "an error that is thrown at once",
      () => {
        throw new Error("no provider");
      },
    ],
    ["an empty text", async () => ({ text: "" })],
    ["a greeting", async () => ({ text: "Hello! How can I help you today?" })],
    ["a call of a tool", async () => ({ text: '{"tool_calls":[{"name":"memory_search"}]}' })],
    ["a number of no passage", async () => ({ text: "99" })],
    ["nothing", async () => ({})],
  ])("after %s stands what the search found", async (_, answer) => {
    const home = await hooked(ON, { files: FILES, llm: scripted(answer) });
    const shown = await ask(home, ASKED);
    expect(shown.appendContext).toMatch(/<relevant-memories>[\s\S]*PostgreSQL/);
  });

  test("what a model makes up is not shown", async () => {
    const own = { ...ON.activeMemory, answer: "summary" };
    const texts = ["Falcon uses PostgreSQL 17.", "Falcon uses Oracle 23, as Marta decided."];
    for (const [at, text] of texts.entries()) {
      const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, llm: scripted(async () => ({ text })) });
      const shown = (await ask(home, ASKED)).appendContext;
      expect(shown.includes("<active_memory_plugin>")).toBe(at === 0);
      expect(shown).not.toMatch(/Oracle|Marta/);
    }
  });

  test("calls that nobody waits for end, however many sessions ask", async () => {
    const llm = scripted(never);
    const home = await hooked({ ...ON, activeMemory: { ...ON.activeMemory, timeoutMs: 400, lateMs: 0 } }, { files: FILES, llm });
    const asks = Array.from({ length: 20 }, (_, n) => ask(home, ASKED, { sessionKey: `agent:main:telegram:direct:${n}` }));
    const shown = await Promise.all(asks);
    expect(shown.every((one) => one.appendContext.includes("PostgreSQL"))).toBe(true);
    expect(llm.requests.length).toBeLessThanOrEqual(4);
    expect(llm.requests.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test("another agent's notes never leave by the default agent's account", async () => {
    const llm = picks(/PostgreSQL/);
    const home = await hooked(ON, { files: FILES, llm });
    /** @type {any} */ (home.cfg).agents = { ...home.cfg.agents, list: [{ id: "main", default: true }, { id: "work" }] };
    const shown = await ask(home, ASKED, { agentId: "work", sessionKey: "agent:work:main" });
    expect(shown.appendContext).toContain("<relevant-memories>");
    expect(llm.requests).toHaveLength(0);
  });

  test("before 2026.6 the block stands before the message", async () => {
    const home = await hooked(ON, { files: FILES, version: "2026.4.12" });
    const shown = await ask(home, ASKED, { toolAuthority: undefined });
    expect(shown.prependContext).toContain("PostgreSQL");
    expect(shown).not.toHaveProperty("appendContext");
  });
});

describe("/active-memory", () => {
  /** @param {Awaited<ReturnType<typeof hooked>>} home @param {string} args @param {object} [ctx] */
  const run = async (home, args, ctx) => (await home.commands["active-memory"]({ args, sessionKey: MAIN.sessionKey, ...ctx })).text;

  test("pauses a conversation until it is switched on again", async () => {
    const home = await hooked({ ...ON, autoRecall: true }, { files: FILES, llm: picks(/PostgreSQL/) });
    expect(await run(home, "")).toBe("Active Memory: on for this session.");
    expect(await run(home, "off")).toBe("Active Memory: off for this session.");
    expect(await ask(home, ASKED)).toBeUndefined();
    expect(await ask(home, ASKED, { sessionKey: "agent:main:direct:ana" })).toBeDefined();
    expect(await run(home, "status")).toBe("Active Memory: off for this session.");
    // In a file of hashes, not in a database that may be deleted.
    const files = await readdir(path.join(home.stateDir, "memory-core-rs/main"));
    expect(files).toContain("active-memory-off.jsonl");
    expect(await readFile(path.join(home.stateDir, "memory-core-rs/main/active-memory-off.jsonl"), "utf8")).not.toContain("agent:");
    expect(await run(home, "enable")).toBe("Active Memory: on for this session.");
    expect(await ask(home, ASKED)).toBeDefined();
  });

  // After "off --global" it said that it is off for this session, and not why "on" changes nothing; of "on off" it did the first.
  test("says where it is off, and does not guess which of two actions is meant", async () => {
    const home = await hooked({ ...ON, activeMemory: { ...ON.activeMemory, enabled: false } }, { files: FILES });
    expect(await run(home, "on")).toMatch(/off for this session\. It has to be on for everybody first\.\n.*\/active-memory on --global/);
    const settings = /** @type {any} */ (home.cfg.plugins.entries["memory-core-rs"].config);
    // As after the command: a changed configuration is another one.
    home.cfg.plugins.entries["memory-core-rs"].config = {
      ...settings,
      activeMemory: { ...settings.activeMemory, enabled: true },
      agents: { main: { activeMemory: { enabled: false } } },
    };
    const two = await run(home, "on off");
    expect(two).toMatch(/^One Active Memory action at a time, not "on off"\./);
  });

  // It named a setting that nobody had written, and said "on" where a list of chats keeps it out.
  test("names the setting that keeps it out", async () => {
    const told = async (/** @type {object} */ activeMemory, /** @type {object} */ ctx = {}) =>
      await run(await hooked({ ...ON, activeMemory: { ...ON.activeMemory, ...activeMemory } }, { files: FILES }), "status", ctx);
    const where = "plugins.entries.memory-core-rs.config.activeMemory";
    expect(await told({ mode: "off" })).toContain(`The setting ${where}.mode switches it off for agent main.`);
    expect(await told({ agents: ["other"] })).toContain(`The setting ${where}.agents does not name agent main.`);
    const ana = { sessionKey: "agent:main:direct:ana" };
    expect(await told({}, ana)).toBe("Active Memory: on for this session.");
    expect(await told({ deniedChatIds: ["ana"] }, ana)).toContain(`The setting ${where}.deniedChatIds keeps it out`);
    expect(await told({ allowedChatIds: ["ben"] }, ana)).toContain(`The setting ${where}.allowedChatIds keeps it out`);
    const room = { sessionKey: "agent:main:telegram:group:77" };
    expect(await told({ allowedChatTypes: ["direct"] }, room)).toContain(`The setting ${where}.allowedChatTypes keeps it out`);
  });

  // Whoever asked why no model was asked any more was told that it is on; of one that is slow, that it failed.
  test.each([
    ["it failed", async () => Promise.reject(new Error("overloaded"))],
    ["it did not answer in time", async () => new Promise(() => {})],
  ])("says which model is not asked, why and until when: %s", async (why, answer) => {
    const llm = scripted(answer);
    const settings = { ...ON, activeMemory: { ...ON.activeMemory, circuitBreakerMaxTimeouts: 2, timeoutMs: 300, lateMs: 0 } };
    const home = await hooked(settings, { files: FILES, llm });
    expect(await run(home, "status")).toBe("Active Memory: on for this session.");
    await ask(home, ASKED);
    await ask(home, `${ASKED} And why?`);
    const [first, second, ...more] = (await run(home, "status")).split("\n");
    expect([first, more]).toEqual(["Active Memory: on for this session.", []]);
    expect(second?.replace(/\d+/, "N")).toBe(
      `Not asked now: the agent's model (${why}; asked again in N s). What the search finds is shown all the same.`,
    );
    expect(await run(home, "off")).toBe("Active Memory: off for this session.");
    expect(await run(home, "status")).toBe("Active Memory: off for this session.");
  });

  test("changes what holds everywhere for the owner only", async () => {
    const home = await hooked(ON, { files: FILES });
    const config = /** @type {any} */ (home.api.runtime.config);
    config.mutateConfigFile = async (/** @type {any} */ { mutate }) => mutate(home.cfg);
    expect(await run(home, "status --global")).toBe("Active Memory: on globally.");
    for (const ctx of [{}, { senderIsOwner: false }, { gatewayClientScopes: ["operator.write"], senderIsOwner: true }])
      expect(await run(home, "off --global", ctx)).toMatch(/require owner or operator\.admin/);
    // Newer hosts tell commands of their own plugins only who the owner is, and whoever was authorized could switch it.
    /** @type {any} */ (home.cfg).commands = { ownerAllowFrom: ["telegram:1"] };
    const authorized = { channel: "telegram", senderId: "666", isAuthorizedSender: true };
    expect(await run(home, "off --global", authorized)).toMatch(/require owner or operator\.admin/);
    expect(await run(home, "on --global", { ...authorized, senderId: "1" })).toBe("Active Memory: on globally.");
    delete (/** @type {any} */ (home.cfg).commands);
    expect(await run(home, "on --global", authorized)).toBe("Active Memory: on globally.");
    expect(await run(home, "off --global", { gatewayClientScopes: ["operator.admin"] })).toBe("Active Memory: off globally.");
    expect(await run(home, "status --global")).toBe("Active Memory: off globally.");
    expect(await run(home, "nonsense")).toMatch(/^Unknown Active Memory action: nonsense/);
    // Telegram's menu and people in groups name the bot: it was an unknown action.
    for (const named of ["status@clawd_bot", "status --global@clawd_bot"]) expect(await run(home, named)).not.toMatch(/^Unknown/);
    // Names that every object has switched it off for everybody.
    await run(home, "on --global", { senderIsOwner: true });
    for (const name of ["constructor", "__proto__", "toString"])
      expect(await run(home, `${name} --global`, { senderIsOwner: true })).toMatch(/^Unknown Active Memory action/);
    home.cfg.plugins.entries["memory-core-rs"].config.agents = { main: { activeMemory: { enabled: false } } };
    expect(await run(home, "status --global")).toBe("Active Memory: on globally. Agent main has a setting of its own: off.");
  });
});

describe("/active-memory beside auto-recall", () => {
  const RECALL = "the setting plugins.entries.memory-core-rs.config.autoRecall.";

  // A pause ends auto-recall in its conversation; off for everybody left it on, and nobody was told.
  test("off everywhere says that auto-recall goes on, and it does", async () => {
    const home = await hooked({ ...ON, autoRecall: true }, { files: FILES, llm: picks(/PostgreSQL/) });
    const config = /** @type {any} */ (home.api.runtime.config);
    // A changed configuration is another one.
    config.mutateConfigFile = async (/** @type {any} */ { mutate }) => {
      const draft = structuredClone(home.cfg);
      mutate(draft);
      home.cfg.plugins = draft.plugins;
    };
    const run = async (/** @type {string} */ args) =>
      (await home.commands["active-memory"]({ args, sessionKey: MAIN.sessionKey, senderIsOwner: true })).text;
    expect(await run("on --global")).toBe("Active Memory: on globally.");
    for (const asked of ["off --global", "status --global"])
      expect(await run(asked)).toBe(`Active Memory: off globally.\nAuto-recall goes on: ${RECALL}`);
    expect((await ask(home, ASKED)).appendContext).toContain("PostgreSQL");
    const entry = /** @type {any} */ (home.cfg.plugins.entries["memory-core-rs"]);
    entry.config.agents = { main: { autoRecall: false } };
    expect(await run("status --global")).toBe(`Active Memory: off globally.\nAuto-recall goes on, but for agent main: ${RECALL}`);
    entry.config.autoRecall = false;
    expect(await run("status --global")).toBe("Active Memory: off globally.");
    entry.config.agents.main.autoRecall = true;
    expect(await run("status --global")).toMatch(/\nAuto-recall goes on for agent main: /);
  });
});

describe("/active-memory without a section in the settings", () => {
  // The command was not there, so "/active-memory off" went to the model as a message.
  test("answers that it is off and how to switch it on, and nothing else of it is registered", async () => {
    const home = await hooked({}, { files: FILES });
    const run = async (/** @type {string} */ args, ctx = {}) =>
      (await home.commands["active-memory"]({ args, sessionKey: MAIN.sessionKey, ...ctx })).text;
    const remedy = "\nSwitch it on: /active-memory on --global, or the setting plugins.entries.memory-core-rs.config.activeMemory.enabled.";
    expect(await run("")).toBe(`Active Memory: off for this session.${remedy}`);
    expect(await run("status --global")).toBe(`Active Memory: off globally.${remedy}`);
    expect(await run("off")).toBe(`Active Memory: off for this session. There is nothing to switch off.${remedy}`);
    expect(await run("off --global", { senderIsOwner: true })).toBe(
      `Active Memory: off globally. There is nothing to switch off.${remedy}`,
    );
    expect(await run("on")).toBe(`Active Memory: off for this session. It has to be on for everybody first.${remedy}`);
    expect(await run("help")).toContain("/active-memory on --global");
    expect(await run("nonsense")).toMatch(/^Unknown Active Memory action: nonsense/);
    expect(existsSync(path.join(home.stateDir, "memory-core-rs/main/active-memory-off.jsonl"))).toBe(false);
    /** @type {string[]} */
    const hooks = [];
    const api = { ...home.api, on: (/** @type {string} */ name) => hooks.push(name) };
    registerActiveMemory(/** @type {any} */ (api), home.host);
    expect(hooks).toEqual([]);

    const config = /** @type {any} */ (home.api.runtime.config);
    config.mutateConfigFile = async (/** @type {any} */ { mutate }) => mutate(home.cfg);
    expect(await run("on --global", { senderIsOwner: false })).toMatch(/require owner or operator\.admin/);
    expect(await run("on --global", { senderIsOwner: true })).toBe("Active Memory: on globally.");
    expect(await run("status --global")).toBe("Active Memory: on globally.");
  });

  test.each([
    ["on", { enabled: true }, false],
    ["paused, and continued by its own command", { enabled: true, config: { enabled: false } }, false],
    ["not loaded", { enabled: false }, true],
  ])("leaves the name to the bundled plugin where that is %s", async (_, entry, isOurs) => {
    const home = await hooked({}, { files: FILES });
    /** @type {string[]} */
    const names = [];
    const config = { ...home.cfg, plugins: { entries: { ...home.cfg.plugins.entries, "active-memory": entry } } };
    const api = { ...home.api, config, registerCommand: (/** @type {{name: string}} */ { name }) => names.push(name) };
    registerActiveMemory(/** @type {any} */ (api), home.host);
    expect(names).toEqual(isOurs ? ["active-memory"] : []);
  });
});

describe("beside the bundled plugin", () => {
  const BUNDLED = { enabled: true, config: { enabled: true, agents: ["main"] } };

  test.each([
    [false, false, false],
    [true, false, false],
    [false, true, false],
    [true, true, false],
    [false, false, true],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])("auto-recall %s, active memory %s, bundled %s: one block at most", async (autoRecall, active, bundled) => {
    const home = await hooked(
      { ...ON, autoRecall, activeMemory: { ...ON.activeMemory, enabled: active } },
      { files: FILES, llm: picks(/PostgreSQL/) },
    );
    const entries = /** @type {any} */ (home.cfg.plugins.entries);
    if (bundled) entries["active-memory"] = BUNDLED;
    const [event, ctx] = [
      { prompt: ASKED, messages: [] },
      { ...WEB, runId: `b${++said}` },
    ];
    const plugin = { api: home.api, host: home.host };
    const shown = [await promptContext(plugin, event, ctx), await activeContext(plugin, event, ctx)].filter(Boolean);
    expect(shown).toHaveLength(!bundled && (autoRecall || active) ? 1 : 0);
    if (active && !bundled) expect(JSON.stringify(shown)).toContain("active_memory_plugin");
  });
});

describe("what a person sees of a turn", () => {
  const outcome = { status: "ok", lane: "model", block: "b", cached: false, chars: 34, shown: "Falcon uses PostgreSQL" };
  const at = (/** @type {string} */ version) => /** @type {any} */ ({ has: (/** @type {any} */ ability) => versionHas(version, ability) });

  test("is silent where the bundled one serves an agent for its earlier conversations", async () => {
    const llm = picks(/PostgreSQL/);
    const bundled = { enabled: true, config: { enabled: true, agents: [] } };
    for (const [version, dmScope, isServed] of /** @type {const} */ ([
      ["2026.9.6", "main", true],
      ["2026.9.6", "per-peer", false],
      ["2026.6.11", "main", false],
    ])) {
      const home = await hooked({ ...ON, autoRecall: true }, { files: FILES, llm, version });
      Object.assign(home.cfg.plugins.entries, { "active-memory": bundled });
      Object.assign(home.cfg, { session: { dmScope } });
      const shown = await ask(home, ASKED);
      expect(shown?.appendContext === undefined, `${version} ${dmScope}`).toBe(isServed);
    }
  });

  test("an agent searches with its own tools, in a queue and a session of its own", async () => {
    /** @type {Record<string, any>[]} */
    const runs = [];
    let made = "Falcon uses PostgreSQL 17 as its database.";
    const runtimeAgent = {
      runEmbeddedAgent: async (/** @type {Record<string, any>} */ run) => {
        runs.push(run);
        const content = [{ type: "text", text: '{"results":[{"snippet":"Falcon uses PostgreSQL 17 as its database."}]}' }];
        run.onAgentToolResult({ toolName: "memory_search", isError: false, result: { content } });
        run.onAgentToolResult({ toolName: "exec", isError: false, result: { content: [{ type: "text", text: "Osprey 42" }] } });
        return { payloads: [{ text: made }], meta: {} };
      },
    };
    const own = { ...ON.activeMemory, engine: "agent", toolsAllow: ["group:fs", "write", "memory_search"], fastMode: "auto" };
    const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, version: "2026.6.11", runtimeAgent });
    const told = { ...WEB, modelProviderId: "fake", modelId: "chat" };
    // Two runs whose gateway was killed: one long ago, one that may be under way elsewhere.
    const [old, fresh] = await Promise.all(["old", "fresh"].map((name) => mkdtemp(path.join(os.tmpdir(), `memory-core-rs-run-${name}`))));
    await utimes(old, new Date(0), new Date(0));
    expect((await ask(home, ASKED, told)).appendContext).toMatch(/<active_memory_plugin>[\s\S]*Falcon uses PostgreSQL 17/);
    const [run] = runs;
    expect(run).toMatchObject({ toolsAllow: ["memory_search"], trigger: "manual", fastMode: "auto", provider: "fake", model: "chat" });
    expect(run.lane).toMatch(/^memory-core-rs:[0-7]$/);
    expect(run.sessionKey).toMatch(/^agent:main:main:active-memory:[0-9a-f]{12}$/);
    expect(run.prompt.length).toBeLessThanOrEqual(4800);
    await expect.poll(() => existsSync(path.dirname(run.sessionFile))).toBe(false);
    await expect.poll(() => existsSync(old)).toBe(false);
    expect(existsSync(fresh)).toBe(true);
    await rm(fresh, { recursive: true });
    // What no tool of memory gave is not shown.
    made = "Osprey has 42 servers in Porto.";
    const shown = await ask(home, "What did we decide about the database that Falcon has?", told);
    expect(shown.appendContext).toMatch(/^<relevant-memories>/);
    expect(runs).toHaveLength(2);
  });

  // A model that repeated its call made 46 requests while a reply waited, and 30 more after it.
  test("an agent that calls its tools again and again is ended", async () => {
    let requests = 0;
    const runtimeAgent = {
      runEmbeddedAgent: async (/** @type {Record<string, any>} */ run) => {
        for (; requests < 50 && !run.abortSignal.aborted; requests += 1) {
          run.onAgentToolResult({ toolName: "memory_search", isError: requests % 2 === 1, result: { content: [] } });
        }
        return { payloads: [], meta: {} };
      },
    };
    const own = { ...ON.activeMemory, engine: "agent" };
    const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, version: "2026.6.11", runtimeAgent });
    await ask(home, ASKED, { ...WEB, modelProviderId: "fake", modelId: "chat" });
    expect(requests).toBe(9);
  });

  test("before 2026.6 a model is asked once instead of an agent, and the log says so once", async () => {
    const runEmbeddedPiAgent = () => expect.unreachable();
    const own = { ...ON.activeMemory, engine: "agent" };
    const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, version: "2026.4.12", runtimeAgent: { runEmbeddedPiAgent } });
    for (const prompt of [ASKED, "What did we decide about the database that Falcon has?"]) {
      expect((await ask(home, prompt)).prependContext).toContain("PostgreSQL");
    }
    expect(home.warnings.filter((line) => line.includes('engine "agent"'))).toHaveLength(1);
  });

  test("the line has the words of the host's own plugin", () => {
    const [newer] = [at("2026.9.6")].map((host) => statusLines(host, outcome, 842, "recent"));
    expect(newer).toEqual([
      "🧩 Active Memory: status=ok elapsed=842ms query=recent summary=34 chars lane=1",
      "🔎 Active Memory Debug: Falcon uses PostgreSQL",
    ]);
    expect(statusLines(at("2026.4.12"), outcome, 1500, "recent")[0]).toBe("🧩 Active Memory: ok 1.5s recent 34 chars lane=1");
    const nothing = { ...outcome, status: "circuit-breaker", lane: "native", block: undefined, shown: "" };
    expect(statusLines(at("2026.9.6"), nothing, 3, "full")).toEqual([
      "🧩 Active Memory: status=no_relevant_memory elapsed=3ms query=full lane=0 circuit-breaker",
    ]);
    expect(statusLines(at("2026.4.12"), nothing, 3, "full")[0]).toContain(": empty 3ms full");
    // An answer of nonsense was told as if the host had no model.
    const nonsense = { ...outcome, status: "unusable", lane: "native" };
    for (const version of ["2026.9.6", "2026.4.12"])
      expect(statusLines(at(version), nonsense, 3, "full")[0]).toMatch(/: (status=)?ok .* lane=0 unusable$/);
  });

  // After fifteen seconds of a model that gave nothing the line said that no model had taken part.
  test("a model that was asked for nothing is told", () => {
    const late = { ...outcome, status: "timeout", lane: "native", block: undefined, shown: "", asked: true };
    expect(statusLines(at("2026.9.6"), late, 15_000, "recent")).toEqual([
      "🧩 Active Memory: status=timeout elapsed=15s query=recent lane=1",
    ]);
  });

  test("calls are kept for those who want to see them, without secrets", async () => {
    const own = { ...ON.activeMemory, persistTranscripts: true };
    const home = await hooked({ ...ON, activeMemory: own }, { files: FILES, llm: picks(/PostgreSQL/) });
    await ask(home, `${ASKED} My key is AKIAIOSFODNN7EXAMPLE.`);
    const folder = path.join(home.stateDir, "memory-core-rs/active-memory/main/active-memory");
    await expect.poll(() => readdir(folder).catch(() => [])).toHaveLength(1);
    const file = path.join(folder, (await readdir(folder))[0]);
    const call = JSON.parse(await readFile(file, "utf8"));
    expect(call).toMatchObject({ lane: "model", style: "balanced", status: "ok" });
    expect(call.shown).toContain("PostgreSQL");
    expect(JSON.stringify(call)).not.toContain("AKIAIOSFODNN7EXAMPLE");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

// A host ends a hook at its limit: an agent whose limit and grace stand in two sections lost its block.
test("the host waits for an agent whose settings stand in several sections", () => {
  /** @type {{timeoutMs: number}[]} */
  const limits = [];
  const pluginConfig = {
    activeMemory: { enabled: true, engine: "agent", setupGraceTimeoutMs: 30_000 },
    agents: { work: { activeMemory: { timeoutMs: 20_000 } } },
  };
  const api = {
    pluginConfig,
    config: {},
    logger: { warn: () => {} },
    on: (/** @type {string} */ _name, /** @type {unknown} */ _run, /** @type {{timeoutMs: number}} */ options) => limits.push(options),
    runtime: { version: "2026.9.6" },
  };
  registerActiveMemory(/** @type {any} */ (api), new Host(/** @type {any} */ (api)));
  expect(limits).toHaveLength(1);
  expect(limits[0].timeoutMs).toBeGreaterThanOrEqual(50_000);
});
