// Conversations as a source on a real host: what was said and never written down is found, by the command line and by
// the agent; and a running gateway follows what is said.

import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { eventually, MAIN } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "where does my sister live",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "Lena Porto", corpus: "sessions" } },
  },
  { on: "tool", match: "Porto", reply: "ANSWER: in Porto." },
  { on: "tool", match: ".", reply: "ANSWER: nothing." },
  { match: ".", reply: "HELLO" },
];

/** @param {string} version */
export function transcriptsSuite(version) {
  describe.sequential(`Conversations on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: { "MEMORY.md": "# Memory\n- The favourite tea is sencha.\n" }, rules: RULES });
      await host.addPlugin(inject("tarball").file);
      await host.edit((entry, config) => {
        const search = host.atLeast("2026.8.1") ? config.memory.search : config.agents.defaults.memorySearch;
        Object.assign(search, { sources: ["memory", "sessions"], experimental: { sessionMemory: true } });
        // Every message is enough, so that nobody has to wait for fifty.
        entry.config = { ...entry.config, sync: { sessions: { deltaMessages: 0 } } };
      });
      await host.startGateway();
    });

    test("a fact said only in a conversation is found by openclaw memory search", async () => {
      expect(await host.turn("My sister Lena moved to Porto last week.", { local: false })).toContain("HELLO");
      const [indexed] = await host.json("memory", "index");
      const counts = indexed.status.sourceCounts.map((/** @type {any} */ { source, files }) => [source, files]);
      expect(counts).toEqual([
        ["memory", 1],
        ["sessions", 1],
      ]);
      const { results } = await host.json("memory", "search", "Where did my sister Lena move to?");
      expect(results[0]).toMatchObject({ source: "sessions", path: expect.stringMatching(/^sessions\/main\/[\w-]+\.jsonl$/) });
      expect(results[0].snippet).toContain("User: My sister Lena moved to Porto last week.");
    });

    test("status tells of both sources and of nothing left to do", async () => {
      const [agent] = await host.json("memory", "status");
      expect(agent.status).toMatchObject({ sources: ["memory", "sessions"], files: 2 });
      expect(agent.status.lastSyncError).toBeUndefined();
      expect(agent.scan.pending.changed).toEqual([]);
    });

    test("the agent answers from an earlier conversation", async () => {
      expect(await host.turn("Where does my sister live?", { local: false })).toContain("ANSWER: in Porto.");
    });

    test("a forgotten conversation stays out of a new index until it is taken back", async () => {
      const heard = async () => {
        const { results } = await host.json("memory", "search", "Where did my sister Lena move to?");
        return results.filter((/** @type {any} */ hit) => hit.source === "sessions");
      };
      const [{ path: transcript }] = await heard();
      const session = path.basename(transcript, ".jsonl");
      const dry = await host.json("memory", "forget", "--session", session, "--dry-run");
      expect(dry).toMatchObject({ dryRun: true, files: [transcript] });
      const forgotten = await host.json("memory", "forget", "--session", session, "--yes");
      expect(forgotten).toMatchObject({ dryRun: false, files: [transcript], chunks: dry.chunks });
      expect(await heard()).toEqual([]);
      await host.turn("Lena likes it in Porto.", { local: false });
      const [again] = await host.json("memory", "index", "--force");
      expect(again.status.sourceCounts.map((/** @type {any} */ { source }) => source)).toEqual(["memory"]);
      expect(await heard()).toEqual([]);
      await host.ok("memory", "forget", "--undo", forgotten.undoId);
      expect((await heard())[0]).toMatchObject({ path: transcript });
    });

    /** Whether a search of the command line finds some words in a conversation. @param {string} query @param {string} words */
    const isHeard = async (query, words) => {
      const { results } = await host.json("memory", "search", query);
      return results.some((/** @type {any} */ hit) => hit.source === "sessions" && hit.snippet.includes(words));
    };

    test("a running gateway follows what is said", async () => {
      await host.turn("The spare key hangs behind the boiler.", { local: false });
      expect(await eventually(async () => host.hasEmbedded("behind the boiler")), host.gatewayOutput.slice(-2000)).toBe(true);
      expect(await isHeard("spare key boiler", "behind the boiler")).toBe(true);
    });

    test("after a compaction a conversation is found, however little was said in it", async () => {
      await host.reconfigure((entry, config) => {
        entry.config = { ...entry.config, sync: {} };
        config.agents.defaults.compaction = { mode: "default", keepRecentTokens: 50 };
      });
      await host.turn(`The parcels lie under the blue bench. ${"The weather was nice. ".repeat(60)}Really.`, { local: false });
      await host.turn(`What else did we say? ${"It was sunny all day. ".repeat(60)}Really.`, { local: false });
      expect(await isHeard("parcels blue bench", "under the blue bench")).toBe(false);
      await host.chat(MAIN, "/compact");
      expect(await eventually(async () => host.hasEmbedded("under the blue bench")), host.gatewayOutput.slice(-2000)).toBe(true);
      expect(await isHeard("parcels blue bench", "under the blue bench")).toBe(true);
      expect(await host.stopGateway()).toBeLessThan(30_000);
    });
  });
}
