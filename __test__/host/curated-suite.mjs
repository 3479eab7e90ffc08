// What curated lines say about themselves, on a real host whose active memory is on: the host's own lane for triggers works
// with our manager, and everything that is shown says whose words it is.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { question, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const FILES = {
  "MEMORY.md": [
    "# Memory",
    "- Mara decides about every rollback <!-- trigger: rollback owner --> <!-- importance: 8 -->",
    "- The other project keeps its rollback owner secret <!-- trigger: rollback owner --> <!-- project: github.com/acme/other -->",
    "- Nobody knows this one <!-- trigger: rollback owner --> <!-- project: -->",
    "",
  ].join("\n"),
  "memory/2026-11-02.md": "# Day\n- The boiler was repaired by Berg.\n",
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "search for the boiler",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "boiler repaired" } },
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
  });
}
