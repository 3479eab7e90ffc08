// Where the host keeps things: asked of the host only where the configuration leaves a doubt, for the question loads its whole
// runtime, which took a second of each command (`npm run lab -- startup`).

import path from "node:path";
import { expect, test } from "vitest";
import { Host } from "../../plugin/host.js";
import { commandLine } from "../support/command-line.mjs";

const [STATE, NOTES] = [path.resolve("/state"), path.resolve("/notes")];
const ASKED = path.resolve("/asked");

/** A host that counts how often its runtime is loaded. */
function counting() {
  let loaded = 0;
  const runtime = {
    state: { resolveStateDir: () => STATE },
    get agent() {
      loaded++;
      return { resolveAgentDir: () => ASKED, resolveAgentWorkspaceDir: () => ASKED };
    },
  };
  return { host: new Host({ runtime }), loads: () => loaded };
}

test.each([
  ["the default of the only agent", { defaults: { workspace: ` ${NOTES} ` } }, "main", NOTES],
  ["the agent's own", { list: [{ id: "work", workspace: NOTES }, { id: "main" }] }, "Work", NOTES],
  ["the only agent of a roster", { entries: { ana: {} }, defaults: { workspace: NOTES } }, "ana", NOTES],
  ["the default where there are several", { list: [{ id: "a" }, { id: "b" }], defaults: { workspace: NOTES } }, "a", ASKED],
  ["another agent than the only one", { entries: { ana: {} }, defaults: { workspace: NOTES } }, "main", ASKED],
  ["a roster with owners", { ownership: "explicit", entries: { ana: {} }, defaults: { workspace: NOTES } }, "ana", ASKED],
  ["a place below the home", { defaults: { workspace: "~/notes" } }, "main", ASKED],
  ["no place", {}, "main", ASKED],
])("the workspace: %s", (_, agents, agentId, place) => {
  const { host, loads } = counting();
  expect(host.workspaceDir({ agents }, agentId)).toBe(place);
  expect(loads()).toBe(place === ASKED ? 1 : 0);
});

test("the folder of an agent is asked for only where it is set", () => {
  const { host, loads } = counting();
  expect(host.agentDir({ agents: { list: [{ id: "main" }] } }, "Main")).toBe(path.join(STATE, "agents/main/agent"));
  expect(loads()).toBe(0);
  expect(host.agentDir({ agents: { list: [{ id: "main", agentDir: "~/x" }] } }, "main")).toBe(ASKED);
});

test("only answers that show whose words they are ask the host for it", async () => {
  const home = await commandLine({ provider: "none" });
  await home.run("index");
  expect((await home.run("search", "falcon database")).output).toContain("PostgreSQL 17");
  expect((await home.json("search", "falcon database")).results[0].provenance.originClass).toBe("agent");
  expect((await home.run("search", "falcon database", "--origin", "agent")).output).toContain("PostgreSQL 17");
  expect((await home.run("search", "falcon database", "--origin", "owner")).output).toContain("No matches");
});
