import { describe, expect, test } from "vitest";
import { defaultAgentId, listAgentIds, normalizeAgentId, pruneConfig, searchOverview, sessionAgentId } from "../../lib/config.js";

describe("agents", () => {
  test("both shapes of the roster are read, entries win", () => {
    expect(listAgentIds({})).toEqual(["main"]);
    expect(listAgentIds({ agents: { list: [{ id: "Work Desk" }, { id: "home" }, { id: "home" }, null] } })).toEqual(["work-desk", "home"]);
    expect(listAgentIds({ agents: { entries: { a: {}, b: {} }, list: [{ id: "c" }] } })).toEqual(["a", "b"]);
  });

  test("the default agent is the marked one, else the first", () => {
    expect(defaultAgentId({})).toBe("main");
    expect(defaultAgentId({ agents: { list: [{ id: "a" }, { id: "b" }] } })).toBe("a");
    expect(defaultAgentId({ agents: { entries: { a: {}, b: { default: true } } } })).toBe("b");
  });

  test("a session belongs to the agent in its key", () => {
    const cfg = { agents: { list: [{ id: "a" }, { id: "b" }] } };
    expect(sessionAgentId(cfg, { sessionKey: "agent:b:main" })).toBe("b");
    expect(sessionAgentId(cfg, { sessionKey: "agent:b:main", agentId: "a" })).toBe("a");
    expect(sessionAgentId(cfg, { sessionKey: "global" })).toBe("a");
  });

  test("ids are safe as file names", () => {
    expect(normalizeAgentId("../Etc/Passwd")).toBe("etc-passwd");
    expect(normalizeAgentId("")).toBe("main");
    expect(normalizeAgentId("x".repeat(99))).toHaveLength(64);
  });
});

describe("overview", () => {
  test("stronger places win: host defaults, host settings, agent, our own, our own for the agent", () => {
    const cfg = {
      agents: { defaults: { memorySearch: { provider: "a", model: "m" } }, entries: { work: { memory: { search: { provider: "c" } } } } },
      memory: { search: { provider: "b" } },
      plugins: { entries: { "memory-core-rs": { config: { agents: { Work: { provider: "e" } } } } } },
    };
    expect(searchOverview(cfg, "main").provider).toBe("b");
    expect(searchOverview(cfg, "work").provider).toBe("e");
    cfg.plugins.entries["memory-core-rs"].config = /** @type {any} */ ({ provider: "d" });
    expect(searchOverview(cfg, "work").provider).toBe("d");
    delete (/** @type {any} */ (cfg).plugins);
    expect(searchOverview(cfg, "work").provider).toBe("c");
  });

  test("transcripts need both switches", () => {
    const sources = ["memory", "sessions"];
    expect(searchOverview({ memory: { search: { sources } } }, "main").sources).toEqual(["memory"]);
    expect(searchOverview({ memory: { search: { sources, experimental: { sessionMemory: true } } } }, "main").sources).toEqual(sources);
  });

  test("memory search is on until it is switched off", () => {
    expect(searchOverview({}, "main").enabled).toBe(true);
    expect(searchOverview({ memory: { search: { enabled: false } } }, "main").enabled).toBe(false);
  });
});

test("what goes to the engine holds settings and no secret", () => {
  const remote = { baseUrl: "https://example.test/v1", apiKey: "sk-secret", headers: { "X-Team": "secret-header" } };
  const pruned = pruneConfig({
    agents: { defaults: { workspace: "/w", memorySearch: { remote }, model: "x" }, list: [{ id: "a", memorySearch: { remote } }] },
    memory: { search: { remote, query: { maxResults: 3 } } },
    models: { providers: { openai: { apiKey: "sk-secret", baseUrl: "https://b.test", headers: { a: "secret-header" } } } },
    channels: { telegram: { token: "secret-token" } },
    plugins: { entries: { "memory-core-rs": { config: { remote, agents: { a: { remote } } } }, other: { config: { key: "secret" } } } },
  });
  expect(JSON.stringify(pruned)).not.toContain("secret");
  expect(pruned.memory.search).toEqual({ remote: { baseUrl: remote.baseUrl, headers: { "X-Team": "" } }, query: { maxResults: 3 } });
  expect(pruned.models).toBeUndefined();
  expect(pruned.agents.defaults.workspace).toBe("/w");
});
