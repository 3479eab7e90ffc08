// What must not get lost, and what must not get in the way: flushes, compactions without one, sessions that the host ends
// by itself, providers and models that hang.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { stopHosts } from "./harness.mjs";
import { eventually, ID, MAIN, memoryHost, messagesOf, question, RESET, text } from "./memory-host.mjs";

const FALCON = "# 2026-11-02\n\n- Project Falcon uses PostgreSQL 17 as its database.\n";

/** Longest a reply may wait for memories, in milliseconds, and what a busy machine adds to it. */
const BUDGET_MS = 300;
const SLACK_MS = 700;

/** The host flushes soon and often. */
const FLUSHING = { mode: "default", memoryFlush: { enabled: true, forceFlushTranscriptBytes: 10 }, keepRecentTokens: 50 };

/** The flush turn writes to the file that the plan names. */
const FLUSH = {
  match: "Memory flush before compaction[\\s\\S]*Write only to (memory/[0-9-]+\\.md)",
  tool: "write",
  toolCall: { name: "write", arguments: { path: "{{1}}", content: "- The kite is red\n" } },
};

const RULES = [
  { match: "Bullets, or NONE", reply: "- [fact] The ferry leaves at six", delayMs: 20_000 },
  // Some hosts leave the answer of a flush out of the next request: the result of its tool then stands before the message.
  { on: "last", match: "And what now|Really\\.|walnuts|What was the hint|Falcon|lighthouse has|Good morning", reply: "HELLO" },
  { on: "tool", match: ".", reply: "NO_REPLY" },
  FLUSH,
  // Some hosts give the plan as an event of the runtime, beside the message.
  { ...FLUSH, on: "system" },
  {
    match: "Please note the hint of the (\\w+)",
    tool: "write",
    toolCall: { name: "write", arguments: { path: "memory/2026-11-03-{{1}}.md", content: "- The hint of the {{1}} is blue.\n" } },
  },
  { match: ".", reply: "HELLO" },
];

/** @param {string} version */
export function safetySuite(version) {
  describe.sequential(`What must not get lost on OpenClaw ${version}`, () => {
    /** @typedef {Awaited<ReturnType<typeof memoryHost>>} Home */
    /** @type {Home} */
    let home;
    beforeAll(async () => {
      home = await memoryHost(version, { files: { "MEMORY.md": "# Memory\n", "memory/2026-11-02.md": FALCON }, rules: RULES });
      await home.host.ok(ID, "setup", "--yes", "--no-index");
      await home.host.ok("memory", "index");
    });
    afterEach(async () => {
      await home?.host.stopGateway();
    });
    afterAll(async () => {
      await stopHosts();
    });

    /** @param {Record<string, unknown>} compaction @param {Record<string, unknown>} [session] */
    const setHost = (compaction, session) =>
      home.host.edit((_, config) => {
        config.agents.defaults.compaction = compaction;
        if (session) config.session = session;
      });

    test("the host flushes by our plan before it compacts, and what it has flushed is not captured", async () => {
      const { host, say, notes } = home;
      await setHost(FLUSHING);
      await host.configure({ captureOnCompaction: true });
      await host.startGateway();
      host.takeChats();
      await say("My kite is red. I prefer kites to swings.");
      await say("And what now?");
      const last = () =>
        host
          .peekChats()
          .map((chat) => text(chat.messages.at(-1)).slice(0, 300))
          .join("\n");
      expect(await eventually(async () => (await notes()).includes("- The kite is red")), last()).toBe(true);
      const asked = JSON.stringify(host.takeChats().map((chat) => chat.messages));
      expect(asked).toMatch(/Memory flush before compaction.*Write only to memory\/\d{4}-\d\d-\d\d\.md/);
      // A flush may be through before the compaction comes, and what it has seen is the host's to keep: not so of each.
      let isKept = false;
      for (const fact of ["I prefer harbours to beaches.", "I prefer trams to buses.", "I prefer plums to pears."]) {
        host.takeChats();
        await say(`${fact} ${"The weather was nice. ".repeat(60)}Really.`);
        await say(`What else did we say? ${"It was sunny all day. ".repeat(60)}Really.`);
        await host.chat(MAIN, "/compact");
        isKept = await eventually(async () => (await notes()).includes(`- [preference] ${fact}`));
        if (isKept) break;
        const flushes = host.peekChats().map((chat) => JSON.stringify(chat.messages));
        const hasSeen = flushes.some((said) => said.includes("Memory flush before compaction") && said.includes(fact));
        expect(hasSeen, host.gatewayOutput.slice(-3000)).toBe(true);
      }
      expect(isKept, host.gatewayOutput.slice(-3000)).toBe(true);
      expect(await notes()).not.toContain("kites to swings");
    });

    test("a captured fact is recalled also when the agent has written into its note before and after it", async () => {
      const { host, say, notes } = home;
      await setHost(FLUSHING);
      await host.configure({ autoCapture: true, autoRecall: true, autoRecallTimeoutMs: 5000 });
      await host.startGateway();
      const flushes = async () => (await notes()).split("- The kite is red").length;
      const flushed = async () => {
        const before = await flushes();
        await host.chat(MAIN, "/compact");
        await say(`How is the weather today? ${"It was sunny all day. ".repeat(60)}Really.`);
        await say(`And how was it yesterday? ${"It was rainy all day. ".repeat(60)}Really.`);
        expect(await eventually(async () => (await flushes()) > before), host.gatewayOutput.slice(-3000)).toBe(true);
      };
      await flushed();
      await say("I prefer walnuts to almonds");
      const fact = "- [preference] I prefer walnuts to almonds";
      expect(await eventually(async () => (await notes()).includes(fact))).toBe(true);
      await flushed();
      expect(await eventually(async () => (await host.ok("memory", "search", "walnuts almonds")).stdout.includes("walnuts"))).toBe(true);
      host.takeChats();
      await say("Which do I prefer, walnuts or almonds?");
      expect(question(host.takeChats(), "Which do I prefer, walnuts")).toMatch(/<relevant-memories>[\s\S]*I prefer walnuts to almonds/);
      await host.configure({ autoCapture: false, autoRecall: false });
    });

    test("a compaction without a flush loses no fact, and none is kept twice", async () => {
      const { host, call, say, notes } = home;
      await setHost({ mode: "default", memoryFlush: { enabled: false }, keepRecentTokens: 50 });
      await host.startGateway();
      // A new gateway has seen no flush, so a new conversation.
      await call("sessions.reset", RESET);
      await say(`I prefer kites to boats. ${"The weather was nice. ".repeat(60)}Really.`);
      await say(`What else did we say? ${"It was sunny all day. ".repeat(60)}Really.`);
      expect(await notes()).not.toContain("kites to boats");
      await host.chat(MAIN, "/compact");
      expect(
        await eventually(async () => (await notes()).includes("- [preference] I prefer kites to boats.")),
        host.gatewayOutput.slice(-3000),
      ).toBe(true);
      await host.chat(MAIN, "/compact");
      await pause(5000);
      expect((await notes()).match(/kites to boats/g)).toHaveLength(1);
    });

    test("a compaction keeps nothing when that is switched off", async () => {
      const { host, say, notes } = home;
      await host.configure({ captureOnCompaction: false });
      await host.startGateway();
      await say(`I prefer rafts to ferries. ${"The weather was nice. ".repeat(60)}Really.`);
      await say(`What shall we say now? ${"It was sunny all day. ".repeat(60)}Really.`);
      host.takeChats();
      const before = await compactions(host);
      await host.chat(MAIN, "/compact");
      const summarised = () => host.peekChats().some((chat) => JSON.stringify(chat.messages).includes("rafts to ferries"));
      // Older hosts summarise in other words, but write the compaction down.
      const compacted = host.atLeast("2026.6.11") ? async () => summarised() : async () => (await compactions(host)) > before;
      expect(await eventually(compacted), host.gatewayOutput.slice(-3000)).toBe(true);
      // A part that is on has done its work when the gateway has stopped.
      await host.stopGateway();
      expect(await notes()).not.toContain("rafts to ferries");
      expect((await host.json("memory", "captures")).waiting).toBe(0);
    });

    test("what is written down in a group does not come up in the user's own chat", async ({ skip }) => {
      const { host, say, notes } = home;
      skip(host.atLeast("2026.8.0"), "this host remembers whose words a file holds");
      await setHost({});
      await host.configure({ autoRecall: true, autoRecallTimeoutMs: 5000 });
      await host.startGateway();
      await say("Please note the hint of the raft", "agent:main:telegram:group:7");
      await say("Please note the hint of the canoe");
      for (const what of ["raft", "canoe"]) {
        const hint = `The hint of the ${what} is blue`;
        expect(await eventually(async () => (await notes()).includes(hint)), host.gatewayOutput.slice(-3000)).toBe(true);
        const found = async () => (await host.ok("memory", "search", `hint ${what}`)).stdout.includes(hint);
        expect(await eventually(found)).toBe(true);
      }
      host.takeChats();
      await say("What was the hint of the canoe?");
      await say("What was the hint of the raft?");
      const chats = host.takeChats();
      expect(question(chats, "What was the hint of the canoe?")).toContain("hint of the canoe is blue");
      expect(question(chats, "What was the hint of the raft?")).not.toContain("hint of the raft is blue");
    });

    test("a provider that hangs delays the request to the model by no more than the budget", async () => {
      const { host, say } = home;
      await setHost({});
      await host.configure({ autoRecall: true, autoRecallTimeoutMs: BUDGET_MS });
      await host.startGateway();
      /** Milliseconds from the embedding of a message to the request with it. @param {string} words */
      const delay = (words) => {
        const has = (/** @type {any} */ body) => JSON.stringify(body ?? null).includes(words);
        const records = host.peekRecords();
        const embedded = records.find((record) => record.path?.endsWith("/embeddings") && has(record.body));
        const asked = records.find((record) => record.body?.messages?.some(has));
        return Date.parse(asked.ts) - Date.parse(embedded.ts);
      };
      // Warm: the first recall of a process opens the engine.
      await say("Which database does Falcon use?");
      host.takeChats();
      await say("And whose database is Falcon?");
      const usual = delay("whose database");
      await host.control({ failEmbeddings: "timeout" });
      host.takeChats();
      await say("Which release of the Falcon database is it?");
      expect(delay("release of the Falcon") - usual).toBeLessThan(BUDGET_MS + SLACK_MS);
      // Words alone still find it.
      expect(question(host.takeChats(), "release of the Falcon")).toMatch(/<relevant-memories>[\s\S]*PostgreSQL 17/);
      await host.control({ failEmbeddings: null });
      await host.configure({ autoRecall: false });
    });

    test("a model that hangs over a capture delays nothing", async () => {
      const { host, notes } = home;
      await host.configure({ autoCapture: true, autoCaptureMode: "extract" });
      await host.startGateway();
      host.takeChats();
      await host.turn("The ferry to the island leaves at six in the morning", { local: false });
      // The reply is there before the model has answered about the capture.
      expect(await notes()).not.toContain("The ferry leaves at six");
      const asked = () => messagesOf(host.peekChats(), "user").some((said) => said.includes("Bullets, or NONE"));
      expect(await eventually(async () => asked())).toBe(true);
      expect(await eventually(async () => (await notes()).includes("- [fact] The ferry leaves at six"))).toBe(true);
      await host.configure({ autoCapture: false });
    });

    test("a session that the host ends by itself becomes a note", async () => {
      const { host, say, notes } = home;
      await host.configure({ sessionNotes: { enabled: true } });
      await setHost({}, { reset: { mode: "idle", idleMinutes: 1 } });
      await host.startGateway();
      await say("Our lighthouse has three lamps");
      await pause(75_000);
      await say("Good morning, what shall we do?");
      expect(
        await eventually(async () => /# Session: [\s\S]*user: [^\n]*three lamps/.test(await notes())),
        `${await notes()}\n${host.gatewayOutput.slice(-3000)}`,
      ).toBe(true);
      // The host's own notes name the channel there, not what ended the conversation.
      expect(await notes()).toMatch(/\*\*Source\*\*: (?:webchat|unknown)\n/);
    });

    test("the log names the line that is missing when conversations are closed to us", async ({ skip }) => {
      const { host } = home;
      skip(!host.atLeast("2026.4.24"), "this host asks for no permission");
      await host.edit((entry) => {
        delete entry.hooks;
      });
      await host.startGateway();
      const line = `plugins.entries.${ID}.hooks.allowConversationAccess = true`;
      expect(await eventually(async () => host.gatewayOutput.includes(line)), host.gatewayOutput.slice(-3000)).toBe(true);
      expect((await host.ok("memory", "status")).stdout).toContain(line);
    });
  });
}

/**
 * Compactions in the transcripts of a host that keeps them in files; none where it has a database.
 * @param {import("./harness.mjs").TestHost} host
 */
async function compactions(host) {
  const folder = path.join(host.stateDir, "agents", "main", "sessions");
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.filter((name) => name.endsWith(".jsonl")).map((name) => readFile(path.join(folder, name), "utf8")));
  return texts.join("\n").split('"type":"compaction"').length - 1;
}
