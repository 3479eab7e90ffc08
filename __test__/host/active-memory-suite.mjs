// Active memory on a real host: what reaches the models, when, and what the conversation is shown. One gateway runs for
// all of it; turns come by `chat.send`, as from the web.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { A_BLOCK, activeHome, FALCON, HOST_MS, KITCHEN, RULES, TIMEOUT_MS } from "./active-memory-home.mjs";
import { eventually, ID, text } from "./memory-host.mjs";
import { isOurs, pickOf } from "./slow-model.mjs";
import { steps } from "./steps.mjs";

/** A question to memory whose words the note holds in part only. */
const ASKED = "What did we decide about the storage of Falcon?";

/** How a block begins, ours or the bundled plugin's. */
const A_BLOCK_OF_ANY = new RegExp(A_BLOCK, "g");

/** @param {string} version */
export function activeMemorySuite(version) {
  describe.sequential(`Active memory on OpenClaw ${version}`, () => {
    /** @typedef {import("./active-memory-home.mjs").ActiveHome} Home */
    /** @type {Home} */
    let active;
    /** @type {Home["host"]} */
    let host;
    /** @type {Home["model"]} */
    let model;
    /** @type {Home["say"]} */
    let say;
    /** @type {Home["command"]} */
    let command;
    steps();

    beforeAll(async () => {
      active = await activeHome(version, {
        files: { ...FALCON, ...KITCHEN },
        rules: RULES,
        config: (config) => {
          config.agents.defaults.verboseDefault = "on";
        },
      });
      ({ host, model, say, command } = active);
      model.answer = (body) => pickOf(body, "PostgreSQL");
    });

    afterAll(() => active?.close());

    test("a question is answered with the passage that a model picked, beside the newest message", async () => {
      const { body, newest } = await say(ASKED);
      expect(model.asked, host.gatewayOutput.slice(-3000)).toHaveLength(1);
      const [{ body: ours }] = model.asked;
      expect(ours.tools ?? []).toHaveLength(0);
      expect(ours.messages.map(text).join("").length).toBeLessThanOrEqual(4800);
      expect(newest).toMatch(/<active_memory_plugin>[\s\S]*PostgreSQL 17[\s\S]*<\/active_memory_plugin>/);
      const system = body.messages.filter((/** @type {any} */ one) => one.role === "system" || one.role === "developer").map(text);
      expect(system.join("\n")).not.toMatch(/<active_memory_plugin>|PostgreSQL/);
    });

    test("what the model took is booked for whoever asks what memory costs", async () => {
      const booked = async () => {
        const { costs } = await host.callAsOwner("memoryCoreRs.page.health", {});
        return costs.months
          .flatMap((/** @type {any} */ month) => month.models)
          .find((/** @type {any} */ one) => one.purpose === "active-memory");
      };
      expect(await eventually(async () => (await booked()) !== undefined)).toBe(true);
      const { requests, input, output, provider, model: name } = await booked();
      expect([requests > 0, input > 0, output > 0, provider !== "", name !== ""]).toEqual(Array(5).fill(true));
    });

    test("small talk costs no call", async () => {
      model.asked.length = 0;
      for (const message of ["thanks!", "good morning"]) expect((await say(message)).newest).not.toContain("active_memory_plugin");
      expect(model.asked).toHaveLength(0);
    });

    test("the same question costs no second call, until the note changes", async () => {
      model.asked.length = 0;
      expect((await say(ASKED)).newest).toContain("PostgreSQL 17");
      expect(model.asked).toHaveLength(0);
      const note = "# Falcon\n\n- We decided that Falcon stores its data in PostgreSQL 18, after the outage in May.\n";
      await writeFile(path.join(host.workspace, "memory/falcon.md"), note);
      const isIndexed = async () =>
        (await host.json("memory", "search", "PostgreSQL 18")).results.some((/** @type {any} */ hit) =>
          hit.snippet.includes("PostgreSQL 18"),
        );
      expect(await eventually(isIndexed)).toBe(true);
      expect((await say(ASKED)).newest).toContain("PostgreSQL 18");
      expect(model.asked).toHaveLength(1);
    });

    test("a group, and a run of the command line, are left alone", async () => {
      model.asked.length = 0;
      const group = await say("What did we decide about the storage of Falcon, group?", "agent:main:telegram:group:77");
      expect(group.newest).not.toContain("active_memory_plugin");
      expect(model.asked).toHaveLength(0);
    });

    test("/active-memory pauses a conversation, and a restart keeps that", async () => {
      model.asked.length = 0;
      await command("/active-memory off");
      expect((await say("What did we decide on the data of Falcon?")).newest).not.toContain("active_memory_plugin");
      await host.stopGateway();
      await host.startGateway();
      expect((await say("What did we decide on Falcon's data?")).newest).not.toContain("active_memory_plugin");
      expect(model.asked).toHaveLength(0);
      await command("/active-memory on");
      // Whether the model was in time, just after a start, is another matter.
      expect((await say("What did we decide on the data for Falcon?")).newest).toMatch(/active_memory_plugin|relevant-memories/);
    });

    test("a late answer serves the next turn about the same", async () => {
      model.asked.length = 0;
      model.delayMs = TIMEOUT_MS + 1500;
      const first = await say("Which storage did we choose for Falcon?");
      expect(first.newest).not.toContain("active_memory_plugin");
      expect(await eventually(async () => model.finished.some(({ finished, ms }) => finished && ms > TIMEOUT_MS))).toBe(true);
      await pause(1000);
      const next = await say("And why did we choose this storage for Falcon?");
      expect(next.newest).toContain("active_memory_plugin");
      expect(model.asked).toHaveLength(1);
      model.delayMs = 0;
    });

    test.each(/** @type {const} */ (["500", "drop"]))(
      "with a model that answers by %s the reply has what the search found",
      async (manner) => {
        model.manner = manner;
        const { newest } = await say(`What did we decide about Falcon and its storage, ${manner}?`);
        expect(newest).not.toContain("active_memory_plugin");
        model.manner = "pass";
        // The host may ask again by itself; one call a conversation is under way at a time.
        await pause(4000);
        // A success closes the breaker again.
        expect((await say(`What did we decide about Falcon after ${manner}?`)).newest).toContain("active_memory_plugin");
      },
    );

    test("a model that hangs or drips costs three replies their limit, and its socket is closed", async () => {
      model.asked.length = 0;
      model.finished.length = 0;
      for (const [n, manner] of /** @type {const} */ (["hang", "drip", "headers"]).entries()) {
        model.manner = manner;
        const take = `What did we decide about the Falcon storage, take ${n}?`;
        const { newest, at: replied } = await say(take, `agent:main:direct:slow${n}`);
        expect(newest).not.toContain("active_memory_plugin");
        const mine = model.asked.filter(({ body }) => body.messages.some((/** @type {any} */ one) => text(one).includes(take)));
        expect(mine).toHaveLength(1);
        const [{ at: asked }] = mine;
        // The clock runs from the hook, the request leaves some time after it.
        expect(replied - asked).toBeLessThanOrEqual(TIMEOUT_MS + HOST_MS);
      }
      expect(model.asked).toHaveLength(3);
      await say("What did we decide about the Falcon storage, at last?", "agent:main:direct:slow9");
      expect(model.asked).toHaveLength(3);
      expect(await eventually(async () => model.finished.length === 3)).toBe(true);
      // Some host code runs before an abort takes effect.
      for (const { ms, finished } of model.finished) expect([finished, ms < TIMEOUT_MS + 3000 + 2500]).toEqual([false, true]);
      model.manner = "pass";
    });

    test("beside the bundled plugin there is no block of ours, and without it there is one again", async () => {
      // Older hosts know no mode, and ask with every message.
      const mode = host.atLeast("2026.8.1") ? { mode: "off" } : {};
      const bundled = (/** @type {boolean} */ enabled) => (/** @type {any} */ _, /** @type {Record<string, any>} */ config) => {
        config.plugins.entries["active-memory"] = { enabled, config: { enabled: true, agents: ["main"], timeoutMs: 1000, ...mode } };
      };
      await host.reconfigure(bundled(true));
      model.asked.length = 0;
      const { newest } = await say("What did we decide, when we talked about Falcon?");
      expect(newest).not.toMatch(/memory\/falcon\.md/);
      expect(newest.match(A_BLOCK_OF_ANY)?.length ?? 0).toBeLessThanOrEqual(1);
      expect(model.asked.filter(({ body }) => isOurs(body))).toHaveLength(0);
      expect(host.gatewayOutput).toContain("active-memory is on too, and serves its agents alone. Run: openclaw memory setup");
      await host.reconfigure(bundled(false));
      expect((await say("What did we decide, when Falcon was talked about?")).newest).toMatch(/memory\/falcon\.md|PostgreSQL/);
      await host.edit(bundled(true));
    });

    test("its settings are taken over as a diff, once", async () => {
      await host.stopGateway();
      const plan = await host.json("memory", "setup", "--import-active-memory", "--dry-run", "--no-index");
      const keys = plan.changes.map((/** @type {any} */ change) => change.key);
      expect(keys).toEqual(
        expect.arrayContaining(["plugins.entries.active-memory.enabled", `plugins.entries.${ID}.config.activeMemory.agents`]),
      );
      expect(keys).not.toContain(`plugins.entries.${ID}.config.activeMemory.timeoutMs`);
      expect((await host.config()).plugins.entries["active-memory"].enabled).toBe(true);
      await host.ok("memory", "setup", "--import-active-memory", "--yes", "--no-index");
      expect((await host.config()).plugins.entries["active-memory"].enabled).toBe(false);
      const again = await host.json("memory", "setup", "--import-active-memory", "--dry-run", "--no-index");
      expect(again.changes).toEqual([]);
    });
  });
}
