// Active memory as an agent that searches by itself, on a real host: what it may use, what it leaves behind, and that its
// deadline holds. Hosts before 2026.6 would give it every tool, and ask a model once instead.

import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeHome, FALCON, HOST_MS, RULES, TIMEOUT_MS } from "./active-memory-home.mjs";
import { stopHosts } from "./harness.mjs";
import { eventually } from "./memory-host.mjs";
import { pickOf } from "./slow-model.mjs";

const SAID = "Falcon stores its data in PostgreSQL 17, after the outage in May.";

const [FLUSH, ANSWER] = RULES;
const SEARCHING = [
  FLUSH,
  { on: "tool", match: "PostgreSQL", reply: SAID },
  {
    match: "You search the user's memory",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "what was decided about Falcon" } },
  },
  ANSWER,
];

/** @param {string} version */
export function activeMemoryAgentSuite(version) {
  describe.sequential(`Active memory as an agent on OpenClaw ${version}`, () => {
    /** @typedef {import("./active-memory-home.mjs").ActiveHome} Home */
    /** @type {Home} */
    let active;
    /** @type {Home["host"]} */
    let host;
    /** @type {Home["model"]} */
    let model;

    beforeAll(async () => {
      active = await activeHome(version, {
        files: FALCON,
        rules: SEARCHING,
        active: { engine: "agent", timeoutMs: 30_000, setupGraceTimeoutMs: 5000, toolsAllow: ["*", "exec", "memory_search", "memory_get"] },
        config: (config) => {
          config.agents.defaults.maxConcurrent = 1;
        },
      });
      ({ host, model } = active);
      model.answer = (body) => pickOf(body, "PostgreSQL");
    });

    afterAll(async () => {
      active?.close();
      await stopHosts();
    });

    test("an older host asks a model once instead, and says so once", async ({ skip }) => {
      if (host.atLeast("2026.6.11")) skip();
      for (const n of [1, 2]) {
        const { newest } = await active.say(`What did we decide about the storage of Falcon, ${n}?`);
        expect(newest).toMatch(/<active_memory_plugin>[\s\S]*PostgreSQL 17/);
      }
      expect([model.asked.length, model.runs.length]).toEqual([2, 0]);
      expect(host.gatewayOutput.match(/engine "agent" needs a host from 2026\.6/g)).toHaveLength(1);
    });

    test("it searches with the tools that it may use and no other, and what it found is shown", async ({ skip }) => {
      if (!host.atLeast("2026.6.11")) skip();
      const { newest, body } = await active.say("What did we decide about the storage of Falcon?");
      expect(newest, host.gatewayOutput.slice(-4000)).toMatch(/<active_memory_plugin>[\s\S]*Falcon stores its data in PostgreSQL 17/);
      expect(model.asked).toHaveLength(0);
      expect(model.runs.length).toBeGreaterThanOrEqual(2);
      for (const { body: run } of model.runs) {
        const offered = run.tools.map((/** @type {any} */ tool) => tool.function.name).sort();
        expect(offered).toEqual(["memory_get", "memory_search"]);
      }
      // The conversation itself has all of its tools.
      expect(body.tools.length).toBeGreaterThan(2);
    });

    test("nothing of it is left", async ({ skip }) => {
      if (!host.atLeast("2026.6.11")) skip();
      const left = async () => {
        const { sessions } = await active.home.call("sessions.list", {});
        const rows = sessions.map((/** @type {any} */ one) => one.key).filter((/** @type {string} */ key) => key.includes("active-memory"));
        const folders = [os.tmpdir(), path.join(host.dir, "tmp")];
        const files = (await Promise.all(folders.map((folder) => readdir(folder)))).flat();
        const store = path.join(host.stateDir, "agents", "main", "sessions", "sessions.json");
        const stored = await readFile(store, "utf8").catch(() => "");
        return [
          ...rows,
          ...files.filter((name) => name.startsWith("memory-core-rs-run-")),
          ...(stored.match(/active-memory:[0-9a-f]{12}/g) ?? []),
        ];
      };
      expect(await eventually(async () => (await left()).length === 0), JSON.stringify(await left())).toBe(true);
      expect(host.gatewayOutput).not.toContain("session of a run was not removed");
    });

    test("four conversations at once, with room for one turn, are all answered", async () => {
      const names = ["one", "two", "three", "four"];
      const turns = await Promise.all(
        names.map((name) => active.say(`What did we decide about Falcon, ${name}?`, `agent:main:direct:${name}`)),
      );
      for (const { newest } of turns) expect(newest).toMatch(/(?:active_memory_plugin|relevant-memories)>[\s\S]*PostgreSQL 17/);
    });

    test("a run that hangs holds the reply no longer than its limit", async () => {
      await host.configure({
        activeMemory: { enabled: true, mode: "always", queryMode: "message", engine: "agent", timeoutMs: TIMEOUT_MS, lateMs: 2000 },
      });
      // The first turn of a host that began anew opens the index.
      await active.say("What did we decide about Falcon, again?", "agent:main:direct:warm");
      model.manner = "hang";
      for (const list of [model.runs, model.asked]) list.length = 0;
      const { newest, at } = await active.say("What did we decide about Falcon, hanging?", "agent:main:direct:hang");
      const [asked] = [...model.runs, ...model.asked];
      expect(asked).toBeDefined();
      expect(newest).not.toContain("active_memory_plugin");
      // The clock runs from the hook, the request leaves some time after it.
      expect(at - asked.at).toBeLessThanOrEqual(TIMEOUT_MS + HOST_MS);
      model.manner = "pass";
      expect(await eventually(async () => model.finished.some(({ finished }) => !finished))).toBe(true);
      const next = await active.say("And what did we decide about Falcon then?", "agent:main:direct:after");
      expect(next.newest).toContain("PostgreSQL 17");
    });

    // The host began such a run again, with every tool, and its session stayed for ever.
    test("what a killed gateway left of a run is removed by the next", async ({ skip }) => {
      if (!host.atLeast("2026.8.1")) skip();
      const runs = async () => {
        const { sessions } = await active.home.call("sessions.list", {});
        return sessions.map((/** @type {any} */ one) => one.key).filter((/** @type {string} */ key) => key.includes(":active-memory:"));
      };
      model.manner = "hang";
      model.runs.length = 0;
      await active.home.call("chat.send", {
        sessionKey: "agent:main:direct:killed",
        message: "What did we decide about Falcon, killed?",
        idempotencyKey: randomUUID(),
      });
      expect(await eventually(async () => model.runs.length > 0)).toBe(true);
      host.kill();
      await host.startGateway();
      model.manner = "pass";
      expect(await runs()).toHaveLength(1);
      expect(host.gatewayOutput).not.toMatch(/recovery.*:active-memory:/);
      await active.say("What did we decide about Falcon, once more?", "agent:main:direct:next");
      expect(await eventually(async () => (await runs()).length === 0), host.gatewayOutput.slice(-2000)).toBe(true);
    });
  });
}
