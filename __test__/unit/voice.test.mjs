// What the engine warns of reaches the host's logger once in a while, without private text, and stands in `status`, also
// of a process that did not meet it. Nobody heard it before.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { native } from "../../lib/native.js";
import { voiceOf } from "../../plugin/voice.js";
import { makeWorkspace } from "../support/workspace.mjs";

const NOTE = "The canary sings at the harbour of Ponta Delgada.";
const KEY = "sk-proj-canary0123456789abcdef";

/** @type {import("../../index.d.ts").LogLine[]} */
let lines = [];
beforeEach(() => {
  lines = [];
  native().setLogger((line) => lines.push(line));
});
afterEach(() => native().setLogger(() => {}));

/** The memory of an agent of its own, whose provider fails as it is told. @param {string} agentId @param {Error} failure */
async function failing(agentId, failure) {
  const { config, request } = await makeWorkspace({ "MEMORY.md": `# Memory\n\n${NOTE}\n` });
  const { agents, memory } = config({ provider: "acme", model: "m", sync: { watch: false } });
  const cfg = { memory, agents: { ...agents, list: [{ id: agentId, default: true }] } };
  const embed = async () => Promise.reject(failure);
  const own = { ...request, cfg, agentId, embed };
  return { own, manager: /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(own)) };
}

const about = (/** @type {string} */ agent) => lines.filter((line) => line.agent === agent && line.level !== "debug");

test("a provider that refuses is told once, and counted in status, without what it quotes", async () => {
  const said = `invalid input: "${NOTE}" for ${KEY}`;
  const { manager } = await failing("ana", Object.assign(new Error(said), { status: 401, code: `quoted ${KEY}` }));
  for (let n = 0; n < 3; n++) await manager.sync();
  await vi.waitFor(() => expect(about("ana")).not.toHaveLength(0));
  expect(about("ana")).toEqual([
    {
      level: "warn",
      agent: "ana",
      text: expect.stringMatching(
        /^vectors were not made; words are searched all the same: MEM_PROVIDER_AUTH, HTTP 401\. Check the API key/,
      ),
    },
  ]);
  const warnings = manager.status().custom?.lastWarnings ?? [];
  expect(warnings).toEqual([
    { level: "warn", message: about("ana")[0].text, count: 3, sinceMs: expect.any(Number), atMs: expect.any(Number) },
  ]);
  expect(JSON.stringify([lines, warnings])).not.toMatch(/canary|harbour|ponta/i);
  await manager.close();
});

const STATUS = `
  const { root, request } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  const manager = await Manager.get({ ...request, purpose: "status" });
  console.log(JSON.stringify(manager.status().custom.lastWarnings));
  await manager.close();
  process.exit();
`;

test("status of another process knows of it, and nobody else's does", async () => {
  const { own, manager } = await failing("bea", Object.assign(new Error("no"), { status: 402 }));
  await manager.sync();
  await manager.close();
  const { embed: _, ...request } = own;
  const root = pathToFileURL(`${process.cwd()}/`).href;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", STATUS, JSON.stringify({ root, request })], {
    encoding: "utf8",
  });
  expect(JSON.parse(stdout || stderr)).toMatchObject([{ level: "warn", message: expect.stringContaining("MEM_PROVIDER_QUOTA"), count: 1 }]);
  const { manager: other } = await failing("cleo", new Error("no"));
  expect(other.status().custom?.lastWarnings).toEqual([]);
  await other.close();
});

test("lines reach the logger of the host by level, and a logger that throws ends nothing", async () => {
  const warn = vi.fn(() => {
    throw new Error("the disk of the log is full");
  });
  // A logger of the host may know fewer levels.
  native().setLogger(voiceOf(/** @type {any} */ ({ logger: { warn } })));
  const { manager } = await failing("dora", Object.assign(new Error("no"), { status: 403 }));
  await manager.sync();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^memory-core-rs: agent dora: vectors were not made/)));
  expect(warn).toHaveBeenCalledTimes(1);
  await manager.close();
});
