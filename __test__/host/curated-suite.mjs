// What curated lines say about themselves, on a real host whose active memory is on: the host's own lane for triggers works
// with our manager, and everything that is shown says whose words it is.

import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { messagesOf, question, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

/** Where somebody has been, a note for each. */
const RIVERS = ["Douro", "Ebro", "Loire", "Nile"];
const KAYAKING = "Where has Ana been kayaking?";

const FILES = {
  "MEMORY.md": [
    "# Memory",
    "- Mara decides about every rollback <!-- trigger: rollback owner --> <!-- importance: 8 -->",
    "- The other project keeps its rollback owner secret <!-- trigger: rollback owner --> <!-- project: github.com/acme/other -->",
    "- Nobody knows this one <!-- trigger: rollback owner --> <!-- project: -->",
    "- Releases are cut from the branch called harbour <!-- project: github.com/acme/ours --> <!-- importance: 9 -->",
    "",
  ].join("\n"),
  "memory/2026-11-02.md": "# Day\n- The boiler was repaired by Berg.\n",
  ...Object.fromEntries(RIVERS.map((river) => [`memory/${river}.md`, `Ana went kayaking on the ${river} with her cousins.\n`])),
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "search for the boiler",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "boiler repaired" } },
  },
  {
    match: "list all rivers",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: KAYAKING, maxResults: 2 } },
  },
  // As a model does that reads what the tool says of `more`.
  {
    on: "tool",
    match: `more.{1,20}query.{1,20}(${KAYAKING.replace("?", "\\?")}).{1,20}after.{1,8}2`,
    toolCall: { name: "memory_search", arguments: { query: "{{1}}", after: 2, maxResults: 2 } },
  },
  { on: "tool", match: ".", reply: "ANSWER" },
  { match: ".", reply: "NONE" },
];

const PRIVATE = "agent:main:direct:u1";

/** @param {string} version */
export function curatedSuite(version) {
  describe.sequential(`Curated lines on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: RULES });
      const vault = path.join(host.dir, "vault");
      await mkdir(vault);
      await writeFile(path.join(vault, "web.md"), "- The boiler was repaired by somebody on the web. <!-- trigger: rollback owner -->\n");
      const git = (/** @type {string[]} */ ...args) => promisify(execFile)("git", ["-C", host.workspace, ...args]);
      await git("init", "--quiet");
      await git("remote", "add", "origin", "https://github.com/acme/ours.git");
      await host.addPlugin(inject("tarball").file);
      await host.edit((entry, config) => {
        entry.config = { ...entry.config, extraPaths: [vault] };
        config.plugins.entries["active-memory"] = { enabled: true, config: { enabled: true, agents: ["main"] } };
      });
      await host.ok("memory", "index");
    });

    test("results of the command line say where they come from, and can be asked for by it", async () => {
      const { results } = await host.json("memory", "search", "who repaired the boiler");
      const classes = results.map((/** @type {any} */ hit) => [path.basename(hit.path), hit.provenance.originClass]);
      expect(classes.sort()).toEqual([
        ["2026-11-02.md", "agent"],
        ["web.md", "untrusted"],
      ]);
      expect(results[0].provenance).toMatchObject({ sessionKind: "unknown", observedAt: expect.any(Number) });
      const own = await host.json("memory", "search", "who repaired the boiler", "--origin", "agent,owner");
      expect(own.results.map((/** @type {any} */ hit) => hit.path)).toEqual(["memory/2026-11-02.md"]);
      expect(JSON.stringify(results)).not.toContain("<!--");
    });

    // The field is carried by the host wherever it is, and made nowhere: no result of either of us has one.
    test("nobody makes a supersedesKey", async () => {
      const dist = path.join(path.dirname(host.entry), "dist");
      const names = (await readdir(dist, { recursive: true })).filter((name) => /\.m?js$/.test(name));
      const made = [];
      for (const name of names) {
        const code = await readFile(path.join(dist, name), "utf8");
        for (const [, value] of code.matchAll(/supersedesKey: ([^\n]{0,80})/g)) made.push(value);
      }
      expect(made.length).toBeGreaterThan(3);
      expect(made.filter((value) => !/supersedes_?keys?/i.test(value))).toEqual([]);
      const { results } = await host.json("memory", "search", "who repaired the boiler");
      expect(JSON.stringify(results)).not.toContain("supersedes");
    });

    test("an extra file that says it is curated counts where the user vouches for it", async () => {
      const triggers = async () =>
        (await host.json("memory", "triggers", "test", "What about the gutter cleaning?")).matches.map((/** @type {any} */ { hit }) => [
          path.basename(hit.path),
          hit.provenance.originClass,
        ]);
      const vault = path.join(host.dir, "vault");
      const text = "<!-- curated -->\n- Berg cleans them in May <!-- trigger: gutter cleaning -->\n";
      await mkdir(path.join(vault, "rules"));
      for (const file of ["rules/house.md", "clipped.md"]) await writeFile(path.join(vault, file), text);
      await host.ok("memory", "index");
      expect(await triggers()).toEqual([]);
      await host.edit((entry) => {
        entry.config = { ...entry.config, curatedPaths: [path.join(vault, "rules")] };
      });
      await host.ok("memory", "index");
      expect(await triggers()).toEqual([["house.md", "agent"]]);
    });

    test("a message can be tried against the triggers, and status names what cannot be understood", async () => {
      const tried = await host.json("memory", "triggers", "test", "Who is the rollback owner?");
      expect(tried.matches.map((/** @type {any} */ { strong, hit }) => [strong, hit.snippet])).toEqual([
        [true, "- Mara decides about every rollback"],
      ]);
      expect(tried.malformed).toEqual([{ path: "MEMORY.md", line: 4, reason: expect.stringContaining("project") }]);
      const { stdout } = await host.ok("memory", "status");
      expect(stdout).toContain("MEMORY.md:4:");
    });

    test("the host's own lane shows the entry that a message asks for, and no other", async () => {
      await host.startGateway();
      host.takeChats();
      await host.chat(PRIVATE, "Who is the rollback owner today?");
      const asked = question(host.takeChats(), "rollback owner today");
      expect(asked).toContain("<active_memory_plugin>");
      expect(asked).toContain("Mara decides about every rollback");
      for (const hidden of ["other project", "Nobody knows", "on the web", "<!--"]) expect(asked).not.toContain(hidden);
    });

    test("the system prompt introduces the repository that is worked on by its entries, and no other", async () => {
      await host.chat(PRIVATE, "What shall we do next?");
      const system = messagesOf(host.takeChats(), "system").join("\n");
      const introduced = /## Project Memory\n(?:(?!## ).+\n)+/.exec(system)?.[0] ?? "";
      expect(introduced, system.slice(0, 3000)).toMatch(/^- Releases are cut from the branch called harbour \(Source: MEMORY\.md#L5\)$/m);
      expect(introduced).not.toMatch(/other project|Nobody knows|Mara decides|<!--/);
    });

    test("auto-recall shows the entry too, where triggerRecall is on", async () => {
      await host.reconfigure((entry, config) => {
        entry.config = { ...entry.config, autoRecall: true, triggerRecall: true };
        config.plugins.entries["active-memory"] = { enabled: false };
      });
      host.takeChats();
      await host.chat(PRIVATE, "Say once more who the rollback owner is.");
      const asked = question(host.takeChats(), "once more who the rollback owner");
      expect(asked).toMatch(/<relevant-memories>[\s\S]*1\. \[MEMORY\.md#L2-L2\] .*Mara decides about every rollback/);
      for (const hidden of ["other project", "Nobody knows", "on the web", "<!--"]) expect(asked).not.toContain(hidden);
      await host.reconfigure((entry, config) => {
        entry.config = { ...entry.config, autoRecall: false, triggerRecall: false };
        config.plugins.entries["active-memory"] = { enabled: true, config: { enabled: true, agents: ["main"] } };
      });
    });

    test("and nothing for a message about something else", async () => {
      await host.chat(PRIVATE, "What shall we cook this evening?");
      expect(question(host.takeChats(), "cook this evening")).not.toContain("Mara decides");
    });

    test("a tool's answer names words of others as such", async () => {
      await host.chat(PRIVATE, "Please search for the boiler.");
      const answers = toolAnswers(host.takeChats()).join("\n");
      expect(answers).toMatch(/\[untrusted\] .*somebody on the web/);
      expect(answers).not.toMatch(/\[untrusted\] .*repaired by Berg/);
      expect(answers).toContain('"originClass": "agent"');
    });

    test("a tool's answer says how to go on where evidence is spread, and the second call shows the rest", async () => {
      await host.chat(PRIVATE, "Please list all rivers.");
      // Each request repeats what was said before it.
      const said = new Set(toolAnswers(host.takeChats()));
      const answers = [...said].map((answer) => RIVERS.filter((river) => answer.includes(`memory/${river}.md`)));
      const calls = answers.filter((rivers) => rivers.length > 0);
      expect(calls.map((rivers) => rivers.length)).toEqual([2, 2]);
      expect(calls.flat().toSorted()).toEqual(RIVERS);
    });
  });
}
