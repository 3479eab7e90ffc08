// One installation that was used with memory-core for weeks, switched by one command: what its user could do before, done after.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { eventually, ID, MAIN, question, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const DAY_MS = 86_400_000;

const TOPICS = ["the boiler", "the allotment", "the choir", "the bicycle", "the tax return", "the ferry", "the roof"];

/** Three weeks of notes, as memory-core's flush writes them. */
const DAYS = Object.fromEntries(
  Array.from({ length: 21 }, (_, at) => {
    const day = new Date(Date.UTC(2026, 9, 20) + at * DAY_MS).toISOString().slice(0, 10);
    const lines = TOPICS.map((topic, n) => `- Entry ${n} of ${day}: what was said about ${topic} that day, number ${at * 7 + n}.`);
    return [`memory/${day}.md`, `# ${day}\n\n${lines.join("\n")}\n`];
  }),
);

const FILES = {
  ...DAYS,
  "MEMORY.md":
    "# Memory\n\n- Invoices go out on the fifth working day <!-- trigger: invoices --> <!-- importance: 8 -->\n" +
    "- The favourite tea is sencha.\n",
  "USER.md": "# User\n\n- Lives in Porto, near the market of Bolhao.\n",
  "memory/2026-10-28.md": "# 2026-10-28\n\n## Project Falcon\n\n- Project Falcon uses PostgreSQL 17 as its database.\n",
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "database does Falcon",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "Falcon database" } },
  },
  { on: "tool", match: ".", reply: "DONE" },
  { match: ".", reply: "HELLO" },
];

/** A conversation that memory-core has forgotten. */
const FORGOTTEN = "5f0d6a52-0000-4000-8000-00000000beef";
/** An intent as memory-core's tool writes it; the tool asks for a sender that no test has. */
const INTENT = { id: "5d2c1a80-0000-4000-8000-000000000001", description: "Ask whether the anchor was mended", keywords: ["anchor"] };

/** @param {TestHost} host */
function armIntent(host) {
  const file = path.join(host.stateDir, "agents", "main", "agent", "openclaw-agent.sqlite");
  const database = new DatabaseSync(file);
  const now = Date.now();
  database
    .prepare(
      "INSERT INTO standing_intents (id, description, trigger_keywords, creator_sender, status, expires_at, max_fires, fire_count, cooldown_seconds, created_at) " +
        "VALUES (?, ?, ?, 'ana', 'armed', ?, 3, 0, 0, ?)",
    )
    .run(INTENT.id, INTENT.description, JSON.stringify(INTENT.keywords), now + 30 * DAY_MS, now);
  database.close();
}

/** The user's files, by name. @param {TestHost} host */
async function workspace(host) {
  const names = (await readdir(host.workspace, { recursive: true })).filter((name) => name.endsWith(".md")).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(path.join(host.workspace, name), "utf8")])));
}

const QUERY = "Project Falcon database";

/** @param {TestHost} host @param {string} query */
const found = async (host, query) => (await host.json("memory", "search", query)).results.map((/** @type {any} */ hit) => hit.path);

/** @param {string} version */
export function switchSuite(version) {
  describe.sequential(`weeks with memory-core, then a switch, on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    /** @type {Record<string, string>} */
    let before;
    /** @type {string[]} */
    let paid;
    const takeTexts = () => {
      const texts = host.provider.records.filter((one) => one.path.endsWith("/embeddings")).flatMap((one) => one.body.input);
      host.provider.records.length = 0;
      return texts;
    };
    /** What reached the model with a message in the chat. @param {string} message */
    const beside = async (message) => {
      host.takeChats();
      await host.chat(MAIN, message);
      const chats = host.takeChats();
      return { user: question(chats, message), tools: toolAnswers(chats).join("\n") };
    };
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: RULES });
      await host.edit((_, config) => {
        config.plugins = {
          entries: {
            "memory-core": { config: { dreaming: { enabled: true }, memoryPolicy: { excludeSessions: { channels: ["slack"] } } } },
            // Who recalls earlier conversations: without it nobody asks for them, and ours does not embed them.
            "active-memory": { enabled: true, config: { enabled: true, agents: ["main"] } },
          },
        };
      });
    });

    test("with memory-core: notes are indexed and found, a conversation is held, another is forgotten, an intent is armed", async () => {
      await host.ok("memory", "index", "--force");
      // What its gateway sends later is not counted: stopped a moment after, it may not have kept that.
      paid = takeTexts();
      expect(await found(host, QUERY)).toContain("memory/2026-10-28.md");
      // Before there is a gateway: one that ends may leave memory-core's lock behind, and then its command gives up.
      expect((await host.json("memory", "forget", "--session", FORGOTTEN)).sessionIds).toEqual([FORGOTTEN]);
      await host.startGateway();
      await host.chat(MAIN, "My parrot is called Quetzal since Monday.");
      await host.stopGateway();
      armIntent(host);
      takeTexts();
      expect(paid.length).toBeGreaterThan(20);
      before = await workspace(host);
    });

    test("one command takes all of it over, and pays for nothing twice", async () => {
      await host.installPlugin(inject("tarball").file);
      const done = await host.json(ID, "setup", "--yes");
      expect(done.missing).toEqual([]);
      const [agent] = done.agents;
      expect(agent.imports[0]).toMatchObject({ accepted: true, known: 0 });
      // Beside the texts of its index memory-core has sent messages, which its active memory searches with.
      expect(agent.imports[0].taken).toBeGreaterThanOrEqual(Object.keys(FILES).length);
      expect(agent.forgotten).toMatchObject({ taken: 1, refused: 0 });
      expect(agent.questions.length).toBeGreaterThan(0);
      const asked = agent.questions.map((/** @type {{question: string}} */ one) => one.question);
      const twice = takeTexts().filter((text) => paid.includes(text) && !asked.includes(text));
      expect(twice).toEqual([]);
      const { plugins, memory } = await host.config();
      expect(plugins.slots.memory).toBe(ID);
      expect(plugins.entries[ID].config.memoryPolicy.excludeSessions).toEqual({ channels: ["slack"] });
      // What decides about conversations is the host's own setting, which stays as it was.
      expect(memory.search.rememberAcrossConversations).toBeUndefined();
      expect(await workspace(host)).toEqual(before);
    });

    test("notes are found by the command line, and by the agent, who cites them", async () => {
      expect(await found(host, QUERY)).toContain("memory/2026-10-28.md");
      expect((await found(host, "where is the market of Bolhao"))[0]).toBe("USER.md");
      await host.startGateway();
      expect((await beside("Which database does Falcon use?")).tools).toContain("PostgreSQL 17");
    });

    test("the intent comes up, the trigger line too, and what was forgotten is listed", async () => {
      const listed = async () => (await host.json("memory", "intents", "list")).intents;
      expect(await eventually(async () => (await listed()).length === 1)).toBe(true);
      expect(await listed()).toMatchObject([{ id: INTENT.id, status: "armed", description: INTENT.description }]);
      const { matches } = await host.json("memory", "intents", "test", "is the anchor at hand");
      expect(matches ?? []).toMatchObject([{ intent: { id: INTENT.id } }]);
      expect((await beside("Is the anchor at hand?")).user).toContain(INTENT.description);
      const triggers = await host.json("memory", "triggers", "test", "when do the invoices go out");
      expect(triggers.matches).toMatchObject([{ strong: true, hit: { path: "MEMORY.md", importance: 8 } }]);
      expect((await host.json("memory", "forget", "--list")).forgotten).toMatchObject([{ id: "memorycore", name: FORGOTTEN }]);
    });

    test("conversations are still a source, for private recall as before and for nobody else", async () => {
      const [{ status }] = await host.json("memory", "status");
      expect(status.sources).toEqual(["memory", "sessions"]);
      expect(JSON.stringify(await host.json("memory", "search", "parrot called Quetzal"))).not.toContain("Quetzal since");
    });

    test("/dreaming answers, consolidation makes a plan, and no line of the user was changed by any of it", async () => {
      await host.chat(MAIN, "/dreaming status");
      const shown = async () => JSON.stringify(await host.callAsOwner("chat.history", { sessionKey: MAIN }));
      expect(await eventually(async () => (await shown()).includes("Consolidation (memory-core-rs)")), await shown()).toBe(true);
      await host.ok("memory", "consolidate", "plan");
      await host.stopGateway();
      expect(await workspace(host)).toMatchObject(before);
    });
  });
}
