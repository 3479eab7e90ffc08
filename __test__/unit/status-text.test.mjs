// The text of `openclaw memory status`.

import { expect, test, vi } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { explainSettings } from "../../lib/explain-settings.js";
import { native } from "../../lib/native.js";
import { dayText, tellTimesIn } from "../../plugin/cli/output.js";
import { agentStatus } from "../../plugin/cli/status.js";
import { printStatus } from "../../plugin/cli/status-text.js";
import { makeWorkspace } from "../support/workspace.mjs";
import { hooked, MAIN } from "./hooked.mjs";

/** What is printed of one agent. @param {object} result @param {{verbose?: boolean}} [more] */
function printed(result, more) {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  printStatus([{ agentId: "main", ...result }], [], more);
  const text = write.mock.calls.map(([line]) => line).join("");
  write.mockRestore();
  expect(text).not.toContain("canary");
  return text;
}

/**
 * The lines about the provider's server.
 * @param {Record<string, unknown>} search
 * @param {Record<string, unknown>} [providers]
 * @param {Partial<import("../../index.d.ts").ManagerRequest>} [more]
 */
async function endpointLines(search, providers = {}, more = {}) {
  const { config, request } = await makeWorkspace();
  const cfg = { ...config(search), models: { providers } };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, ...more, cfg, purpose: "status" }));
  return printed({ status: manager.status() }).match(/^(?:Address|Key): .*$/gm);
}

test("status tells where texts go and where the key for it comes from, never the key", async () => {
  const baseUrl = "http://127.0.0.1:9/v1";
  const own = { openai: { baseUrl, apiKey: "canary-own" } };
  const openai = { provider: "openai" };
  expect(await endpointLines(openai, own)).toEqual([
    `Address: ${baseUrl} (models.providers.openai.baseUrl)`,
    "Key: from models.providers.openai.apiKey",
  ]);
  const remote = { baseUrl: "http://127.0.0.1:8/v1?key=canary-query", apiKey: "canary-remote" };
  expect(await endpointLines({ ...openai, remote }, own)).toEqual([
    "Address: http://127.0.0.1:8/v1 (memory.search.remote.baseUrl)",
    "Key: from memory.search.remote.apiKey",
  ]);
  expect(await endpointLines(openai, {}, { env: { OPENAI_API_KEY: "canary-env" } })).toEqual([
    "Address: https://api.openai.com/v1",
    "Key: from OPENAI_API_KEY",
  ]);
  expect(await endpointLines({ provider: "ollama" })).toEqual(["Address: http://127.0.0.1:11434", "Key: none"]);
});

test("a provider of the host has an address of its own, and without a provider nothing is sent", async () => {
  const adapter = { providers: ["bedrock"], embed: async () => [] };
  const bedrock = { "amazon-bedrock": { apiKey: "canary-bedrock" } };
  expect(await endpointLines({ provider: "bedrock" }, bedrock, { adapter })).toEqual([
    "Address: chosen by the host's provider",
    "Key: from models.providers.amazon-bedrock.apiKey",
  ]);
  expect(await endpointLines({ provider: "none" })).toBeNull();
  expect(await endpointLines({ provider: "embedded" })).toBeNull();
});

// What is resolved before the engine sees it was missing among the origins.
test("with all settings it tells where each part of remote is written, and no secret", async () => {
  const { config, request } = await makeWorkspace();
  const url = "https://canary-user:canary-password@proxy.example:8443/v1?key=canary-query";
  const remote = { baseUrl: url, apiKey: "canary-key", headers: { "x-team": "canary-header" } };
  const cfg = { ...config({ provider: "openai" }), plugins: { entries: { "memory-core-rs": { config: { remote } } } } };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg, purpose: "status" }));
  const settings = await explainSettings({ ...request, cfg });
  expect(JSON.stringify(settings)).not.toContain("canary");
  const where = "plugins.entries.memory-core-rs.config.remote";
  expect(printed({ status: manager.status(), settings }).match(/^ {2}remote\.(?:baseUrl|apiKey|headers) .*$/gm)).toEqual([
    `  remote.baseUrl = "https://proxy.example:8443/v1" ← ${where}.baseUrl`,
    `  remote.apiKey ← ${where}.apiKey`,
    `  remote.headers = ["x-team"] ← ${where}.headers`,
  ]);
});

// Most values were missing, and `provider` was a whole object.
test("a setting is shown with its value under the name that it has in the configuration", async () => {
  const { config, request } = await makeWorkspace();
  const query = { hybrid: { vectorWeight: 0.4 } };
  const cfg = { ...config({ provider: "none" }), plugins: { entries: { "memory-core-rs": { config: { query } } } } };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg, purpose: "status" }));
  const lines = printed({ status: manager.status(), settings: await explainSettings({ ...request, cfg }) }).split("\n");
  expect(lines).toContain("  query.hybrid.vectorWeight = 0.4 ← plugins.entries.memory-core-rs.config.query.hybrid.vectorWeight");
  expect(lines.find((line) => line.startsWith("  provider "))).toMatch(/^ {2}provider = "none" ← /);
  expect(lines.filter((line) => /= +←|= null/.test(line))).toEqual([]);
});

test("indexes of the agent's other workspaces are named with their size, and with where the way to remove one stands", () => {
  const others = [
    { path: "/state/index.sqlite", workspace: "/home/a/notes", isGone: true, bytes: 3_400_000 },
    { path: "/state/index.ws-1.sqlite", isGone: false, bytes: 90_000 },
  ];
  const text = printed({ status: { provider: "none" }, scan: { otherWorkspaces: others } });
  expect(text).toContain("openclaw memory doctor");
  expect(text).toMatch(/\/state\/index\.sqlite \(3\.\d MiB\) · \/home\/a\/notes, not there any more/);
  expect(text).toMatch(/index\.ws-1\.sqlite \([\d.]+ KiB\) · unknown$/m);
  expect(printed({ status: { provider: "none" }, scan: { otherWorkspaces: [] } })).not.toContain("other workspaces");
});

// Times were told in UTC, and days of `--since` are the user's: what came at night was listed under another day than it is found by.
test("the last warnings stand below, with their time where the user is, and how often they came", () => {
  const lastWarnings = [
    { level: "error", message: "the index was damaged", count: 1, sinceMs: 0, atMs: Date.UTC(2026, 10, 23, 9, 5) },
    { level: "warn", message: "vectors were not made", count: 7, sinceMs: 0, atMs: Date.UTC(2026, 10, 22, 23, 59) },
  ];
  const status = { backend: "builtin", provider: "none", custom: { lastWarnings } };
  for (const [zone, first, second] of [
    ["UTC", "2026-11-23 09:05 UTC", "2026-11-22 23:59 UTC"],
    ["Europe/Lisbon", "2026-11-23 09:05 GMT", "2026-11-22 23:59 GMT"],
    ["Asia/Kolkata", "2026-11-23 14:35 GMT+5:30", "2026-11-23 05:29 GMT+5:30"],
    ["America/New_York", "2026-11-23 04:05 EST", "2026-11-22 18:59 EST"],
  ]) {
    tellTimesIn(zone);
    // Some Nodes say GMT+0.
    const text = printed({ status }).replaceAll("GMT+0", "GMT");
    expect(text).toContain(`Last warnings:\n  ${first}: the index was damaged\n  ${second}, 7 times: vectors were not made`);
    expect(dayText(Date.UTC(2026, 10, 22, 23, 59))).toBe(second.slice(0, 10));
  }
  tellTimesIn(undefined);
  expect(printed({ status: { ...status, custom: { lastWarnings: [] } } })).not.toContain("Last warnings");
});

test("status tells how many chunks wait for vectors of their lines, and nothing once all have them", () => {
  const status = (/** @type {object} */ lines) =>
    printed({ status: { backend: "builtin", provider: "openai", vector: { enabled: true }, custom: { lines } } });
  expect(status({ pending: 40, filling: true })).toContain(
    "Vectors of single lines: 40 chunks to go, being made; until then searches compare whole chunks",
  );
  expect(status({ pending: 1, filling: false })).toContain("1 chunk to go, made while an agent or a gateway runs;");
  expect(status({ pending: 0, filling: false })).not.toContain("single lines");
});

// Only doctor said it where something more urgent was the state of the index.
test("notes that are not exchanged any more are told, once", async () => {
  const { config, request } = await makeWorkspace();
  const manager = /** @type {MemoryIndexManager} */ (
    await MemoryIndexManager.get({ ...request, cfg: config({ provider: "none" }), purpose: "status" })
  );
  const status = manager.status();
  const stopped = "5 of 6 notes vanished from the workspace at once. Bring them back";
  const notes = { notes: 6, exchangedAtMs: 1_795_000_000_000, conflicts: [], refused: 0 };
  /** @param {object} more @param {object} health */
  const lines = (more, health) =>
    printed({ status: { ...status, custom: { ...status.custom, health, notes: { ...notes, ...more } } } })
      .match(/^(?:Notes|State): .*$/gm)
      ?.join(" ");
  expect(lines({}, { state: "ready" })).not.toContain("stopped");
  expect(lines({ stopped }, { state: "failing", reason: "no space" })).toMatch(
    /no space .*the exchange has stopped: 5 of 6 notes vanished/,
  );
  const both = lines({ stopped }, { state: "lost", reason: stopped });
  expect(both).toMatch(/and the exchange has stopped$/);
  expect(both?.match(/5 of 6 notes/g)).toHaveLength(1);
});

// A workspace that is gone was "304/0 files".
test("files whose folder is lost are told beside those that are on the disk", () => {
  const status = (/** @type {object[]} */ lostFolders) => ({ files: 304, chunks: 900, custom: { lostFolders } });
  const indexed = (/** @type {object} */ result) => printed(result).match(/^Indexed: .*$/m)?.[0];
  const lost = [{ path: "/ws", loss: "missing", notes: 304, missing: 304 }];
  const text = "Indexed: 304 files, 0 of them on the disk now · 900 chunks";
  expect(indexed({ status: status(lost), scan: { totalFiles: 0 } })).toBe(text);
  expect(indexed({ status: status([]), scan: { totalFiles: 305 } })).toBe("Indexed: 304/305 files · 900 chunks");
  expect(indexed({ status: status(lost) })).toBe("Indexed: 304 files · 900 chunks");
  // An index that another gateway is ahead with, or a folder that cannot be read.
  expect(indexed({ status: status([]), scan: { totalFiles: 303 } })).toBe("Indexed: 304 files, 303 of them on the disk now · 900 chunks");
});

// A mere plan, and a run that failed, counted as if they had added what they were to add.
test.each([
  ["planned", "planned, would add 4, move 1"],
  ["applying", "begun, is to add 4, move 1"],
  ["failed", "failed, nothing added or moved"],
  ["applied", "applied, added 4, moved 1"],
  ["undone", "undone, added 4, moved 1"],
])("the last run of consolidation that is %s says what was added", (state, told) => {
  const lastRun = {
    runId: "r1",
    state,
    startedAt: "2026-11-26T10:00:00Z",
    added: 4,
    moved: 1,
    inputTokens: 0,
    outputTokens: 0,
    refused: {},
  };
  const settings = { mode: "suggest", schedule: "daily", writer: "rules" };
  const consolidation = { settings, claims: 1, uses: 1, lastRun, tokens: [], maxChars: 9, chars: 1 };
  const line = (/** @type {{verbose?: boolean}} */ more) => printed({ status: { files: 1, chunks: 1 }, consolidation }, more);
  expect(line({})).toMatch(new RegExp(`^Consolidation: .*: ${told}$`, "m"));
  expect(line({ verbose: true })).toMatch(new RegExp(`^Run r1 of .*: ${told}$`, "m"));
});

// A name with a line break in it made two lines of one.
test("an issue is one line, whatever is in a name", () => {
  const text = printed({ status: {}, scan: { totalFiles: 1, issues: ["memory/a\nb\tc.md: rename it"] } });
  expect(text).toContain("  memory/a␊b␉c.md: rename it\n");
});

test("what no list holds is counted among the issues", () => {
  const issues = Array.from({ length: 30 }, (_, at) => `memory/${at}.MD: not .md`);
  const scan = { totalFiles: 1, issues, moreSkipped: 1500 };
  const [all, first] = [true, false].map((verbose) => printed({ status: { files: 1 }, scan }, { verbose }));
  expect(first).toMatch(/… and 15\d\d more: --verbose/);
  expect(all).toContain("… and 1500 more files that are left out");
});

// Captures that could not be written were told of by nothing but the gateway's log.
test("status tells how many turns wait to be captured", async () => {
  const { host, cfg, agent, manager } = await hooked({ autoCapture: true });
  const state = async () => await agentStatus(host, { cfg, agentId: "main" }, /** @type {any} */ (manager), {});
  expect(await state()).toMatchObject({ automatic: { capture: "rules" } });
  expect(printed(await state())).not.toContain("to be captured");
  for (const id of ["w1", "w2"])
    native().queueCapture(agent, { id, sessionKey: MAIN.sessionKey, messages: [{ role: "user", text: "I live in Bonn." }] });
  expect(await state()).toMatchObject({ automatic: { waiting: 2 } });
  expect(printed(await state())).toContain("Automatic memory: capture by rules; 2 turns wait to be captured (openclaw memory doctor)\n");
});
