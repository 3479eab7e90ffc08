// What a user does with the plugin on a real host, from installation to removal. One host per file, one step after the other.

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { ID, MAIN, messagesOf, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const NOTE = "memory/2026-11-02.md";

const FILES = {
  "MEMORY.md": "# Memory\n- The user's favourite tea is sencha.\n",
  "USER.md": "# User\n- The user lives in Lisbon.\n",
  [NOTE]: "# 2026-11-02\n\n- Project Falcon uses PostgreSQL 17 as its database.\n- Deployments happen on Fridays.\n",
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "which database does falcon",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "falcon database" } },
  },
  { match: "read the falcon note", tool: "memory_get", toolCall: { name: "memory_get", arguments: { path: NOTE, from: 3, lines: 1 } } },
  { match: "read the passwords", tool: "memory_get", toolCall: { name: "memory_get", arguments: { path: "../../etc/passwd.md" } } },
  { on: "tool", match: "PostgreSQL (\\d+)", reply: "ANSWER: PostgreSQL {{1}}." },
  { on: "tool", match: "MEM_PATH", reply: "ANSWER: refused." },
  { on: "tool", match: ".", reply: "ANSWER: nothing." },
  { match: ".", reply: "HELLO" },
];

/** @param {string} version */
export function hostSuite(version) {
  describe.sequential(`OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: RULES });
    });

    test("the tarball installs and takes the memory slot", async () => {
      await host.installPlugin(inject("tarball").file);
      const { plugins } = await host.config();
      expect(plugins.slots.memory).toBe(ID);
    });

    test("it loads without diagnostics and offers tools and commands", async () => {
      // Older hosts load plugins for every inspection and do not know the flag.
      const inspected = await host.json("plugins", "inspect", ID, ...(host.atLeast("2026.6.1") ? ["--runtime"] : []));
      expect(inspected.plugin.status).toBe("loaded");
      // The last three are offered to an agent only where stored facts are switched on.
      expect(inspected.plugin.toolNames).toEqual([
        "memory_search",
        "memory_get",
        "memory_recall",
        "memory_store",
        "memory_forget",
        "intent",
      ]);
      expect(inspected.plugin.cliCommands).toEqual(["memory", ID, "ltm"]);
      expect(inspected.diagnostics).toEqual([]);
    });

    test("status names what the host still needs, setup writes it", async () => {
      const [before] = await host.json(ID, "status");
      const { plugins } = await host.config();
      if (!host.atLeast("2026.4.24")) {
        expect(before.requirements).toBeUndefined();
        expect(plugins.entries["memory-core"].enabled).toBe(false);
        return;
      }
      const missing = before.requirements.map((/** @type {{key: string}} */ need) => need.key);
      expect(missing).toContain(`plugins.entries.${ID}.hooks.allowConversationAccess`);
      const plan = await host.json(ID, "setup", "--dry-run");
      expect(plan.changes.map((/** @type {{key: string}} */ change) => change.key)).toEqual(missing);
      expect((await host.config()).plugins).toEqual(plugins);
      await host.ok(ID, "setup", "--yes", "--no-index");
      const { entries } = (await host.config()).plugins;
      expect(entries[ID].hooks.allowConversationAccess).toBe(true);
      if (host.atLeast("2026.8.1")) expect(entries[ID].config.dreaming.enabled).toBe(false);
    });

    test("openclaw memory is ours and complete", async () => {
      const [agent] = await host.json("memory", "status", "--deep");
      expect(agent.requirements).toBeUndefined();
      expect(agent.status.dbPath).toBe(path.join(host.stateDir, ID, "main", "index.sqlite"));
      expect(agent.status.workspaceDir).toBe(host.workspace);
      expect(agent.embeddingProbe).toMatchObject({ ok: true });
    });

    test("index and search find the right lines", async () => {
      const [indexed] = await host.json("memory", "index");
      expect(indexed.status.files).toBe(Object.keys(FILES).length);
      const { results, mode } = await host.json("memory", "search", "falcon database");
      expect(mode).toBe("hybrid");
      expect(results[0]).toMatchObject({ path: NOTE, source: "memory" });
      expect(results[0].startLine).toBeLessThanOrEqual(3);
      expect(results[0].endLine).toBeGreaterThanOrEqual(3);
      expect(results[0].snippet).toContain("PostgreSQL 17");
      const { stdout } = await host.ok("memory", "search", "falcon database", "--explain");
      expect(stdout).toContain(`${NOTE}:`);
      expect(stdout).toContain("PostgreSQL 17 as its database");
      // Hosts copy into their log what a plugin says by the global console: what was found stood there in full.
      expect(await host.log()).not.toContain("as its database");
      expect(stdout).toMatch(/^ {2}Matched: falcon, database$/m);
      expect(stdout).toMatch(/^ {2}Words: rank 1, \d+ % of the query; line \+0\.\d\d/m);
      expect(stdout).toMatch(/^ {2}Meaning: rank \d+, cosine -?\d\.\d\d/m);
      const [agent] = await host.json("memory", "status", "--verbose");
      expect(agent.status).toMatchObject({ files: indexed.status.files, dirty: false });
      expect(Object.values(agent.settings.origins).join("\n")).toContain(host.searchKey);
    });

    test("a passage is forgotten and taken back, the doctor finds nothing, a copy is written", async () => {
      const forgotten = await host.json("memory", "forget", "--path", NOTE, "--lines", "4", "--yes");
      expect(forgotten).toMatchObject({ passages: [{ path: NOTE, startLine: 4, endLine: 4 }] });
      const { results } = await host.json("memory", "search", "deployments fridays");
      expect(JSON.stringify(results)).not.toContain("Fridays");
      const [checked] = await host.json("memory", "doctor", "--dry-run");
      expect(checked.checks.filter((/** @type {{ok: boolean}} */ check) => !check.ok)).toEqual([]);
      const [copy] = await host.json("memory", "export", path.join(host.dir, "copy.sqlite"));
      expect(existsSync(copy.path)).toBe(true);
      await host.ok("memory", "forget", "--undo", forgotten.undoId);
      const again = await host.json("memory", "search", "deployments fridays");
      expect(JSON.stringify(again.results)).toContain("Fridays");
    });

    test("a turn answers from memory, with citation, prompt section and root files", async () => {
      host.takeChats();
      expect(await host.turn("Which database does Falcon use?")).toContain("ANSWER: PostgreSQL 17");
      const chats = host.takeChats();
      // The host's own default: the newest version puts tools behind another one where a model runs on this machine.
      const isDeferred = chats.some((chat) => chat.tools?.some((/** @type {any} */ tool) => tool.function?.name === "tool_call"));
      if (host.atLeast("2026.9.6")) expect(isDeferred).toBe(true);
      const system = messagesOf(chats, "system").join("\n");
      expect(system).toContain("## Memory Recall");
      expect(system).toContain("favourite tea is sencha");
      expect(system).toContain("lives in Lisbon");
      const answer = JSON.parse(/** @type {string} */ (toolAnswers(chats).at(-1)).replace(/^[^{]*/, ""));
      expect(answer).toMatchObject({ citations: "auto", mode: "hybrid" });
      expect(answer.results[0]).toMatchObject({ path: NOTE, corpus: "memory" });
      expect(answer.results[0].citation).toMatch(/^memory\/2026-11-02\.md#L\d+(-L\d+)?$/);
      expect(answer.results[0].snippet).toContain(`Source: ${answer.results[0].citation}`);
    });

    test("memory_get reads the lines asked for and nothing outside", async () => {
      expect(await host.turn("Please read the Falcon note.")).toContain("ANSWER: PostgreSQL 17");
      // Both turns are of one session: the newest tool result is the one in question.
      const read = /** @type {string} */ (toolAnswers(host.takeChats()).at(-1));
      expect(JSON.parse(read.replace(/^[^{]*/, ""))).toMatchObject({ status: "ok", path: NOTE, from: 3, text: FILES[NOTE].split("\n")[2] });
      expect(await host.turn("Please read the passwords.")).toContain("ANSWER: refused.");
    });

    test("without a provider everything works on keywords", async () => {
      await host.ok("config", "set", `${host.searchKey}.provider`, "none");
      // A new index, as for someone who starts without a key.
      await rm(path.join(host.stateDir, ID), { recursive: true, force: true });
      host.takeChats();
      const { results, mode } = await host.json("memory", "search", "PostgreSQL");
      expect(mode).toBe("fts-only");
      expect(results[0]).toMatchObject({ path: NOTE });
      expect(await host.turn("Which database does Falcon use?")).toContain("ANSWER: PostgreSQL 17");
      expect(host.provider.records.filter((record) => record.path.endsWith("/embeddings"))).toEqual([]);
      await host.ok("config", "set", `${host.searchKey}.provider`, host.atLeast("2026.8.1") ? "openai-compatible" : "openai");
    });

    test("the gateway answers from memory and reports its state", async () => {
      await host.ok("config", "set", "agents.defaults.compaction.memoryFlush.forceFlushTranscriptBytes", "1", "--strict-json");
      await host.startGateway();
      host.takeChats();
      expect(await host.turn("Which database does Falcon use?", { local: false })).toContain("ANSWER: PostgreSQL 17");
      // That of 2026.4 is where its configuration does not say.
      if (host.atLeast("2026.6.1")) expect(await host.log()).toMatch(/gateway/);
      const doctor = await host.ok("gateway", "call", "doctor.memory.status", "--params", "{}");
      expect(doctor.stdout).toContain('"provider"');
      expect(host.gatewayOutput).not.toMatch(/tool name conflict|command already registered/);
    });

    test("a long transcript is flushed to the day's note before it is compacted", async () => {
      // 2026.6 and 2026.8 put it into the system prompt of a turn about "the OpenClaw runtime event".
      const prompts = () => ["user", "system"].flatMap((role) => messagesOf(host.peekChats(), role));
      for (let attempt = 0; attempt < 10 && !prompts().some((prompt) => prompt.includes("Memory flush before compaction")); attempt++) {
        await host.chat(MAIN, `Message ${attempt}.`);
      }
      const flush = prompts().find((prompt) => prompt.includes("Memory flush before compaction"));
      expect(flush, `no flush turn:\n${host.gatewayOutput.slice(-4000)}`).toBeDefined();
      expect(flush).toMatch(/Write only to memory\/\d{4}-\d\d-\d\d\.md/);
    });

    test("the gateway stops at once and leaves the index", async () => {
      expect(await host.stopGateway()).toBeLessThan(30_000);
      expect(existsSync(path.join(host.stateDir, ID, "main", "index.sqlite"))).toBe(true);
    });

    test("uninstalling gives memory back to memory-core", async () => {
      await host.ok("plugins", "uninstall", ID, "--force");
      const { plugins } = await host.config();
      expect(plugins?.slots?.memory ?? "memory-core").toBe("memory-core");
      // Hosts up to 2026.4 leave memory-core switched off when a rival took its slot.
      if (!host.atLeast("2026.6.11")) await host.ok("plugins", "enable", "memory-core");
      const [agent] = await host.json("memory", "status");
      expect(agent.status.dbPath).not.toContain(ID);
    });
  });
}
