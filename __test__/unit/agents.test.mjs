// Two agents in one process: what one knows, forgets or clears is nothing to the other.

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { commandLine, NOTE } from "../support/command-line.mjs";
import { makeWorkspace } from "../support/workspace.mjs";

const SEARCH = { provider: "none", sources: ["memory", "sessions"], experimental: { sessionMemory: true } };

test("agents at work at the same time never see each other's notes, conversations and what was forgotten", async () => {
  const home = await makeWorkspace();
  const names = ["ana", "ben"];
  const workspaceOf = (/** @type {string} */ id) => path.join(home.dir, `workspace-${id}`);
  for (const id of names) {
    await mkdir(path.join(workspaceOf(id), "memory"), { recursive: true });
    for (let n = 0; n < 30; n++)
      await writeFile(path.join(workspaceOf(id), "memory", `${n}.md`), `- The zebra number ${n} belongs to ${id}.\n`);
    const sessions = path.join(home.stateDir, "agents", id, "sessions");
    await mkdir(sessions, { recursive: true });
    const message = { role: "user", content: `The quokka of ${id} sleeps.` };
    await writeFile(path.join(sessions, "s1.jsonl"), `${JSON.stringify({ type: "message", message })}\n`);
  }
  const list = names.map((id) => ({ id, workspace: workspaceOf(id) }));
  const cfg = { agents: { list }, memory: { search: SEARCH } };
  const [ana, ben] = await Promise.all(
    names.map(async (agentId) => {
      const manager = await MemoryIndexManager.get({ ...home.request, cfg, agentId, purpose: "cli" });
      return /** @type {MemoryIndexManager} */ (manager);
    }),
  );
  await Promise.all([ana.sync(), ben.sync()]);
  const texts = async (/** @type {MemoryIndexManager} */ manager, /** @type {string} */ query) =>
    (await manager.search(query, { maxResults: 50, minScore: 0 })).map(({ snippet }) => snippet).join("\n");
  const queries = Array.from({ length: 20 }, (_, n) => (n % 2 ? "zebra number belongs" : "quokka sleeps"));
  const [ofAna, ofBen] = await Promise.all(
    [ana, ben].map(async (manager) => (await Promise.all(queries.map((query) => texts(manager, query)))).join("\n")),
  );
  expect([/ ana/.test(ofAna), / ben/.test(ofAna), / ana/.test(ofBen), / ben/.test(ofBen)]).toEqual([true, false, false, true]);
  expect(ana.status().dbPath).not.toBe(ben.status().dbPath);

  await ana.forget({ paths: ["memory/1.md"], sessions: ["s1"] });
  await ana.sync();
  await ben.sync();
  expect([(await ana.forgotten()).length > 0, (await ben.forgotten()).length]).toEqual([true, 0]);
  expect([await texts(ana, "quokka sleeps"), await texts(ben, "quokka sleeps")]).toEqual(["", expect.stringContaining("quokka of ben")]);
  await ana.reset();
  expect([ana.status().chunks, ben.status().chunks]).toEqual([0, 31]);
});

// What it had forgotten was found again, and no command said that its folder was there.
test("doctor names the folder of an agent that has another id now, and with that id nothing comes back", async () => {
  const { stateDir, run, json, write, written } = await commandLine({ provider: "none" });
  const agents = (/** @type {string} */ id) => write({ ...written(), agents: { ...written().agents, list: [{ id, default: true }] } });
  const named = async () => {
    const [{ checks }] = await json("doctor", "--dry-run");
    return checks.filter((/** @type {{name: string}} */ { name }) => name === "former agents");
  };
  agents("alice");
  await run("index");
  await run("forget", "--path", NOTE, "--yes", "--final");
  expect(await named()).toEqual([]);
  const own = path.join(stateDir, "memory-core-rs");
  agents("alicia");
  const [check] = await named();
  expect(check).toMatchObject({ ok: true, found: expect.stringContaining(path.join(own, "alice")) });
  expect(check.found).toContain("a list of what was forgotten");
  await rm(path.join(own, "alicia"), { recursive: true, force: true });
  await rename(path.join(own, "alice"), path.join(own, "alicia"));
  await run("index");
  expect(await named()).toEqual([]);
  expect((await json("forget", "--list")).forgotten).toMatchObject([{ name: NOTE }]);
  expect((await json("search", "falcon database")).results).toEqual([]);
});

// `autoCapture: false` below a misspelt id switched nothing off, and nothing said so.
test("doctor names settings of an agent that nobody has configured", async () => {
  const config = { autoCapture: true, agents: { Main: { autoCapture: true }, typo: { autoCapture: false } } };
  const { run, json } = await commandLine({ provider: "none" }, { plugins: { entries: { "memory-core-rs": { config } } } });
  const [{ ok, checks }] = await json("doctor", "--dry-run");
  const told = checks.filter((/** @type {{found: string}} */ { found }) => /hold for no agent/.test(found));
  expect(told).toEqual([
    {
      name: "configuration",
      ok: false,
      found: expect.stringContaining("plugins.entries.memory-core-rs.config.agents.typo hold for no agent"),
      remedy: expect.stringContaining("main"),
    },
  ]);
  expect(ok).toBe(false);
  expect((await run("doctor", "--dry-run")).output).toContain("agents.typo hold for no agent");
});
