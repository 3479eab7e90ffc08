// Days before consolidation was on, told to it by the commands and methods that memory-core has for it, on the real addon.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { registerConsolidation } from "../../plugin/consolidation/methods.js";
import { Host } from "../../plugin/host.js";
import { commandLine } from "../support/command-line.mjs";

const DAY_MS = 86_400_000;
const INVOICES = "Invoices go out on the 5th of the month.";
const ROOF = "Mara owns the roof repair of the house.";
/** The last one that keeps conversations in files. */
const VERSION = "2026.6.11";
const PLUGINS = { slots: { memory: "memory-core-rs" }, entries: { "memory-core-rs": { config: { consolidation: { timeZone: "UTC" } } } } };

/** @param {number} ago */
const at = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString();
/** @param {number} ago */
const day = (ago) => at(ago).slice(0, 10);

/** A line of a transcript. @param {number} ago @param {string} text @param {Record<string, unknown>} [more] */
const line = (ago, text, more = {}) =>
  JSON.stringify({ type: "message", timestamp: at(ago), message: { role: "user", content: [{ type: "text", text }], ...more } });

/** Conversations of 120 days with the owner, and what must not count. */
async function withConversations() {
  const home = await commandLine({ provider: "none" }, { plugins: PLUGINS, version: VERSION, files: { "MEMORY.md": "# Memory\n" } });
  const folder = path.join(home.stateDir, "agents", "main", "sessions");
  await mkdir(folder, { recursive: true });
  const days = Array.from({ length: 120 }, (_, n) => 120 - n);
  /** @type {Record<string, {key?: string, lines: string[]}>} */
  const sessions = {
    "s-own": { key: "agent:main:main", lines: days.map((ago) => line(ago, INVOICES)) },
    "s-person": { key: "agent:main:telegram:direct:4711", lines: [line(50, ROOF)] },
    "s-group": { key: "agent:main:telegram:group:7", lines: [line(50, ROOF)] },
    "s-cron": { key: "agent:main:cron:nightly:run:1", lines: [line(50, ROOF)] },
    "s-lost": { lines: [line(50, ROOF)] },
  };
  sessions["s-own"]?.lines.push(
    line(50, ROOF, { role: "assistant" }),
    line(50, ROOF, { provenance: { kind: "inter_session" } }),
    '{"type":"message","role":"user',
  );
  const entries = Object.entries(sessions).filter(([, { key }]) => key);
  const list = Object.fromEntries(entries.map(([sessionId, { key }]) => [key, { sessionId, channel: "webchat", updatedAt: Date.now() }]));
  await writeFile(path.join(folder, "sessions.json"), JSON.stringify(list));
  for (const [id, { lines }] of Object.entries(sessions)) await writeFile(path.join(folder, `${id}.jsonl`), `${lines.join("\n")}\n`);
  await writeFile(path.join(folder, "s-own.jsonl.deleted.2026-11-01T00-00-00.000Z"), `${line(50, ROOF)}\n`);
  return home;
}

/** Every file below a folder with its content. @param {string} folder */
async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, "utf8")])));
}

test("conversations of 120 days are told in batches, once, and a plan makes an entry of them", async () => {
  const { run, json, workspace } = await withConversations();
  const before = await filesOf(workspace);
  const preview = await json("session-backfill");
  expect(preview).toMatchObject({
    agentId: "main",
    workspaceDir: workspace,
    applied: false,
    rem: false,
    candidateCount: 92,
    stagedEntries: 0,
  });
  expect(preview.days).toHaveLength(92);
  expect(preview.days[0]).toEqual({ day: day(120), candidateCount: 1, topCandidates: [INVOICES] });
  expect((await json("consolidate", "plan")).add).toEqual([]);

  const applied = await json("session-backfill", "--apply");
  expect(applied).toMatchObject({ applied: true, candidateCount: 120, stagedEntries: 120, writtenDiaryEntries: 0, batchCount: 2 });
  expect(applied.batches.map((/** @type {any} */ { days, stagedEntries }) => [days, stagedEntries])).toEqual([
    [92, 92],
    [28, 28],
  ]);
  expect(await filesOf(workspace)).toEqual(before);
  expect(await json("session-backfill", "--apply")).toMatchObject({ candidateCount: 0, stagedEntries: 0, days: [] });
  const { add } = await json("consolidate", "plan");
  expect(add.map((/** @type {any} */ entry) => entry.text)).toEqual([INVOICES]);

  // The last batch alone goes.
  expect(await json("session-backfill", "--rollback")).toMatchObject({ rollback: { removedDiaryEntries: 0, removedStagedEntries: 28 } });
  const again = await json("consolidate", "replay", "--source", "sessions");
  expect([again.days.length, again.days[0].day, again.batch]).toEqual([28, day(28), null]);
  expect((await json("consolidate", "replay", "--from", day(20), "--to", day(11))).days).toHaveLength(10);
  expect((await run("consolidate", "replay", "--source", "sessions")).output).toContain("28 sentences of 28 days would be evidence");
  expect((await run("session-backfill", "--rem", "--apply")).output).toContain("--rem cannot be combined with --apply");
});

test("what is left out by the policy or forgotten is told to nobody, and whom the operator has linked is one of his own", async () => {
  const { json, write, written } = await withConversations();
  const count = async () => (await json("session-backfill", "--from", day(60), "--to", day(40))).candidateCount;
  /** @param {Record<string, unknown>} more @param {Record<string, unknown>} [session] */
  const configure = (more, session = {}) => {
    const cfg = /** @type {any} */ ({ ...structuredClone(written()), session });
    cfg.plugins.entries["memory-core-rs"].config.memoryPolicy = more;
    write(cfg);
  };
  expect(await count()).toBe(21);
  configure({ excludeSessions: { channels: ["webchat"] } });
  expect(await count()).toBe(0);
  configure({}, { identityLinks: { 4711: ["telegram:4711"] } });
  expect(await count()).toBe(22);
  await json("forget", "--session", "agent:main:main", "--yes");
  expect(await count()).toBe(1);
});

test("old notes are told by rem-backfill, and taken back", async () => {
  const notes = Object.fromEntries([90, 80, 70].map((ago) => [`memory/${day(ago)}.md`, `# Day\n\n- ${ROOF}\n- npm install everything\n`]));
  const { run, json, workspace } = await commandLine({ provider: "none" }, { plugins: PLUGINS, files: { "MEMORY.md": "# M\n", ...notes } });
  const folder = path.join(workspace, "memory");
  const before = await filesOf(workspace);
  const preview = await json("rem-backfill", "--path", folder);
  expect(preview).toMatchObject({ workspaceDir: workspace, sourcePath: folder, groundedFiles: 3, writtenEntries: 0, candidateCount: 3 });
  expect(preview).not.toHaveProperty("stagedShortTermEntries");
  const staged = await json("rem-backfill", "--path", folder, "--stage-short-term");
  expect(staged).toMatchObject({ stagedShortTermEntries: 3, replacedShortTermEntries: 0, dreamsPath: path.join(workspace, "DREAMS.md") });
  expect((await json("consolidate", "plan")).add.map((/** @type {any} */ entry) => entry.text)).toEqual([ROOF]);
  expect(await json("rem-backfill", "--rollback-short-term")).toMatchObject({ rollbackShortTerm: true, removedShortTermEntries: 3 });
  expect((await json("consolidate", "plan")).add).toEqual([]);
  expect(await filesOf(workspace)).toEqual(before);
  const outside = await run("rem-backfill", "--path", path.dirname(workspace));
  expect([outside.code, outside.output]).toEqual([1, expect.stringContaining("is not in the workspace")]);
  expect((await run("rem-backfill", "--path", path.join(workspace, "MEMORY.md"))).output).toContain("no note of a day");
  // A name from a Mac, whose letters are decomposed.
  await mkdir(path.join(folder, "Cafe\u0301"));
  await writeFile(path.join(folder, `Cafe\u0301/${day(60)}.md`), `# Day\n\n- ${ROOF}\n`);
  expect(await json("rem-backfill", "--path", "memory/Caf\u00e9")).toMatchObject({ groundedFiles: 1, candidateCount: 1 });
});

test("the page of the control interface applies until nothing is left, and asks for what it may", async () => {
  const { stateDir, workspace, written } = await withConversations();
  /** @type {Record<string, {handler: (call: any) => Promise<void>, scope: string}>} */
  const methods = {};
  const api = {
    config: written(),
    logger: console,
    runtime: {
      version: VERSION,
      config: { current: written },
      state: { resolveStateDir: () => stateDir },
      agent: { resolveAgentWorkspaceDir: () => workspace },
    },
    registerGatewayMethod: (/** @type {string} */ name, /** @type {any} */ handler, /** @type {{scope: string}} */ { scope }) => {
      methods[name] = { handler, scope };
    },
  };
  registerConsolidation(/** @type {any} */ (api), new Host(/** @type {any} */ (api)));
  /** @param {string} name @param {Record<string, unknown>} params @returns {Promise<any>} */
  const call = (name, params) =>
    new Promise((resolve, reject) => {
      const respond = (/** @type {boolean} */ ok, /** @type {any} */ payload, /** @type {any} */ error) =>
        ok ? resolve(payload) : reject(error);
      methods[`memory.sessionBackfill.${name}`]?.handler({ params, respond }).catch(reject);
    });
  expect(Object.entries(methods).flatMap(([name, { scope }]) => (name.startsWith("memory.") ? [[name, scope]] : []))).toEqual([
    ["memory.sessionBackfill.preview", "operator.read"],
    ["memory.sessionBackfill.apply", "operator.admin"],
    ["memory.sessionBackfill.rollback", "operator.admin"],
  ]);
  const preview = await call("preview", { agentId: "main", limitDays: 50 });
  expect(preview).toMatchObject({ days: 50, candidates: 50, staged: 0, truncated: true });
  expect(preview.perDay[0]).toEqual({ day: day(120), candidateCount: 1, sample: [INVOICES] });
  const staged = [];
  for (let answer; !answer?.cursor.exhausted; ) {
    answer = await call("apply", { agentId: "main", limitDays: 50 });
    staged.push(answer.staged);
  }
  expect(staged).toEqual([50, 50, 20, 0]);
  expect(await call("rollback", { agentId: "main" })).toEqual({ removedDiaryEntries: 0, removedStagedEntries: 20 });
  const wrong = [{}, { agentId: "main", limitDays: 0 }, { agentId: "main", from: "soon" }, { agentId: "main", path: "/" }];
  for (const params of wrong) await expect(call("apply", params)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(call("apply", { agentId: "nobody" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
