// From the plugins that gave memory-core what we bring along, on a real host: what they recorded and how they were set goes on.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { ID, messagesOf } from "./memory-host.mjs";
import { installPredecessor } from "./predecessor-plugins.mjs";
import { steps } from "./steps.mjs";

const NOTES = {
  "MEMORY.md": "# Memory\n\n## Tea\n\nThe favourite tea is sencha.\n",
  "memory/2026-11-02.md": "# 2026-11-02\n\n## Project Falcon\n\n- Project Falcon uses PostgreSQL 17 as its database.\n",
  "memory/2026-11-03.md": "# Day\n\n- **Landlord**: Mrs Okafor, who lives upstairs.\n",
};

/** @param {TestHost} host */
async function turns(host) {
  const text = await readFile(path.join(host.stateDir, "memory", "short-term.jsonl"), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** @param {any[]} changes */
const byKey = (changes) => Object.fromEntries(changes.map(({ key, after }) => [key, after]));

/** @param {string} version */
export function predecessorsSuite(version) {
  describe.sequential(`from memory-core-plus and short-term-memory on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    /** @type {Record<string, any>} */
    let before;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: NOTES, rules: [{ match: ".", reply: "The boat is called Marlin." }] });
    });

    test("they are used: a turn is recorded in their file", async () => {
      await host.ok("plugins", "list");
      await installPredecessor(host, "memory-core-plus", { autoCapture: false, autoRecallMaxResults: 3 });
      await installPredecessor(host, "short-term-memory", { maxInjectEntries: 7 });
      await host.turn("what is the boat called", { session: "first" });
      expect(await turns(host)).toMatchObject([{ turn: 1, output: "The boat is called Marlin." }]);
      before = await host.config();
    });

    test("setup shows what it takes from which, and writes nothing when asked to", async () => {
      await host.installPlugin(inject("tarball").file);
      const plan = await host.json(ID, "setup", "--dry-run");
      expect(plan.predecessors.map((/** @type {{id: string}} */ { id }) => id)).toEqual(["memory-core-plus", "short-term-memory"]);
      // Hosts of 2026.4 switch off what had the slot.
      expect((await host.config()).plugins.entries["memory-core-plus"].enabled).toBe(!version.startsWith("2026.4."));
      expect(byKey(plan.changes)).toMatchObject({
        [`plugins.entries.${ID}.config.autoRecall`]: true,
        [`plugins.entries.${ID}.config.autoRecallMaxResults`]: 3,
        [`plugins.entries.${ID}.config.shortTerm.enabled`]: true,
        [`plugins.entries.${ID}.config.shortTerm.maxInjectEntries`]: 7,
        "plugins.entries.short-term-memory.enabled": false,
      });
      expect((await host.config()).plugins.entries["short-term-memory"]).toMatchObject({ enabled: true });
    });

    test("setup takes the slot and their settings, and answers three questions", async () => {
      const done = await host.json(ID, "setup", "--yes");
      expect(done.missing).toEqual([]);
      expect(done.agents[0].questions).toHaveLength(3);
      const { plugins } = await host.config();
      expect(plugins.slots.memory).toBe(ID);
      expect(plugins.entries[ID].config).toMatchObject({
        autoRecall: true,
        autoRecallMaxResults: 3,
        shortTerm: { enabled: true, maxInjectEntries: 7 },
      });
      expect(plugins.entries[ID].config.autoCapture ?? false).toBe(false);
      expect(plugins.entries["short-term-memory"]).toMatchObject({ enabled: false, config: { maxInjectEntries: 7 } });
    });

    test("their turns are shown once, memories beside them, and the file goes on", async () => {
      // A process of its own opens the index first, and a busy machine takes longer for it than a turn may wait.
      await host.edit((/** @type {any} */ entry) => {
        entry.config.autoRecallTimeoutMs = 5000;
      });
      host.takeChats();
      // The command line of older hosts stays in the main conversation, whatever session it is told.
      const local = host.atLeast("2026.6.11");
      if (!local) await host.startGateway();
      await host.turn("Which database does Project Falcon use?", { local, session: "second" });
      if (!local) await host.stopGateway();
      const said = messagesOf(host.takeChats(), "user").join("\n");
      expect(said).toContain("PostgreSQL 17");
      expect(said.split("The boat is called Marlin.").length - 1).toBe(1);
      expect(said).not.toContain("## Recent Memory\n-");
      const recorded = await turns(host);
      expect(recorded.map(({ turn }) => turn)).toEqual([1, 2]);
      expect(recorded[1].input).toContain("Which database does Project Falcon use?");
    });

    test("undo gives the slot and the other plugin back as they were", async () => {
      const undone = await host.json(ID, "setup", "--undo");
      expect(undone.changedSince ?? []).toEqual([]);
      const { plugins } = await host.config();
      expect(plugins.entries["short-term-memory"]).toEqual(before.plugins.entries["short-term-memory"]);
      expect(plugins.entries["memory-core-plus"].config).toEqual(before.plugins.entries["memory-core-plus"].config);
      expect(plugins.entries[ID].config?.autoRecall).toBeUndefined();
      await host.turn("and what else", { session: "third" });
      expect((await turns(host)).map(({ turn }) => turn)).toEqual([1, 2, 3]);
    });
  });
}
