// Standing intents on a real host: the model arms one by the tool, a later message brings it up once, and a person sees it.

import { beforeAll, describe, expect, test } from "vitest";
import { memoryHost, question, text } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const ARMED = {
  action: "create",
  description: "Ask whether the anchor was mended",
  triggerKeywords: ["boat"],
  scope: "anywhere",
  senderScope: "anyone",
  maxFires: 2,
  cooldownSeconds: 1,
};

const RULES = [
  { match: "whenever I mention", tool: "intent", toolCall: { name: "intent", arguments: ARMED } },
  { on: "tool", match: ".", reply: "DONE" },
  { match: ".", reply: "HELLO" },
];

/** @param {string} version */
export function intentsSuite(version) {
  describe.sequential(`Standing intents on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof memoryHost>>} */
    let home;
    /** @type {(typeof home)["host"]} */
    let host;
    steps();
    beforeAll(async () => {
      home = await memoryHost(version, { files: { "MEMORY.md": "# Memory\n" }, rules: RULES });
      ({ host } = home);
      await host.startGateway();
    });

    const listed = async () => (await host.json("memory", "intents", "list")).intents;
    /** What reached the model with a message. @param {string} message */
    const beside = async (message) => {
      host.takeChats();
      await home.say(message);
      return question(host.takeChats(), message);
    };

    test("the model arms one when it is asked to", async () => {
      host.takeChats();
      await home.say("Please, whenever I mention the boat, ask me whether the anchor was mended.");
      const chats = host.takeChats();
      const answers = chats.flatMap((chat) => chat.messages.filter((/** @type {any} */ one) => one.role === "tool").map(text));
      expect(answers.join("\n")).toContain("Intent is armed everywhere");
      const intents = await listed();
      expect(intents).toHaveLength(1);
      expect(intents[0]).toMatchObject({ status: "armed", scope: "anywhere", description: ARMED.description, triggerEmbedding: null });
    });

    test("a message about something else brings up nothing", async () => {
      expect(await beside("How is the garden doing?")).not.toContain("standing_intents");
      expect((await listed())[0].fireCount).toBe(0);
    });

    test("a message that mentions it brings it up, and the reply counts", async () => {
      const asked = await beside("We sailed the boats around the island");
      expect(asked).toMatch(/<standing_intents>(?:\n|\\n)Standing intent \(created \d{4}-\d\d-\d\d\): Ask whether the anchor was mended/);
      expect((await listed())[0].fireCount).toBe(1);
      await beside("Another boat passed by us");
      const [intent] = await listed();
      expect(intent).toMatchObject({ status: "done", fireCount: 2 });
      expect(await beside("The boat came home")).not.toMatch(
        /<standing_intents>[\s\S]*The boat came home|The boat came home[\s\S]*<standing_intents>/,
      );
    });

    test("a person tries a message, and sees what happened to one", async () => {
      const [{ id }] = await listed();
      const { matches } = await host.json("memory", "intents", "test", "my boat");
      expect(matches).toMatchObject([{ keyword: "boat", ready: false, intent: { id } }]);
      const { stdout } = await host.ok("memory", "intents", "show", id.slice(0, 8));
      expect(stdout).toContain("came up 2 of 2 times");
      expect(stdout).toMatch(/created[\s\S]*fired[\s\S]*fired/);
      expect(await host.json("memory", "intents", "cancel", id)).toEqual({ cancelled: false, intent: null });
    });
  });
}
