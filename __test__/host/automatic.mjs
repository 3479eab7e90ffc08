// Automatic memory on a real host: what is said in one conversation is known in the next, with the requests that the
// model received as evidence.

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFailed, test } from "vitest";
import { TestHost } from "./harness.mjs";

const ID = "memory-core-rs";

const FILES = {
  "MEMORY.md": "# Memory\n",
  "memory/2026-11-02.md": "# 2026-11-02\n\n- Project Falcon uses PostgreSQL 17 as its database.\n",
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  { match: "Bullets, or NONE", reply: "- [decision] The Falcon release is on Tuesdays" },
  { match: ".", reply: "HELLO" },
];

const RESET = JSON.stringify({ key: "agent:main:main", reason: "new" });

/** Patience for work that nobody waits for, in milliseconds. */
const PATIENCE_MS = 60_000;

/** @param {any} message */
const text = (message) => (typeof message.content === "string" ? message.content : JSON.stringify(message.content ?? ""));

/** Every user message with `words` that reached the model, as it did. @param {any[]} chats @param {string} words */
function question(chats, words) {
  const said = chats.flatMap((chat) => chat.messages.filter((/** @type {any} */ message) => message.role === "user").map(text));
  const found = said.filter((message) => message.includes(words));
  expect(found.length, `no request with "${words}" among:\n${said.join("\n---\n")}`).toBeGreaterThan(0);
  return found.join("\n");
}

/** @param {() => Promise<boolean>} condition */
async function eventually(condition) {
  for (let waited = 0; waited < PATIENCE_MS; waited += 500) {
    if (await condition()) return true;
    await pause(500);
  }
  return false;
}

/** @param {string} version */
export function automaticSuite(version) {
  describe.sequential(`Automatic memory on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    let isBroken = false;
    beforeEach(({ skip }) => {
      skip(isBroken, "an earlier step failed");
      onTestFailed(() => {
        isBroken = true;
      });
    });
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: RULES });
      const consent = host.atLeast("2026.8.1") ? ["--accept-capabilities"] : [];
      await host.ok("plugins", "install", inject("tarball").file, ...(host.atLeast("2026.8.1") ? ["--force"] : []), ...consent);
      await host.ok("plugins", "enable", ID, ...consent);
      // The host's own hook would write notes of its own; off, there is only ours to look at.
      await edit((_, config) => {
        config.hooks = { internal: { entries: { "session-memory": { enabled: false } } } };
      });
    });
    afterAll(async () => {
      await host?.stop();
    });

    /**
     * Changes our entry of the configuration file; the command would take seconds for each value.
     * @param {(entry: Record<string, any>, config: Record<string, any>) => void} change
     */
    const edit = async (change) => {
      const config = await host.config();
      change(config.plugins.entries[ID], config);
      await writeFile(path.join(host.stateDir, "openclaw.json"), JSON.stringify(config, null, 2));
    };
    /** @param {Record<string, unknown>} settings */
    const configure = (settings) =>
      edit((entry) => {
        entry.config = { ...entry.config, ...settings };
      });
    const notes = async () => {
      const dir = path.join(host.workspace, "memory");
      const names = (await readdir(dir)).filter((name) => name.endsWith(".md"));
      return (await Promise.all(names.map((name) => readFile(path.join(dir, name), "utf8")))).join("\n");
    };

    test("nothing is added and nothing is kept until it is switched on", async () => {
      await host.ok(ID, "setup", "--yes");
      host.takeChats();
      await host.turn("I prefer green tea. Which database does Falcon use?");
      expect(question(host.takeChats(), "green tea")).not.toMatch(/relevant-memories|Recent Memory/);
      expect(await notes()).not.toContain("green tea");
    });

    test("a permission that is missing is named line by line", async ({ skip }) => {
      skip(!host.atLeast("2026.4.24"), "this host asks for none");
      await configure({ autoRecall: true });
      await edit((entry) => {
        delete entry.hooks;
      });
      const [agent] = await host.json("memory", "status");
      const keys = agent.requirements.map((/** @type {{key: string}} */ need) => need.key);
      expect(keys).toEqual([`plugins.entries.${ID}.hooks.allowConversationAccess`]);
      await edit((entry) => {
        entry.hooks = { allowConversationAccess: true };
      });
    });

    test("recall stands beside the newest message and leaves everything before it as it was", async () => {
      // The first turn of a process opens the engine, which a busy machine does not do within the default 300 ms.
      await configure({ autoRecall: true, autoRecallTimeoutMs: 5000 });
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
      await configure({ autoCapture: true });
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
      await host.ok("gateway", "call", "sessions.reset", "--params", RESET);
      host.takeChats();
      await host.turn("Which market is near my home, Bolhao?", { local: false });
      expect(question(host.takeChats(), "near my home")).toMatch(/<relevant-memories>[\s\S]*I live in Porto/);
      const { captures } = await host.json("memory", "captures");
      const { id } = captures.find((/** @type {any} */ capture) => capture.status === "stored");
      expect(await host.json("memory", "captures", "--undo", id)).toMatchObject({ removed: true });
      expect(await notes()).not.toContain("Bolhao");
      await host.stopGateway();
    });

    test("the last turns are recorded and shown, until that is switched off", async () => {
      await configure({ autoCapture: false, autoRecall: false, shortTerm: { enabled: true } });
      await host.turn("My parrot sings at noon");
      const file = path.join(host.stateDir, "memory", "short-term.jsonl");
      expect(JSON.parse((await readFile(file, "utf8")).trim())).toMatchObject({
        turn: 1,
        input: "My parrot sings at noon",
        output: "HELLO",
      });
      host.takeChats();
      await host.turn("What sings?");
      expect(question(host.takeChats(), "What sings?")).toMatch(/## Recent Memory[\s\S]*My parrot sings at noon/);
      await configure({ shortTerm: { enabled: false } });
      await host.turn("What sings now?");
      expect(question(host.takeChats(), "What sings now?")).not.toContain("Recent Memory");
      expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(2);
    });

    test("a reset writes the note of the conversation", async () => {
      await configure({ sessionNotes: { enabled: true, slug: "model" } });
      await host.startGateway();
      await host.turn("Our lighthouse has three lamps", { local: false });
      await host.ok("gateway", "call", "sessions.reset", "--params", RESET);
      expect(await eventually(async () => /# Session: [\s\S]*user: [^\n]*Our lighthouse has three lamps/.test(await notes()))).toBe(true);
      await host.stopGateway();
    });

    test("a model lists the facts where it is asked to", async () => {
      await configure({ autoCapture: true, autoCaptureMode: "extract", sessionNotes: { enabled: false } });
      await host.startGateway();
      await host.turn("We talked it through and Tuesday is best for the Falcon release", { local: false });
      expect(await eventually(async () => (await notes()).includes("- [decision] The Falcon release is on Tuesdays"))).toBe(true);
      expect((await host.json("memory", "captures")).waiting).toBe(0);
      await host.stopGateway();
    });
  });
}
