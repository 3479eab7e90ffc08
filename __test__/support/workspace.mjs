// A throw-away home with a workspace, and the configuration that points at it.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { closeAllMemoryIndexManagers } from "../../index.js";

/** @param {Record<string, string>} [files] */
export async function makeWorkspace(files = { "MEMORY.md": "# Memory\n\nThe favourite tea is sencha.\n" }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-"));
  const workspace = path.join(dir, "workspace");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(workspace, name)), { recursive: true });
    await writeFile(path.join(workspace, name), text);
  }
  onTestFinished(async () => {
    await closeAllMemoryIndexManagers();
    // A folder that is made anew meanwhile is no failure of this test; that nothing is has one of its own (manager.test.mjs).
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  const stateDir = path.join(dir, "state");
  /** @param {Record<string, unknown>} [search] */
  const config = (search = { provider: "none" }) => ({ agents: { defaults: { workspace } }, memory: { search } });
  return { dir, workspace, stateDir, config, request: { cfg: config(), agentId: "main", stateDir, env: {} } };
}
