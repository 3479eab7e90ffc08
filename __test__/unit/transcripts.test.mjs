// Conversations as a source, through the JavaScript face: files of older hosts, a host that keeps them itself, and the
// host's word that something was said.

import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { Host } from "../../plugin/host.js";
import { createRuntime } from "../../plugin/runtime.js";
import { authorizeHits } from "../../plugin/session-visibility.js";
import { stopWatchingTranscripts, watchTranscripts } from "../../plugin/sessions/events.js";
import { makeWorkspace } from "../support/workspace.mjs";

const SESSIONS = { provider: "none", sources: ["memory", "sessions"], experimental: { sessionMemory: true } };

/** @param {string} role @param {string} text */
const line = (role, text) => `${JSON.stringify({ type: "message", message: { role, content: [{ type: "text", text }] } })}\n`;

/** @param {Awaited<ReturnType<typeof makeWorkspace>>} home */
async function transcript({ stateDir }) {
  const dir = path.join(stateDir, "agents", "main", "sessions");
  await mkdir(dir, { recursive: true });
  return path.join(dir, "s1.jsonl");
}

/** @param {any} request */
const managerOf = async (request) => /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));

test("a fact said only in a conversation is found, and counted as its own source", async () => {
  const home = await makeWorkspace();
  await writeFile(await transcript(home), line("user", "My sister Lena moved to Porto.") + line("assistant", "Noted."));
  const manager = await managerOf({ ...home.request, cfg: home.config(SESSIONS), purpose: "cli" });
  expect(await manager.plan()).toMatchObject({ plan: { files: 2 } });
  expect(await manager.sync()).toMatchObject({ files: 2, changed: 2 });
  const [hit] = await manager.search("Where did my sister Lena move to?");
  expect(hit).toMatchObject({ path: "sessions/main/s1.jsonl", source: "sessions", startLine: 1 });
  expect(await manager.search("Lena Porto", { sources: ["memory"] })).toEqual([]);
  expect(manager.status().sourceCounts).toEqual([
    { source: "memory", files: 1, chunks: 1 },
    { source: "sessions", files: 1, chunks: 1 },
  ]);
  await expect(manager.readFile({ relPath: "sessions/main/s1.jsonl" })).rejects.toMatchObject({ code: "MEM_PATH" });
});

// "Assistant: Active Memory: off globally." was found as if the assistant had said it.
test("what a host answers to a command is nothing that was said", async () => {
  const home = await makeWorkspace();
  const own = { role: "assistant", provider: "openclaw", model: "gateway-injected", content: "Active Memory: off globally." };
  const answered = `${JSON.stringify({ type: "message", message: own })}\n`;
  const said = [line("user", "/active-memory off"), answered, line("user", "My sister Lena moved to Porto.")];
  await writeFile(await transcript(home), said.join(""));
  const manager = await managerOf({ ...home.request, cfg: home.config(SESSIONS), purpose: "cli" });
  await manager.sync();
  const found = await manager.search("Active Memory off globally Lena Porto");
  expect(found.map((hit) => hit.snippet).join("\n")).toMatch(/User: My sister Lena moved to Porto\./);
  expect(found.map((hit) => hit.snippet).join("\n")).not.toContain("globally");
});

test("a conversation that a host deleted and packed is found", async () => {
  const home = await makeWorkspace();
  const said = Array.from({ length: 500 }, (_, n) => line("user", `Remark ${n} about the garden.`)).join("");
  const packed = zstdCompressSync(Buffer.from(said + line("user", "My sister Lena moved to Porto.")));
  await writeFile(`${await transcript(home)}.deleted.2026-11-20T10-11-12.345Z.zst`, packed);
  const manager = await managerOf({ ...home.request, cfg: home.config(SESSIONS), purpose: "cli" });
  await manager.sync();
  const [hit] = await manager.search("Where did my sister Lena move to?");
  expect(hit).toMatchObject({ path: "sessions/main/s1.jsonl.deleted.2026-11-20T10-11-12.345Z.zst", source: "sessions" });
  expect(await manager.sync()).toMatchObject({ changed: 0 });
});

test("without both settings no conversation is read", async () => {
  const home = await makeWorkspace();
  await writeFile(await transcript(home), line("user", "My sister Lena moved to Porto."));
  const manager = await managerOf({ ...home.request, cfg: home.config({ ...SESSIONS, experimental: {} }), purpose: "cli" });
  await manager.sync();
  expect(await manager.search("Lena Porto")).toEqual([]);
});

test("a function can hand over conversations; when it fails, notes are indexed all the same", async () => {
  const home = await makeWorkspace();
  /** @type {any[]} */
  const asked = [];
  let broken = false;
  /** @type {import("../../index.d.ts").SessionSource} */
  const sessions = async (request) => {
    asked.push(request);
    if (broken) throw new Error("the database is locked");
    if (request.kind === "list") {
      return { complete: true, sessions: [{ sessionKey: "agent:main:main", sessionId: "s9", updatedAtMs: 1_795_305_443_664 }] };
    }
    return { kind: "page", cursor: "c1", more: false, messages: [{ line: 4, role: "user", text: "The alarm code is on the fridge." }] };
  };
  const manager = await managerOf({ ...home.request, cfg: home.config(SESSIONS), sessions, purpose: "cli" });
  await manager.sync();
  expect(asked.map(({ kind }) => kind)).toEqual(["list", "read"]);
  expect(asked[1]).toEqual({ kind: "read", sessionKey: "agent:main:main", sessionId: "s9" });
  const [hit] = await manager.search("alarm code fridge");
  expect(hit).toMatchObject({ path: "sessions/main/s9.jsonl", startLine: 4, source: "sessions" });
  broken = true;
  expect(await manager.sync()).toMatchObject({ files: 1 });
  expect(manager.status().lastSyncError).toContain("the database is locked");
  expect((await manager.inspect()).status.lastSyncError).toContain("the database is locked");
  expect((await manager.search("alarm code fridge"))[0]?.path).toBe("sessions/main/s9.jsonl");
});

test("the host's word that something was said brings it into the index", { timeout: 30_000 }, async () => {
  const home = await makeWorkspace();
  const file = await transcript(home);
  await writeFile(file, "");
  const cfg = home.config({ ...SESSIONS, sync: { sessions: { deltaMessages: 0 } } });
  /** @type {((update: any) => void)[]} */
  const listeners = [];
  const api = {
    config: cfg,
    runtime: {
      version: "2026.4.12",
      config: { loadConfig: () => cfg },
      state: { resolveStateDir: () => home.stateDir },
      agent: { resolveAgentWorkspaceDir: () => home.workspace },
      events: {
        onSessionTranscriptUpdate: (/** @type {(update: any) => void} */ listener) => {
          listeners.push(listener);
          return () => listeners.splice(listeners.indexOf(listener), 1);
        },
      },
    },
  };
  const host = new Host(api);
  watchTranscripts(api, host);
  watchTranscripts(api, host);
  expect(listeners, "one subscription, however often it begins").toHaveLength(1);
  const manager = await managerOf(host.managerRequest({ cfg, agentId: "main" }));
  await manager.sync();
  await appendFile(file, line("user", "The spare key hangs behind the boiler."));
  listeners[0]?.({ sessionFile: file, sessionKey: "agent:main:main", message: { role: "user" } });
  /** @type {import("../../index.d.ts").MemoryHit[]} */
  let found = [];
  for (let waited = 0; waited < 20_000 && found.length === 0; waited += 250) {
    await pause(250);
    found = await manager.search("spare key boiler");
  }
  expect(found[0]).toMatchObject({ path: "sessions/main/s1.jsonl", source: "sessions" });
  stopWatchingTranscripts();
  expect(listeners).toEqual([]);
});

// Hosts ask the plugin's runtime for a manager after a compaction, and name the conversation each in their own words.
test.each([
  ["2026.4.12", { sessionFiles: ["s1.jsonl"] }, {}],
  ["2026.9.6", { sessions: [{ agentId: "main", sessionId: "s1", sessionKey: "agent:main:main" }] }, {}],
  ["2026.4.12, where that is switched off", { sessionFiles: ["s1.jsonl"] }, { sync: { sessions: { postCompactionForce: false } } }],
])("after a compaction the conversation is in the index on %s", async (_, named, settings) => {
  const home = await makeWorkspace();
  const file = await transcript(home);
  await writeFile(file, "");
  // Nothing else may take it up: a watcher that starts late reads every conversation, also what was said after the sync.
  const alone = { sync: { watch: false, onSearch: false } };
  const cfg = { ...home.config({ ...SESSIONS, ...alone }), plugins: { entries: { "memory-core-rs": { config: settings } } } };
  const runtime = {
    version: "2026.4.12",
    config: { loadConfig: () => cfg },
    state: { resolveStateDir: () => home.stateDir },
    agent: { resolveAgentWorkspaceDir: () => home.workspace },
  };
  const host = new Host({ config: cfg, runtime });
  await (await managerOf(host.managerRequest({ cfg, agentId: "main", purpose: "cli" }))).sync();
  // Far less than what starts a sync by itself.
  await appendFile(file, line("user", "The spare key hangs behind the boiler."));
  const { manager } = await createRuntime(host).getMemorySearchManager({ cfg, agentId: "main" });
  await manager?.sync(/** @type {any} */ ({ reason: "post-compaction", ...named }));
  const isTaken = !("sync" in settings);
  expect(manager?.status().sourceCounts?.find(({ source }) => source === "sessions")?.chunks ?? 0).toBe(isTaken ? 1 : 0);
  expect((await manager?.search("spare key boiler"))?.map((hit) => hit.path)).toEqual(isTaken ? ["sessions/main/s1.jsonl"] : []);
});

test("passages of conversations pass only with a requester, or on hosts without rules for them", async () => {
  const hits = /** @type {any[]} */ ([
    { path: "MEMORY.md", source: "memory" },
    { path: "sessions/main/s1.jsonl", source: "sessions" },
  ]);
  const at = (/** @type {string} */ version) => new Host({ runtime: { version }, logger: { warn() {} } });
  const request = { cfg: {}, agentId: "main", requesterSessionKey: "agent:main:main", hits };
  // Hosts before 2026.6 keep only a sandbox out.
  expect(await authorizeHits(at("2026.4.12"), { ...request, sandboxed: false })).toEqual(hits);
  expect(await authorizeHits(at("2026.4.12"), { ...request, sandboxed: true })).toEqual([hits[0]]);
  // Here the rules of a newer host cannot be asked.
  expect(await authorizeHits(at("2026.9.6"), request)).toEqual([hits[0]]);
});
