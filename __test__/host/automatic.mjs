// Automatic memory on a real host: what is said in one conversation is known in the next, with the requests that the
// model received as evidence.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually, ID, MAIN, memoryHost, question, RESET, text } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n",
  "memory/2026-11-02.md": "# 2026-11-02\n\n- Project Falcon uses PostgreSQL 17 as its database.\n",
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  { match: "Slug:$", reply: "lighthouse-lamps" },
  { match: "Bullets, or NONE", reply: "- [decision] The Falcon release is on Tuesdays" },
  { match: ".", reply: "HELLO" },
];

/** @param {string} version */
export function automaticSuite(version) {
  describe.sequential(`Automatic memory on OpenClaw ${version}`, () => {
    /** @typedef {Awaited<ReturnType<typeof memoryHost>>} Home */
    /** @type {Home} */
    let home;
    /** @type {Home["host"]} */
    let host;
    /** @type {Home["notes"]} */
    let notes;
    /** @type {Home["noteNames"]} */
    let noteNames;
    /** @type {Home["notesWith"]} */
    let notesWith;
    /** @type {Home["call"]} */
    let call;
    steps();
    beforeAll(async () => {
      home = await memoryHost(version, { files: FILES, rules: RULES });
      ({ host, notes, noteNames, notesWith, call } = home);
    });

    test("nothing is added and nothing is kept until it is switched on", async () => {
      await host.ok(ID, "setup", "--yes", "--no-index");
      host.takeChats();
      await host.turn("I prefer green tea. Which database does Falcon use?");
      expect(question(host.takeChats(), "green tea")).not.toMatch(/relevant-memories|Recent Memory/);
      expect(await notes()).not.toContain("green tea");
    });

    test("a permission that is missing is named line by line", async ({ skip }) => {
      skip(!host.atLeast("2026.4.24"), "this host asks for none");
      await host.configure({ autoRecall: true });
      await host.edit((entry) => {
        delete entry.hooks;
      });
      const [agent] = await host.json("memory", "status");
      const keys = agent.requirements.map((/** @type {{key: string}} */ need) => need.key);
      expect(keys).toEqual([`plugins.entries.${ID}.hooks.allowConversationAccess`]);
      await host.edit((entry) => {
        entry.hooks = { allowConversationAccess: true };
      });
    });

    test("recall stands beside the newest message and leaves everything before it as it was", async () => {
      // The first turn of a process opens the engine, which a busy machine does not do within the default 300 ms.
      await host.configure({ autoRecall: true, autoRecallTimeoutMs: 5000 });
      await host.ok("memory", "index");
      host.takeChats();
      await host.turn("Which database does Falcon use?");
      await host.turn("thanks!");
      await host.turn("And which database version does Falcon have?");
      const chats = host.takeChats();
      expect(question(chats, "Which database")).toMatch(/<relevant-memories>[\s\S]*PostgreSQL 17[\s\S]*<\/relevant-memories>/);
      expect(question(chats, "thanks!")).not.toContain("relevant-memories");
      const requests = chats.filter((chat) => chat.messages.some((/** @type {any} */ message) => /Falcon|thanks!/.test(text(message))));
      const systems = requests.map((chat) =>
        chat.messages
          .filter((/** @type {any} */ message) => message.role === "system")
          .map(text)
          .join(),
      );
      expect(new Set(systems).size).toBe(1);
      const [, second, third] = requests.map((chat) => chat.messages.map((/** @type {any} */ message) => JSON.stringify(message)));
      const before = second.findIndex((/** @type {string} */ message) => message.includes("thanks!"));
      expect(before).toBeGreaterThan(1);
      expect(third.slice(0, before)).toEqual(second.slice(0, before));
    });

    test("a fact told in one conversation is recalled in another, once, and can be taken back", async () => {
      await host.configure({ autoCapture: true });
      await host.startGateway();
      await host.turn("I live in Porto near the Bolhao market. What time is it?", { local: false });
      expect(await eventually(async () => (await notes()).includes("- [entity] I live in Porto near the Bolhao market."))).toBe(true);
      await host.turn("I live in Porto, near the Bolhao market", { local: false });
      expect(
        await eventually(async () => {
          const { captures } = await host.json("memory", "captures");
          return captures.some((/** @type {any} */ capture) => capture.reason === "duplicate");
        }),
      ).toBe(true);
      expect((await notes()).match(/Bolhao/g)).toHaveLength(1);
      expect(await eventually(async () => (await host.json("memory", "search", "Bolhao market")).results.length > 0)).toBe(true);
      await call("sessions.reset", RESET);
      host.takeChats();
      await host.turn("Which market is near my home, Bolhao?", { local: false });
      expect(question(host.takeChats(), "near my home")).toMatch(/<relevant-memories>[\s\S]*I live in Porto/);
      const { captures } = await host.json("memory", "captures");
      const { id } = captures.find((/** @type {any} */ capture) => capture.status === "stored");
      expect(await host.json("memory", "captures", "--undo", id)).toMatchObject({ removed: true });
      expect(await notes()).not.toContain("Bolhao");
      await host.stopGateway();
    });

    test("the last turns are recorded and shown, until that is switched off, by themselves", async () => {
      await host.configure({ autoCapture: false, autoRecall: false, shortTerm: { enabled: true } });
      await host.turn("I prefer parrots that sing at noon");
      const file = path.join(host.stateDir, "memory", "short-term.jsonl");
      expect(JSON.parse((await readFile(file, "utf8")).trim())).toMatchObject({
        turn: 1,
        input: "I prefer parrots that sing at noon",
        output: "HELLO",
      });
      host.takeChats();
      await host.turn("What sings, and at which hour?");
      // The conversation itself still holds it.
      expect(question(host.takeChats(), "What sings, and at")).not.toContain("Recent Memory");
      // The command line of older hosts stays in the main conversation, whatever session it is told.
      const isLocal = host.atLeast("2026.6.11");
      if (!isLocal) await host.startGateway();
      await host.turn("What sings, and which database does Falcon use?", { local: isLocal, session: "elsewhere" });
      await host.stopGateway();
      const shown = question(host.takeChats(), "What sings, and which");
      expect(shown).toMatch(/## Recent Memory[\s\S]*I prefer parrots that sing at noon/);
      // Recall and capture are off, and both had something to do.
      expect(shown).not.toContain("relevant-memories");
      expect(await notes()).not.toContain("parrots");
      expect((await host.json("memory", "captures")).waiting).toBe(0);
      await host.configure({ shortTerm: { enabled: false } });
      await host.turn("What sings now?");
      expect(question(host.takeChats(), "What sings now?")).not.toContain("Recent Memory");
      expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(3);
    });

    test("/new in the chat writes the note of the conversation", async () => {
      await host.configure({ sessionNotes: { enabled: true, slug: "model" } });
      await host.startGateway();
      await host.turn("Our lighthouse has three lamps", { local: false });
      await host.chat(MAIN, "/new");
      expect(await eventually(async () => /# Session: [\s\S]*user: [^\n]*Our lighthouse has three lamps/.test(await notes()))).toBe(true);
      // The model names it a little later.
      expect(await eventually(async () => (await noteNames()).some((name) => name.endsWith("-lighthouse-lamps.md")))).toBe(true);
      await host.stopGateway();
    });

    test("/new is heard by a gateway that was told nothing else yet", async () => {
      // Hosts before 2026.4.20 replace the plugins that run when nobody gives them an embedding provider.
      await host.turn("Our windmill has four sails");
      await host.startGateway();
      await host.chat(MAIN, "/new");
      expect(await eventually(async () => /# Session: [\s\S]*user: [^\n]*Our windmill has four sails/.test(await notes()))).toBe(true);
      // A reset keeps the session's id on newer hosts, and what was said before the one before it.
      expect((await notesWith("windmill")).join("\n")).not.toContain("lighthouse");
    });

    test("a conversation is noted once, whoever ends it, and one in which nothing was said is not", async () => {
      const { say } = home;
      await host.chat(MAIN, "/new");
      await say("Our bakery has two ovens");
      await call("sessions.reset", RESET);
      expect(await eventually(async () => (await notesWith("bakery")).length > 0)).toBe(true);
      await host.chat(MAIN, "/reset");
      await host.stopGateway();
      const found = await Promise.all(["lighthouse", "windmill", "bakery"].map(notesWith));
      expect(found.map((files) => files.length)).toEqual([1, 1, 1]);
      expect((await notes()).split("# Session: "), await notes()).toHaveLength(4);
    });

    test("the host's own hook writes the note alone where it is on", async () => {
      const hook = (/** @type {boolean} */ enabled) =>
        host.edit((_, config) => {
          config.hooks = { internal: { entries: { "session-memory": { enabled } } } };
        });
      await hook(true);
      await host.startGateway();
      // Said otherwise, a host of 2026.6 refuses to end the conversation for good.
      await host.turn("Our watermill has nine wheels", { local: false });
      await host.chat(MAIN, "/new");
      expect(
        await eventually(async () => (await notesWith("watermill")).length > 0),
        `${await notes()}\n${host.gatewayOutput.slice(-3000)}`,
      ).toBe(true);
      await host.stopGateway();
      expect(await notesWith("watermill")).toHaveLength(1);
      await hook(false);
    });

    test("a model lists the facts where it is asked to", async () => {
      await host.configure({ autoCapture: true, autoCaptureMode: "extract", sessionNotes: { enabled: false } });
      await host.startGateway();
      await host.turn("We talked it through and Tuesday is best for the Falcon release", { local: false });
      expect(await eventually(async () => (await notes()).includes("- [decision] The Falcon release is on Tuesdays"))).toBe(true);
      expect((await host.json("memory", "captures")).waiting).toBe(0);
      await host.stopGateway();
    });

    test("each part stops when it is switched off", async () => {
      await host.configure({ autoCapture: false, sessionNotes: { enabled: false } });
      const [before, names] = [await notes(), await noteNames()];
      await host.startGateway();
      host.takeChats();
      await host.turn("I prefer ferries to bridges. Which database does Falcon use?", { local: false });
      expect(question(host.takeChats(), "ferries to bridges")).not.toMatch(/relevant-memories|Recent Memory/);
      await host.chat(MAIN, "/new");
      // A part that is on has done its work when the gateway has stopped.
      await host.stopGateway();
      expect(await notes()).toBe(before);
      expect(await noteNames()).toEqual(names);
      expect((await host.json("memory", "captures")).waiting).toBe(0);
    });
  });
}
