// Standing intents on a real host: the model arms one by the tool, a later message brings it up once, and a person sees it.

import { beforeAll, describe, expect, test } from "vitest";
import { eventually, MAIN, memoryHost, question, text } from "./memory-host.mjs";
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

/** Where it was armed and nowhere else. */
const HERE = { ...ARMED, description: "Ask whether the hedge was cut", triggerKeywords: ["hedge"], scope: "conversation" };
const ELSEWHERE = "agent:main:telegram:direct:815";
/** Hosts put a message that nobody answered before the next one: nothing else is said here. */
const UNANSWERED = "agent:main:telegram:direct:4711";

const RULES = [
  { match: "boat sinks", status: 500 },
  { match: "whenever I mention the hedge", tool: "intent", toolCall: { name: "intent", arguments: HERE } },
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
    /** What reached the model with a message. @param {string} message @param {string} [sessionKey] */
    const beside = async (message, sessionKey = MAIN) => {
      host.takeChats();
      await home.say(message, sessionKey);
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
    });

    test("a turn that fails has shown it to nobody", async () => {
      host.takeChats();
      await host.chat(UNANSWERED, "The boat sinks and nobody answers");
      expect(question(host.takeChats(), "The boat sinks")).toContain("Ask whether the anchor was mended");
      expect(await eventually(async () => (await listed())[0].status === "armed")).toBe(true);
      expect((await listed())[0].fireCount).toBe(1);
    });

    test("the last of its times is the last", async () => {
      await beside("Another boat passed by us");
      const [intent] = await listed();
      expect(intent).toMatchObject({ status: "done", fireCount: 2 });
      expect(await beside("The boat came home")).not.toMatch(
        /<standing_intents>[\s\S]*The boat came home|The boat came home[\s\S]*<standing_intents>/,
      );
    });

    test("one that is meant for a conversation comes up in no other", async () => {
      await home.say("Please, whenever I mention the hedge, ask me whether it was cut.");
      expect(await beside("The hedge is high again", ELSEWHERE)).not.toContain("hedge was cut");
      expect(await beside("Look at that hedge over there")).toContain("Ask whether the hedge was cut");
    });

    test("a person tries a message, and sees what happened to one", async () => {
      const [{ id }] = await listed();
      const { matches } = await host.json("memory", "intents", "test", "my boat");
      expect(matches).toMatchObject([{ keyword: "boat", ready: false, intent: { id } }]);
      const { stdout } = await host.ok("memory", "intents", "show", id.slice(0, 8));
      expect(stdout).toContain("came up 2 of 2 times");
      expect(stdout).toMatch(/created[\s\S]*fired[\s\S]*fired/);
      expect(await host.json("memory", "intents", "cancel", id)).toEqual({ cancelled: false, intent: null });
      const { events } = await host.json("memory", "intents", "history");
      expect(events.filter((/** @type {any} */ event) => event.id === id).map((/** @type {any} */ event) => event.what)).toEqual(
        expect.arrayContaining(["created", "fired", "returned"]),
      );
      expect(await host.json("memory", "intents", "export")).toHaveLength(2);
    });
  });
}
