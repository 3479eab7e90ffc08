// Which turns of a real host active memory serves, and what it leaves as it was: turns that need no model, those that no
// person began, several conversations at once, a model that is down, the part of the prompt that providers keep.

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { A_BLOCK, activeHome, FALCON, KITCHEN, RULES } from "./active-memory-home.mjs";
import { stopHosts } from "./harness.mjs";
import { eventually, ID, MAIN, text } from "./memory-host.mjs";
import { pickOf } from "./slow-model.mjs";

/** A question to memory that shares one word with the note, so that the search alone is not sure. */
const UNSURE = "Do you remember why Falcon moved?";
/** One whose words the note has. */
const SURE = "What did we decide about the storage of Falcon?";
/** How long the breaker stays open here. */
const COOLDOWN_MS = 20_000;

/** @param {string} who */
const words = (who) => `Do you remember why Falcon moved, asks the ${who}?`;

/** Has the conversation's model start another agent. */
const START = "Start a helper, please.";
/** Has it write to the main conversation. */
const TELL = "Tell the other conversation, please.";
/** A message whose answer names what the next one goes on about, in a note that shares no word with either message. */
const NAMED_BY_THE_ANSWER = "Any plan for saturday evening?";
const GOES_ON = "and how much do I owe there?";
const QUILL = { "memory/quill.md": "# Quill's pottery\n\n- Quill gets 45 euros for the last two kiln runs.\n" };
const [FLUSH, ANSWER] = RULES;
const ASKING_OTHERS = [
  FLUSH,
  { match: NAMED_BY_THE_ANSWER, reply: "On Saturday you are at Quill's pottery course." },
  { match: START, tool: "sessions_spawn", toolCall: { name: "sessions_spawn", arguments: { task: words("helper") } } },
  {
    match: TELL,
    tool: "sessions_send",
    toolCall: { name: "sessions_send", arguments: { sessionKey: MAIN, message: words("other agent"), timeoutSeconds: 0 } },
  },
  ANSWER,
];

/** @param {string} version */
export function activeMemoryTurnsSuite(version) {
  describe.sequential(`The turns of active memory on OpenClaw ${version}`, () => {
    /** @typedef {import("./active-memory-home.mjs").ActiveHome} Home */
    /** @type {Home} */
    let active;
    /** @type {Home["host"]} */
    let host;
    /** @type {Home["model"]} */
    let model;

    beforeAll(async () => {
      active = await activeHome(version, {
        files: { ...FALCON, ...KITCHEN, ...QUILL },
        rules: ASKING_OTHERS,
        active: { mode: "escalate", lateMs: 4500, circuitBreakerCooldownMs: COOLDOWN_MS },
        config: (config) => {
          config.agents.defaults.maxConcurrent = 1;
          config.tools = { ...config.tools, sessions: { visibility: "all" } };
        },
      });
      ({ host, model } = active);
      model.answer = (body) => pickOf(body, "PostgreSQL");
    });

    afterAll(async () => {
      active?.close();
      await stopHosts();
    });

    test("a question that the search is not sure about costs one call, one that it is sure about none", async () => {
      const { newest } = await active.say(UNSURE);
      expect(model.asked, host.gatewayOutput.slice(-3000)).toHaveLength(1);
      expect(newest).toMatch(/<active_memory_plugin>[\s\S]*PostgreSQL 17/);
      expect((await active.say(SURE)).newest).toMatch(/<relevant-memories>[\s\S]*PostgreSQL 17/);
      for (const message of ["explain DNS", "thanks!", "Write a short poem about an outage"]) {
        expect((await active.say(message)).newest).not.toMatch(A_BLOCK);
      }
      expect(model.asked).toHaveLength(1);
    });

    // Who asks "and how much do I owe there?" goes on about what the answer named, and the search had only the two questions.
    test("what the answer before named is found for who goes on about it", async () => {
      await active.sayToTheEnd(NAMED_BY_THE_ANSWER);
      model.asked.length = 0;
      model.answer = (body) => pickOf(body, "45 euros");
      try {
        const { newest } = await active.say(GOES_ON);
        expect(model.asked, host.gatewayOutput.slice(-3000)).toHaveLength(1);
        expect(newest).toMatch(/<active_memory_plugin>[\s\S]*45 euros for the last two kiln runs/);
      } finally {
        model.answer = (body) => pickOf(body, "PostgreSQL");
        model.asked.length = 0;
      }
    });

    test("turns that no person began are left alone", async () => {
      model.asked.length = 0;
      const job = {
        name: "falcon",
        enabled: true,
        schedule: { kind: "at", at: new Date(Date.now() + 3_600_000).toISOString() },
        sessionTarget: "isolated",
        wakeMode: "now",
        payload: { kind: "agentTurn", message: words("clock") },
        delivery: { mode: "none" },
      };
      const { id } = await active.home.call("cron.add", job);
      await active.home.call("cron.run", { id, mode: "force" });
      await reached(words("clock"));
      await active.home.call("wake", { mode: "now", text: words("heartbeat") });
      // 2026.6.11 tells its model nothing of what woke it.
      const isTold = host.atLeast("2026.8.1") || !host.atLeast("2026.6.11");
      await reached(isTold ? words("heartbeat") : "[OpenClaw heartbeat poll]");
      expect(model.asked).toHaveLength(0);
    });

    test("agents that an agent starts or writes to are left alone", async () => {
      model.asked.length = 0;
      /** The requests that hold some words, and are not those of the agent that wrote them. */
      const othersWith = (/** @type {string} */ said, /** @type {string} */ order) =>
        model.main.map(({ body }) => body).filter((body) => JSON.stringify(body).includes(said) && !JSON.stringify(body).includes(order));
      for (const [key, order, said] of [
        ["agent:main:direct:starts", START, words("helper")],
        ["agent:main:direct:tells", TELL, words("other agent")],
      ]) {
        await active.say(order, key);
        expect(await eventually(async () => othersWith(said, order).length > 0), host.gatewayOutput.slice(-3000)).toBe(true);
        // What came of it is told to the conversation that gave the order.
        await pause(5000);
        for (const { messages } of othersWith(said, order)) {
          expect(text(messages.findLast((/** @type {any} */ one) => one.role === "user"))).not.toMatch(A_BLOCK);
        }
        expect(model.asked, order).toHaveLength(0);
      }
    });

    afterEach(() => {
      model.manner = "pass";
      model.delayMs = 0;
    });

    test("four conversations at once, with room for one turn, are all answered", async () => {
      model.asked.length = 0;
      const names = ["one", "two", "three", "four"];
      const turns = await Promise.all(
        names.map((name) => active.say(`Do you remember why Falcon moved, ${name}?`, `agent:main:direct:${name}`)),
      );
      for (const { newest } of turns) expect(newest).toMatch(/<active_memory_plugin>[\s\S]*PostgreSQL 17/);
      expect(model.asked).toHaveLength(names.length);
    });

    test("a line under /verbose and one under /trace tell of a turn, and go with the next that is none", async () => {
      const key = "agent:main:direct:shown";
      for (const line of ["/verbose on", "/trace on"]) await active.command(line, key);
      await active.sayToTheEnd("Do you remember why Falcon moved, shown?", key);
      const status = () => active.answerTo("/status", key);
      const begins = host.atLeast("2026.6.11") ? "🧩 Active Memory: status=ok elapsed=" : "🧩 Active Memory: ok ";
      const shown = await status();
      expect(shown).toContain(begins);
      // The oldest host shows those of /trace in no chat of the web.
      if (host.atLeast("2026.6.11")) expect(shown).toMatch(/🔎 Active Memory Debug: .*PostgreSQL 17/);
      await active.command("/active-memory off", key);
      await active.sayToTheEnd("Do you remember why Falcon moved, not shown?", key);
      expect(await status()).not.toContain("Active Memory");
    });

    test("what stands before the newest message is the same in the next request, and without active memory", async () => {
      const [on, off] = ["agent:main:direct:prefix", "agent:main:direct:nothng"];
      const messages = Array.from({ length: 10 }, (_, n) =>
        n % 3 === 2 ? `Explain the number ${n}.` : `Do you remember why Falcon moved, ${n}?`,
      );
      const requests = async (/** @type {string} */ key) => {
        const bodies = [];
        for (const message of messages) bodies.push((await active.sayToTheEnd(message, key)).body);
        return bodies;
      };
      const served = await requests(on);
      expect(JSON.stringify(served.at(-1))).toMatch(A_BLOCK);
      const parts = served.map((body) => split(body));
      for (const [n, { before, newest }] of parts.entries()) {
        const next = parts[n + 1];
        if (!next) break;
        const then = served[n + 1].messages;
        expect(JSON.stringify(then.slice(0, before.length)), `request ${n}`).toBe(JSON.stringify(before));
        // What older hosts put before a message stays there; what newer ones put behind it goes.
        const kept = text(then[before.length]);
        const shown = newest.slice(0, newest.indexOf(messages[n]) + messages[n].length);
        // 2026.6.11 itself names the sender with the newest message only.
        const words = host.atLeast("2026.8.1") ? shown : shown.replace(/Sender \(untrusted metadata\):\n```json\n[\s\S]*?\n```\n\n/, "");
        if (host.atLeast("2026.6.11")) expect(kept.slice(0, words.length)).toBe(words);
        else expect(kept).toBe(newest);
      }
      await active.command("/active-memory off", off);
      const plain = await requests(off);
      expect(JSON.stringify(plain)).not.toMatch(A_BLOCK);
      // Its conversation holds the command that paused it; what is before a conversation is the same.
      const head = (/** @type {any} */ body, /** @type {string} */ key) =>
        JSON.stringify([body.messages.filter((/** @type {any} */ one) => one.role === "system").map(text), body.tools])
          .replaceAll(key, "KEY")
          .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID");
      for (const [n, body] of served.entries()) expect(head(body, on) === head(plain[n], off), `request ${n}`).toBe(true);
    });

    test("three failures close the way to the model, and one call beside a reply opens it again", async () => {
      model.asked.length = 0;
      model.manner = "hang";
      for (const n of [1, 2, 3]) await active.say(`Do you remember why Falcon moved, down ${n}?`, `agent:main:direct:down${n}`);
      expect(model.asked).toHaveLength(3);
      const key = "agent:main:direct:down4";
      await active.command("/verbose on", key);
      const fourth = await active.sayToTheEnd("Do you remember why Falcon moved, down 4?", key);
      expect(fourth.newest).not.toContain("active_memory_plugin");
      expect(model.asked).toHaveLength(3);
      // On the oldest host such a line was not seen in the status of a turn that is over at once.
      if (host.atLeast("2026.6.11")) expect(await active.answerTo("/status", key)).toContain("circuit-breaker");
      await pause(COOLDOWN_MS);
      model.manner = "pass";
      model.delayMs = 2000;
      const probe = await active.say("Do you remember why Falcon moved, down 5?", "agent:main:direct:down5");
      expect(await eventually(async () => model.asked.length === 4)).toBe(true);
      // The reply did not wait for the model.
      expect(probe.at - model.asked[3].at).toBeLessThan(model.delayMs);
      await pause(model.delayMs + 1500);
      model.delayMs = 0;
      expect((await active.say("Do you remember why Falcon moved, up 6?", "agent:main:direct:up6")).newest).toContain(
        "active_memory_plugin",
      );
    });

    test("everywhere it is switched off by an administrator only", async () => {
      const isOn = async () => (await host.config()).plugins.entries[ID].config.activeMemory.enabled;
      const params = { sessionKey: MAIN, message: "/active-memory off --global", idempotencyKey: "nobody" };
      await host.callWith("operator.read,operator.write", "chat.send", params);
      await pause(5000);
      expect(await isOn()).toBe(true);
      await active.command("/active-memory off --global");
      expect(await eventually(async () => (await isOn()) === false)).toBe(true);
      await renewed();
      model.asked.length = 0;
      expect((await active.say("What did we decide about the storage of Falcon, off?")).newest).not.toMatch(A_BLOCK);
      expect(model.asked).toHaveLength(0);
      await active.command("/active-memory on --global");
      expect(await eventually(isOn)).toBe(true);
      await renewed();
      expect((await active.say("What did we decide about the storage of Falcon, on?")).newest).toMatch(A_BLOCK);
    });

    test("a run of the command line is left alone", async () => {
      await host.stopGateway();
      model.asked.length = 0;
      await host.turn(words("command line"), { session: "local" });
      await reached(words("command line"));
      expect(model.asked).toHaveLength(0);
    });

    /** Waits for a turn that holds these words, which must be shown nothing. @param {string} message */
    async function reached(message) {
      // Older hosts keep what stood before earlier messages.
      const of = () =>
        model.main.flatMap(({ body }) => body.messages.filter((/** @type {any} */ one) => text(one).includes(message)).map(text));
      expect(await eventually(async () => of().length > 0), `${message}\n${host.gatewayOutput.slice(-3000)}`).toBe(true);
      expect(of().join("\n")).not.toMatch(A_BLOCK);
    }

    /** Older hosts begin anew for a changed setting of a plugin, at a time of their own. */
    async function renewed() {
      await pause(5000);
      if (host.atLeast("2026.8.1")) return;
      await host.stopGateway();
      await host.startGateway();
    }

    /** A request's messages before the newest one of the user, and that one. @param {any} body */
    function split(body) {
      const at = body.messages.findLastIndex((/** @type {any} */ one) => one.role === "user" && /Falcon|Explain/.test(text(one)));
      return { before: body.messages.slice(0, at), newest: text(body.messages[at]) };
    }
  });
}
