// Consolidation as a user types it, on the real addon: evidence by tools and turns, a plan, a run, and back.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { native } from "../../lib/native.js";
import { registerDreamingCommand } from "../../plugin/commands/dreaming.js";
import { nativeAgent } from "../../plugin/consolidation/agent.js";
import { noteSearch, noteTurn } from "../../plugin/consolidation/evidence.js";
import { registerConsolidation } from "../../plugin/consolidation/methods.js";
import { lookWhoIsDue } from "../../plugin/consolidation/nights.js";
import { apply, consolidate, plan } from "../../plugin/consolidation/run.js";
import { automaticAgent } from "../../plugin/hooks/agent.js";
import { Host } from "../../plugin/host.js";
import { commandLine } from "../support/command-line.mjs";
import { makeWorkspace } from "../support/workspace.mjs";

const ID = "memory-core-rs";
const DAY_MS = 86_400_000;
const INVOICES = "Invoices go out on the 5th of the month.";
const MEMORY = "# Mine\r\n\nI like tea.  \n";

/** @param {number} ago */
const day = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

/** Notes of three days that say the same, with junk. */
const files = () => ({
  "MEMORY.md": MEMORY,
  ...Object.fromEntries(
    [1, 2, 3].map((ago) => [
      `memory/${day(ago)}.md`,
      `# Day\n\n- ${INVOICES}\n- npm install everything of the app\n- User: yes do that please now\n`,
    ]),
  ),
});

/** @param {string} mode @param {Record<string, unknown>} [more] */
const plugins = (mode, more = {}) => ({
  slots: { memory: ID },
  entries: { [ID]: { config: { consolidation: { mode, timeZone: "UTC", ...more } } } },
});

/** A host on a throw-away home, as the plugin sees it. @param {any} plugin @param {any} [runtime] */
async function place(plugin, runtime = {}) {
  const { workspace, stateDir, config } = await makeWorkspace(files());
  /** @type {Record<string, any>} */
  const cfg = { ...config(), plugins: plugin };
  /** @type {string[]} */
  const logged = [];
  const log = (/** @type {string} */ line) => logged.push(line);
  const api = {
    logger: { info: log, warn: log, error: log },
    runtime: {
      version: "2026.9.6",
      config: { current: () => cfg },
      state: { resolveStateDir: () => stateDir },
      agent: { resolveAgentWorkspaceDir: () => workspace },
      ...runtime,
    },
  };
  const read = async (/** @type {string} */ name) => await readFile(path.join(workspace, name), "utf8").catch(() => undefined);
  return { api, host: new Host(api), cfg, agentId: "main", workspace, read, logged };
}

test("plan, apply, runs, explain and undo on the command line, and the file is as it was, byte for byte", async () => {
  const { run, workspace } = await commandLine({ provider: "none" }, { plugins: plugins("plan"), files: files() });
  const read = async () => await readFile(path.join(workspace, "MEMORY.md"), "utf8");
  const planned = JSON.parse((await run("consolidate", "plan", "--json")).stdout);
  expect(planned.add.map((/** @type {any} */ entry) => entry.text)).toEqual([INVOICES]);
  expect(planned).toMatchObject({ agentId: "main", path: "MEMORY.md", modelCalls: 0, move: [] });
  expect(await read()).toBe(MEMORY);
  expect((await run("consolidate", "explain", "Invoices")).output).toContain("ok");
  const applied = await run("consolidate", "apply", "--run", planned.runId);
  expect(applied.output).toContain("added 1");
  expect(await read()).toContain(`${MEMORY}\r\n## Learned\r\n<!-- mcrs:learned v1 -->\r\n- ${INVOICES} <!-- mcrs: `);
  const [listed] = JSON.parse((await run("consolidate", "runs", "--json")).stdout);
  expect(listed).toMatchObject({ runId: planned.runId, state: "applied", added: 1, inputTokens: 0, undoable: true });
  expect((await run("consolidate", "undo")).output).toContain(planned.runId);
  expect(await read()).toBe(MEMORY);
  const again = JSON.parse((await run("promote", "--json")).stdout);
  expect(again.candidates).toEqual([]);
  expect(again.audit.refused).toEqual({ withdrawn: 1, ...again.audit.refused });
  expect((await run("promote", "--apply")).output).toContain("Nothing was promoted.");
  expect((await run("consolidate", "undo")).output).toContain("no applied run has changed anything that could be put back");
});

// All three said that all is well, and no night ever came.
test.each([
  [{ schedule: "every night" }, "consolidation.schedule"],
  [{ timeZone: "Mars/Phobos" }, "consolidation.timeZone"],
])("what cannot be read of %o is told by status, doctor and consolidate status, with the remedy", async (wrong, setting) => {
  const home = await commandLine({ provider: "none" }, { plugins: plugins("plan", wrong), files: files() });
  await home.run("index");
  const remedy = expect.stringContaining(`Set ${setting}`);
  const [{ consolidation }] = await home.json("status");
  expect(consolidation.problem).toMatchObject({ code: "MEM_CONFIG", remedy });
  for (const words of [["status"], ["doctor"], ["consolidate", "status"]])
    expect((await home.run(...words)).output, words.join(" ")).toContain(`. Set ${setting}`);
  const [{ ok, checks }] = await home.json("doctor");
  expect(ok).toBe(false);
  expect(checks.find((/** @type {any} */ { name }) => name === "consolidation")).toMatchObject({ ok: false, remedy });
});

test("a failure has a code", async () => {
  const { run } = await commandLine({ provider: "none" }, { plugins: plugins("plan"), files: files() });
  const failed = await run("consolidate", "undo", "nosuchrun", "--json");
  expect(JSON.parse(failed.stdout).error.code).toBe("MEM_NOT_FOUND");
});

test("a model is asked once, and what it makes up is not written", async () => {
  let calls = 0;
  /** @type {any} */
  let asked;
  const llm = {
    complete: async (/** @type {any} */ request) => {
      calls += 1;
      asked = request;
      const [, data] = request.messages[0].content.split("\n\n");
      const [{ id }] = JSON.parse(data).statements;
      return {
        text: JSON.stringify({ entries: [{ ids: [id], text: "Invoices go out on the 7th of the month." }] }),
        provider: "anthropic",
        model: "claude",
        usage: { inputTokens: 300, outputTokens: 40, costUsd: 0.002 },
      };
    },
  };
  const here = await place(plugins("apply", { writer: "abstractive" }), { llm });
  const { added } = await apply(here);
  expect([added, calls]).toEqual([1, 1]);
  expect(asked.purpose).toBe("memory-core-rs.consolidation");
  // Hosts refuse a plugin that names an agent, were it the one that they take without: no model was ever asked.
  expect(asked).not.toHaveProperty("agentId");
  expect(await here.read("MEMORY.md")).toContain(INVOICES);
  const state = await consolidate(here, { op: "status" });
  expect(state.tokens).toMatchObject([{ inputTokens: 300, outputTokens: 40 }]);
  expect(native().settleTurns()).toBe(true);
  const [booked] = await native().listAnswers(automaticAgent(here.host, here.cfg, here.agentId).native);
  const spent = { purpose: "consolidation", provider: "anthropic", model: "claude", requests: 1, inputTokens: 300, outputTokens: 40 };
  expect(booked).toMatchObject({ ...spent, hostCost: 0.002, costed: 1 });
});

test("a model that fails costs no entry", async () => {
  const llm = {
    complete: async () => {
      throw new Error("no quota");
    },
  };
  const here = await place(plugins("apply", { writer: "abstractive" }), { llm });
  expect((await apply(here)).added).toBe(1);
  expect(here.logged.join("\n")).toContain("stand as they were found");
});

test("another agent's model is asked where the operator lets us, and nobody else's instead", async () => {
  /** @type {any[]} */
  const asked = [];
  const llm = {
    complete: async (/** @type {any} */ request) => {
      asked.push(request);
      return { text: "no JSON" };
    },
  };
  const settings = plugins("apply", { writer: "abstractive" });
  const entries = { list: [{ id: "first", default: true }, { id: "main" }] };
  const refused = await place(settings, { llm });
  Object.assign(refused.cfg, { agents: { ...refused.cfg.agents, ...entries } });
  expect((await apply(refused)).added).toBe(1);
  expect(asked).toEqual([]);
  expect(refused.logged.join("\n")).toContain("llm.allowAgentIdOverride: true");
  const granted = await place(
    { ...settings, entries: { [ID]: { ...settings.entries[ID], llm: { allowAgentIdOverride: true } } } },
    { llm },
  );
  Object.assign(granted.cfg, { agents: { ...granted.cfg.agents, ...entries } });
  await apply(granted);
  expect(asked.map((request) => request.agentId)).toEqual(["main"]);
});

// The older way was called with the arguments of an older version of itself.
test("hosts without a completion for plugins are asked by a run of their own", async () => {
  /** @type {any[]} */
  const asked = [];
  const runEmbeddedPiAgent = async (/** @type {any} */ request) => {
    asked.push(request);
    return { payloads: [{ text: "no JSON" }] };
  };
  const here = await place(plugins("apply", { writer: "abstractive" }));
  here.api.runtime = { ...here.api.runtime, agent: { ...here.api.runtime.agent, runEmbeddedPiAgent } };
  expect((await apply(here)).added).toBe(1);
  expect(asked).toHaveLength(1);
  expect(asked[0].prompt).toContain(INVOICES);
  expect(here.logged).toEqual([]);
});

test("a night is due once, whatever the mode, and off does nothing", async () => {
  for (const [mode, changes] of /** @type {const} */ ([
    ["off", false],
    ["plan", false],
    ["apply", true],
  ])) {
    const here = await place(plugins(mode, { schedule: "* * * * *" }));
    await lookWhoIsDue(here.api, here.host);
    const later = { ...nativeAgent(here.host, here.cfg, "main"), nowMs: Date.now() + 120_000 };
    const manager = await MemoryIndexManager.get(here.host.managerRequest({ cfg: here.cfg, agentId: "main", purpose: "cli" }));
    if (mode === "off") {
      expect(await manager?.consolidate(later, { op: "runs" })).toEqual([]);
    } else {
      expect(await manager?.consolidate(later, { op: "due", holder: "test" })).toBe(true);
      expect(await manager?.consolidate(later, { op: "due", holder: "other" })).toBe(false);
      if (changes) await apply(here);
      else await plan(here);
    }
    await manager?.close();
    expect((await here.read("MEMORY.md")) !== MEMORY).toBe(changes);
  }
});

test("agents of one workspace have one run, with the smallest limit of all", async () => {
  const here = await place(plugins("plan"));
  here.cfg.agents.list = [
    { id: "main", default: true },
    { id: "work", bootstrapMaxChars: 4000 },
  ];
  await mkdir(path.join(here.workspace, "memory"), { recursive: true });
  await writeFile(path.join(here.workspace, "USER.md"), "# Me\n");
  expect(nativeAgent(here.host, here.cfg, "main").bootstrapChars).toBe(4000);
  expect((await plan(here)).maxChars).toBe(4000);
});

test("what the owner says alone and what the agent looks up there is evidence; groups, machines and strangers are none", async () => {
  const MAIN = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", trigger: "user" };
  const said = {
    success: true,
    messages: [{ role: "user", content: "Please remember that the gate code changes in January every year." }],
  };
  const claims = async (/** @type {any} */ here) => {
    for (let waited = 0; waited < 40; waited += 1) {
      const found = await consolidate(here, { op: "explain", what: "gate code" });
      if (found.length > 0) return found;
      await pause(50);
    }
    return [];
  };
  const here = await place(plugins("plan"));
  noteTurn(here, said, MAIN);
  expect(await claims(here)).toMatchObject([{ requested: true, origin: "owner", verdict: "ok", path: "" }]);
  const note = `memory/${day(1)}.md`;
  const context = /** @type {any} */ ({ cfg: here.cfg, agentId: "main", sessionKey: MAIN.sessionKey });
  noteSearch(here.host, context, "when do invoices go out", [{ path: note, startLine: 3, endLine: 3 }]);
  await expect.poll(async () => (await consolidate(here, { op: "explain", what: INVOICES }))[0].useCount, { timeout: 5000 }).toBe(4);
  const others = await place(plugins("plan"));
  for (const session of [
    { ...MAIN, sessionKey: "agent:main:slack:channel:c1" },
    { ...MAIN, sessionKey: "agent:main:cron:job:run:1" },
    { ...MAIN, sessionKey: "agent:main:subagent:x" },
    { ...MAIN, sessionKey: "agent:main:telegram:direct:stranger" },
    { ...MAIN, trigger: "heartbeat" },
  ]) {
    noteTurn(others, said, session);
  }
  expect(await claims(others)).toEqual([]);
  const off = await place(plugins("off"));
  noteTurn(off, said, MAIN);
  expect(await claims(off)).toEqual([]);
});

// It was gone from the note of the day, and the next night wrote it into MEMORY.md.
test.each(["with the message before", "alone"])(
  "what the owner takes back with the next message is no evidence: shown %s",
  async (shown) => {
    const MAIN = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", trigger: "user" };
    const messages = [
      { role: "user", content: "Remember that my nephew Hugo has epilepsy.", timestamp: Date.now() },
      { role: "assistant", content: "I will." },
    ];
    const wish = { role: "user", content: "Forget what I just said." };
    const here = await place(plugins("plan"));
    const claims = async () => (await consolidate(here, { op: "status" })).claims;
    noteTurn(here, { success: true, messages }, MAIN);
    await expect.poll(claims, { timeout: 5000 }).toBe(1);
    noteTurn(here, { success: true, messages: shown === "alone" ? [wish] : [...messages, wish] }, MAIN);
    await expect.poll(claims, { timeout: 5000 }).toBe(0);
    expect(JSON.stringify(await plan(here))).not.toContain("Hugo");
  },
);

// It offered "/dreaming undo" with an id of nothing, which then failed.
test("/dreaming apply with nothing to do says so and offers nothing to take back", async () => {
  const here = await place(plugins("plan"));
  /** @type {any} */
  let command;
  const api = { ...here.api, registerCommand: (/** @type {any} */ registered) => (command = registered) };
  registerDreamingCommand(/** @type {any} */ (api), here.host);
  registerConsolidation(/** @type {any} */ (api), here.host);
  const dreaming = async (/** @type {string} */ args) => (await command.handler({ args, gatewayClientScopes: ["operator.admin"] })).text;
  expect(await dreaming("apply")).toMatch(/^MEMORY\.md: added 1, .*\/dreaming undo \S+$/);
  expect(await dreaming("apply")).toBe("Nothing was to be changed.");
});
