// Forgetting on a real host: what somebody said is taken out of everything under the id of a preview, comes back, and goes for
// good; and a conversation that the policy leaves out never comes in.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually, memoryHost } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const [ANA, BEN] = ["agent:main:telegram:direct:4711", "agent:main:telegram:direct:815"];
const FACT = "The anchor of Quokka is rusty";
/** What a program at the door has the model remember. */
const BROUGHT = "The whistle of Quenda is bronze";
const HOOK_TOKEN = "hook-token-of-the-test";

/** @param {string} text */
const storing = (text) => ({ tool: "memory_store", toolCall: { name: "memory_store", arguments: { text, category: "fact" } } });
const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  { match: "remember the anchor", ...storing(FACT) },
  { match: "remember the whistle", ...storing(BROUGHT) },
  { on: "tool", match: ".", reply: "DONE" },
  { match: ".", reply: "HELLO" },
];

/** @param {string} version */
export function forgettingSuite(version) {
  describe.sequential(`Forgetting on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof memoryHost>>} */
    let home;
    /** @type {(typeof home)["host"]} */
    let host;
    steps();
    beforeAll(async () => {
      home = await memoryHost(version, { files: { "MEMORY.md": "# Memory\n- The favourite tea is sencha.\n" }, rules: RULES });
      ({ host } = home);
      await host.edit((entry, config) => {
        const search = host.atLeast("2026.8.1") ? config.memory.search : config.agents.defaults.memorySearch;
        Object.assign(search, { sources: ["memory", "sessions"], experimental: { sessionMemory: true } });
        entry.config = {
          ...entry.config,
          autoCapture: true,
          storedFacts: { enabled: true },
          shortTerm: { enabled: true },
          sync: { sessions: { deltaMessages: 0 } },
        };
      });
      await host.startGateway();
    });

    /** The files below our own folder and the workspace that hold a word. @param {string} word */
    const holding = async (word) => {
      const found = [];
      for (const folder of [host.workspace, path.join(host.stateDir, "memory-core-rs"), path.join(host.stateDir, "memory")]) {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
        for (const entry of entries.filter((one) => one.isFile())) {
          const content = await readFile(path.join(entry.parentPath, entry.name), "latin1").catch(() => "");
          if (content.toLowerCase().includes(word.toLowerCase())) found.push(entry.name);
        }
      }
      return found;
    };
    /** @param {string} word */
    const isNoted = (word) => eventually(async () => (await home.notesWith(word)).length > 0);
    /** @param {string} query @param {string} word */
    const isFound = async (query, word) => {
      const { results } = await host.json("memory", "search", query);
      return results.some((/** @type {any} */ hit) => hit.snippet.includes(word));
    };

    test("what two people say is captured, and a fact stored", async () => {
      await home.say("My boat is called Quokka.", ANA);
      await home.say("Please remember the anchor.", ANA);
      await home.say("My cat is called Walrus.", BEN);
      expect([await isNoted("boat is called Quokka"), await isNoted(FACT), await isNoted("Walrus")]).toEqual([true, true, true]);
      await host.ok("memory", "index");
      expect([await isFound("name of the boat", "Quokka"), await isFound("name of the cat", "Walrus")]).toEqual([true, true]);
    });

    /** @type {any} */
    let plan;
    /** @type {string} */
    let before;

    test("the preview of a person names it all and changes nothing", async () => {
      before = await home.notes();
      plan = await host.json("memory", "forget", "--person", "4711");
      expect(plan).toMatchObject({ dryRun: true, sessionIds: [expect.any(String)], facts: 1, final: false });
      expect(plan.sessionResolutions).toEqual([{ sessionId: plan.sessionIds[0], sessionKey: ANA, source: "live" }]);
      expect(plan.lines.map((/** @type {any} */ line) => line.text).join("\n")).toMatch(/Quokka[\s\S]*Quokka/);
      expect(plan.captures).toBeGreaterThan(0);
      expect(plan.files).toEqual([expect.stringContaining(plan.sessionIds[0])]);
      expect(await home.notes()).toBe(before);
      const audit = await host.json("memory", "audit", "--session", plan.sessionIds[0]);
      expect(audit).toMatchObject({ conversations: [{ sessionKey: ANA }], report: { captures: plan.captures } });
    });

    test("its id takes it out of everything, while the gateway runs, and a new index does not bring it back", async () => {
      const done = await host.json("memory", "forget", "--apply", plan.planId);
      expect(done).toMatchObject({ dryRun: false, undoId: plan.planId });
      expect([...new Set(await holding("Quokka"))]).toEqual([`${plan.planId}.json`]);
      expect(await home.notesWith("Walrus")).toHaveLength(1);
      await host.ok("memory", "index", "--force");
      expect([await isFound("name of the boat", "Quokka"), await isFound("name of the cat", "Walrus")]).toEqual([false, true]);
      await home.say("My boat Quokka needs paint.", ANA);
      await host.ok("memory", "index");
      expect(await isFound("paint for the boat", "Quokka")).toBe(false);
    });

    test("undo puts it back byte for byte", async () => {
      const undone = await host.json("memory", "forget", "--undo", plan.planId);
      expect(undone).toMatchObject({ complete: true, lines: plan.lines.length, kept: [] });
      expect(
        (await home.notes())
          .split("\n")
          .filter((line) => before.includes(line))
          .join("\n"),
      ).toBe(before);
      expect(await isFound("name of the boat", "Quokka")).toBe(true);
    });

    test("a date means the conversations that began then, and final is for good", async () => {
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      const none = await host.run("memory", "forget", "--since", tomorrow);
      expect(none.output).toContain("nothing was found");
      const today = await host.json("memory", "forget", "--since", new Date(Date.now() - 86_400_000).toISOString());
      expect(today.sessionIds.length).toBeGreaterThanOrEqual(2);
      await host.stopGateway();
      const last = await host.json("memory", "forget", "--session", ANA, "--final", "--yes");
      expect(last).toMatchObject({ final: true, undoId: null });
      expect(await holding("Quokka")).toEqual([]);
      expect((await host.run("memory", "forget", "--undo", last.id)).output).toContain("for good");
      expect(await home.notesWith("Walrus")).toHaveLength(1);
    });

    test("nothing is taken from a channel that the policy leaves out", async () => {
      // A name that the vocabulary of the embedded model, which lies beside the index, does not hold.
      await host.edit((entry) => {
        entry.config = { ...entry.config, memoryPolicy: { excludeSessions: { channels: ["telegram"] } } };
      });
      await host.startGateway();
      await home.say("My bike is called Potoroo.", "agent:main:telegram:direct:99");
      await home.say("My dog is called Dingo.");
      expect(await isNoted("Dingo")).toBe(true);
      await host.ok("memory", "index");
      expect(await holding("Potoroo")).toEqual([]);
      expect([await isFound("name of the bike", "Potoroo"), await isFound("name of the dog", "Dingo")]).toEqual([false, true]);
      const audit = await host.json("memory", "audit", "--person", "99");
      expect(audit.conversations).toMatchObject([{ excluded: "channel:telegram" }]);
    });

    test("what a webhook brought is forgotten by its source", async ({ skip }) => {
      skip(!host.atLeast("2026.8.1"), "older hosts do not tell which hook began a conversation");
      await host.stopGateway();
      await host.edit((_, config) => {
        config.hooks = { ...config.hooks, enabled: true, token: HOOK_TOKEN };
      });
      await host.startGateway();
      const sent = await fetch(`http://127.0.0.1:${host.port}/hooks/agent`, {
        method: "POST",
        headers: { authorization: `Bearer ${HOOK_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ message: "Please remember the whistle.", name: "Door", deliver: false, waitForCompletion: true }),
      });
      expect(sent.status, await sent.text()).toBe(200);
      expect(await isNoted("Quenda"), JSON.stringify(host.peekChats()).slice(-3000)).toBe(true);
      const found = await host.json("memory", "forget", "--hook-source", "webhook");
      expect(found).toMatchObject({ dryRun: true, sessionIds: [expect.any(String)], facts: 1 });
      expect((await host.run("memory", "forget", "--hook-source", "gmail")).output).toContain("nothing was found");
      await host.json("memory", "forget", "--apply", found.planId);
      expect([...new Set(await holding("Quenda"))]).toEqual([`${found.planId}.json`]);
      expect([await home.notesWith("Dingo"), await home.notesWith("Walrus")].map((notes) => notes.length)).toEqual([1, 1]);
    });
  });
}
