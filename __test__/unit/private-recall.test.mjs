import { describe, expect, test } from "vitest";
import { agentConfig, rememberedConversations, searchOverview } from "../../lib/config.js";
import { isPrivateConversation, offersPrivateRecall, recallGrant, visibleFrom } from "../../plugin/private-recall.js";

const ASKING = { plugins: { entries: { "active-memory": { enabled: true, config: { enabled: true } } } } };

/** @param {Record<string, any>} more */
const config = (more = {}) => ({ ...ASKING, ...more });

describe("whether conversations are indexed for private recall", () => {
  test("follows the host's default and meaning, while its active memory is on", () => {
    const off = { enabled: true, config: { enabled: false } };
    for (const [cfg, remembered] of /** @type {[Record<string, any>, boolean][]} */ ([
      [config(), true],
      [{}, false],
      [{ plugins: { entries: { "active-memory": off } } }, false],
      [config({ session: { dmScope: "main" } }), true],
      [config({ session: { dmScope: "per-peer" } }), false],
      [config({ bindings: [{ session: { dmScope: "main" } }] }), false],
      [config({ bindings: "nothing" }), true],
      [config({ memory: { search: { rememberAcrossConversations: false } } }), false],
      [config({ session: { dmScope: "per-peer" }, memory: { search: { rememberAcrossConversations: true } } }), true],
      [config({ memory: { search: { rememberAcrossConversations: "yes" } } }), true],
      [config({ agents: { entries: { main: { memory: { search: { rememberAcrossConversations: false } } } } } }), false],
    ])) {
      expect(rememberedConversations(cfg, "main"), JSON.stringify(cfg)).toBe(remembered);
      expect(agentConfig(cfg, "main").remembersConversations, JSON.stringify(cfg)).toBe(remembered || undefined);
    }
  });

  test("privateRecall off is the end of it", () => {
    const cfg = { plugins: { entries: { ...ASKING.plugins.entries, "memory-core-rs": { config: { privateRecall: "off" } } } } };
    expect(rememberedConversations(cfg, "main")).toBe(false);
    expect(offersPrivateRecall({ privateRecall: "off" })).toBe(false);
    expect(offersPrivateRecall({})).toBe(true);
  });

  test("what is searched by everybody stays what it was", () => {
    expect(searchOverview(config(), "main").sources).toEqual(["memory"]);
    expect(searchOverview(config({ memory: { search: { sources: ["memory", "sessions"] } } }), "main").sources).toEqual([
      "memory",
      "sessions",
    ]);
  });
});

describe("which conversations are private", () => {
  test.each([
    ["agent:main:telegram:direct:7", {}, true],
    ["agent:main:dm:7", {}, true],
    ["agent:main:main", { chatType: "direct" }, true],
    ["agent:main:main", {}, false],
    ["agent:main:explicit:u7", { chatType: "direct" }, true],
    ["agent:main:explicit:u7", {}, false],
    ["agent:main:telegram:direct:7", { chatType: "group" }, false],
    ["agent:main:telegram:direct:7", { origin: { chatType: "channel" } }, false],
    ["agent:main:telegram:group:7", { chatType: "direct" }, false],
    ["agent:main:discord:channel:7", {}, false],
    ["agent:main:cron:job:direct:7", {}, false],
    ["agent:main:direct:7:heartbeat", {}, false],
    ["agent:main:subagent:direct:7", {}, false],
    ["agent:main:direct:7:active-memory:0123456789ab", { chatType: "direct" }, false],
    ["global", { chatType: "direct" }, false],
    ["agent:main:global", { chatType: "direct" }, false],
  ])("%s %o: %s", (key, entry, isPrivate) => {
    expect(isPrivateConversation("main", key, entry)).toBe(isPrivate);
    expect(isPrivateConversation("main", key, undefined)).toBe(false);
  });

  test("of two people, a group and another agent each sees what is open to it, and none its own", () => {
    const store = {
      "agent:main:direct:ana": { sessionId: "ana" },
      "agent:main:direct:berg": { sessionId: "berg" },
      "agent:main:telegram:group:7": { sessionId: "group" },
      "agent:main:cron:job": { sessionId: "cron", chatType: "direct" },
      "agent:other:direct:ana": { sessionId: "other" },
      // One transcript under two keys, one of which is a room's.
      "agent:main:direct:shared": { sessionId: "shared" },
      "agent:main:slack:channel:9": { sessionId: "shared" },
      "agent:main:direct:empty": {},
    };
    const from = (/** @type {string} */ key) => visibleFrom({}, "main", key, store);
    expect(from("agent:main:direct:ana")).toEqual(["berg"]);
    expect(from("agent:main:direct:berg")).toEqual(["ana"]);
    for (const other of [
      "agent:main:telegram:group:7",
      "agent:main:cron:job",
      "agent:main:direct:shared",
      "agent:main:direct:empty",
      "agent:other:direct:ana",
      "nobody",
      "",
    ]) {
      expect(from(other), other).toEqual([]);
    }
  });
});

describe("a grant", () => {
  const host = /** @type {any} */ ({ logger: { warn() {} } });
  const anchorSessionKey = "agent:main:direct:ana";
  const context = {
    cfg: config(),
    agentId: "main",
    sandboxed: false,
    sessionKey: `${anchorSessionKey}:active-memory:0123456789ab`,
    conversationRecall: { anchorSessionKey, scope: "same-agent-private", corpus: "sessions" },
  };

  test("is none without the host's word", async () => {
    expect(await recallGrant(host, { ...context, conversationRecall: undefined })).toBeUndefined();
  });

  test.each([
    ["from a sandbox", { sandboxed: true }],
    ["for another session", { sessionKey: "agent:main:direct:berg" }],
    ["for a longer name", { sessionKey: `${anchorSessionKey}x:active-memory:0123456789ab` }],
    ["for a run of another kind", { sessionKey: `${anchorSessionKey}:subagent:0123456789ab` }],
    ["for another agent's anchor", { conversationRecall: { ...context.conversationRecall, anchorSessionKey: "agent:other:direct:ana" } }],
    ["for a scope that nobody knows", { conversationRecall: { ...context.conversationRecall, scope: "everybody" } }],
    ["for a corpus that nobody knows", { conversationRecall: { ...context.conversationRecall, corpus: "all" } }],
    ["where it is switched off", { cfg: config({ memory: { search: { rememberAcrossConversations: false } } }) }],
    ["on a host that does not tell its conversations", {}],
  ])("opens nothing %s", async (_, change) => {
    expect(await recallGrant(host, { ...context, ...change })).toMatchObject({ conversations: [] });
  });
});
