// Recall of an earlier private conversation on a real host: its active memory, asking for one private conversation, finds
// what was said in another, and nobody else does.

import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { eventually, text } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "what my parrot is called",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "parrot called" } },
  },
  { on: "tool", match: "Quetzal", reply: "The parrot is called Quetzal." },
  { on: "tool", match: ".", reply: "NONE" },
  { match: ".", reply: "HELLO" },
];

const [ANA, BERG, GROUP] = ["agent:main:direct:ana", "agent:main:direct:berg", "agent:main:telegram:group:7"];

/** Whether a request is one of the host's active memory. @param {any} chat */
const isRecall = (chat) => chat.messages.some((/** @type {any} */ message) => text(message).includes("You are a memory search agent"));

/** What tools answered in some requests. @param {any[]} chats */
const answers = (chats) =>
  chats.flatMap((chat) => chat.messages.filter((/** @type {any} */ message) => message.role === "tool").map(text)).join("\n");

/** @param {string} version */
export function privateRecallSuite(version) {
  describe.sequential(`Private recall on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: { "MEMORY.md": "# Memory\n- The favourite tea is sencha.\n" }, rules: RULES });
      await host.addPlugin(inject("tarball").file);
      await host.edit((entry, config) => {
        // Every message is enough, so that nobody has to wait for fifty.
        entry.config = { ...entry.config, sync: { sessions: { deltaMessages: 0 } } };
        config.plugins.entries["active-memory"] = { enabled: true, config: { enabled: true, agents: ["main"] } };
      });
      await host.startGateway();
      await host.chat(ANA, "My parrot is called Quetzal since Monday.");
      expect(await eventually(async () => host.hasEmbedded("called Quetzal")), host.gatewayOutput.slice(-2000)).toBe(true);
    });

    /** The requests that a question makes. @param {string} sessionKey */
    const ask = async (sessionKey) => {
      host.takeChats();
      await host.chat(sessionKey, "Do you remember what my parrot is called?");
      return host.takeChats();
    };

    test("a conversation is indexed and found by no search of the command line", async () => {
      const [{ status }] = await host.json("memory", "status");
      expect(status.sources).toEqual(["memory", "sessions"]);
      const { results } = await host.json("memory", "search", "parrot called Quetzal");
      expect(JSON.stringify(results)).not.toContain("Quetzal");
    });

    test("the recall for another private conversation finds it, the turn itself does not", async () => {
      const chats = await ask(BERG);
      const asked = chats.map((chat) => `${isRecall(chat) ? "recall" : "turn"}: ${text(chat.messages.at(-1)).slice(0, 300)}`).join("\n");
      expect(answers(chats.filter(isRecall)), `${asked}\n${host.gatewayOutput.slice(-3000)}`).toContain("Quetzal since Monday");
      const turns = chats.filter((chat) => !isRecall(chat));
      expect(turns.length).toBeGreaterThan(0);
      expect(answers(turns)).not.toContain("Quetzal since Monday");
    });

    test("a group finds nothing of it", async () => {
      expect(JSON.stringify(await ask(GROUP))).not.toContain("Quetzal");
    });

    test("and nobody does any more where it is switched off", async () => {
      await host.stopGateway();
      await host.edit((_, config) => {
        config.memory.search.rememberAcrossConversations = false;
      });
      await host.startGateway();
      expect(answers(await ask(BERG))).not.toContain("Quetzal since Monday");
      await host.ok("memory", "index");
      const [{ status }] = await host.json("memory", "status");
      expect(status.sources).toEqual(["memory"]);
    });
  });
}
