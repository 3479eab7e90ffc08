// What reaches a paid provider: where the chunks are the same, exactly the texts that memory-core 2026.9.6 sends. They are
// for notes that fit in one; longer ones it cuts and overlaps in another way than the documented algorithm of 2026.4.12.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { MemoryIndexManager } from "../../lib/manager.js";
import { createFakeProvider } from "../support/fake-provider.mjs";
import { installHost } from "../support/install.mjs";
import { random } from "./corpus.mjs";

const RUNNER = fileURLToPath(new URL("sent-index.mjs", import.meta.url));

const WORDS = "router switch deploy rollback garden tomato invoice meeting budget lisbon porto guitar dentist api_key ERR_1234".split(" ");

/**
 * Notes of at most 1,100 characters.
 * @param {string} workspace
 */
async function writeNotes(workspace) {
  const next = random(20260906);
  const line = () => `- ${Array.from({ length: 3 + next(9) }, () => WORDS[next(WORDS.length)]).join(" ")}.`;
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  for (let day = 1; day <= 28; day++) {
    const lines = Array.from({ length: 4 + next(11) }, line);
    await writeFile(path.join(workspace, "memory", `2026-05-${String(day).padStart(2, "0")}.md`), `# Day ${day}\n\n${lines.join("\n")}\n`);
  }
  await writeFile(path.join(workspace, "MEMORY.md"), "# Memory\n\nThe favourite tea is sencha.\n");
}

test("the same workspace sends the same texts, once each", async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), "oracle-sent-"));
  const { server, records } = createFakeProvider({ dims: 32 });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  onTestFinished(async () => {
    server.close();
    await rm(root, { recursive: true, force: true });
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  const workspace = path.join(root, "workspace");
  await writeNotes(workspace);
  const sent = () => {
    const requests = records.splice(0).filter((/** @type {{path: string}} */ record) => record.path.endsWith("/embeddings"));
    return requests.flatMap((/** @type {{body: {input: string | string[]}}} */ { body }) => body.input).sort();
  };

  const env = { PATH: process.env.PATH, BENCH_OC_2026_9: path.join(await installHost("2026.9.6"), "node_modules", "openclaw") };
  await promisify(execFile)(process.execPath, [RUNNER, workspace, path.join(root, "host"), url], { env });
  const theirs = sent();

  const remote = { baseUrl: `${url}/v1`, apiKey: "sk-oracle" };
  const cfg = {
    agents: { defaults: { workspace } },
    memory: { search: { provider: "openai", model: "text-embedding-3-small", remote } },
    plugins: { entries: { "memory-core-rs": { config: { query: { ranking: "memory-core" } } } } },
  };
  const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir: path.join(root, "ours"), purpose: "cli" });
  await manager?.sync({ reason: "oracle" });
  await manager?.close();
  const ours = sent();

  expect(ours.length).toBe(29);
  expect(ours).toEqual(theirs);
});
