// A workspace that vanishes empties no index, and everybody who asks is told.

import { spawnSync } from "node:child_process";
import { chmod, rename } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { warnAboutLostFolders, watchFolders } from "../../plugin/lost-folders.js";
import { makeWorkspace } from "../support/workspace.mjs";

// A mount that went away emptied the index without a word.
test("what is known of a lost workspace is answered with a warning until it is back or forced", async () => {
  const { dir, workspace, request } = await makeWorkspace();
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
  await manager.sync();
  const aside = path.join(dir, "aside");
  await rename(workspace, aside);
  const report = await manager.sync();
  expect([report.removed, report.warning]).toEqual([0, expect.stringContaining("openclaw memory index --force")]);
  const answer = await manager.searchDetailed("favourite tea");
  expect([answer.hits.length, answer.warning]).toEqual([1, expect.stringContaining(workspace)]);
  expect(manager.status().custom).toMatchObject({ health: { state: "lost" }, lostFolders: [{ path: workspace, loss: "missing" }] });
  /** @type {string[]} */
  const log = [];
  const host = { logger: { warn: (/** @type {string} */ text) => void log.push(text) } };
  watchFolders("main", manager);
  warnAboutLostFolders(host);
  warnAboutLostFolders(host);
  expect(log).toEqual([expect.stringContaining("is not there")]);

  await rename(aside, workspace);
  expect((await manager.sync()).warning).toBeUndefined();
  expect((await manager.searchDetailed("favourite tea")).warning).toBeUndefined();
  await rename(workspace, aside);
  await manager.sync({ force: true });
  expect(await manager.search("favourite tea")).toEqual([]);
  await manager.close();
});

/** Indexes, loses the permission to read the notes, and gets it back; not as root, whom nothing keeps out. */
const UNREADABLE = `
  import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
  const { root, dir } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  (await import(root + "lib/native.js")).native();
  if (process.getuid() === 0) process.seteuid(65534);
  const [workspace, memory] = [dir + "/ws", dir + "/ws/memory"];
  mkdirSync(memory, { recursive: true });
  for (let n = 0; n < 12; n++) writeFileSync(memory + "/" + n + ".md", "The boiler number" + n + " hums.");
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
  const manager = await Manager.get({ cfg, agentId: "main", stateDir: dir + "/state", env: {}, purpose: "cli" });
  await manager.sync();
  const told = [];
  for (const folder of [memory, workspace]) {
    chmodSync(folder, 0);
    for (let pass = 0; pass < 2; pass++) {
      const { removed, lostFolders } = await manager.sync();
      const { hits, warning } = await manager.searchDetailed("boiler number1");
      told.push({ removed, loss: lostFolders?.map(({ loss }) => loss), found: hits.length > 0, warning });
    }
    chmodSync(folder, 0o700);
    const { changed, removed, lostFolders = [] } = await manager.sync();
    told.push({ changed, removed, lost: lostFolders.length, warning: (await manager.searchDetailed("boiler number1")).warning });
  }
  console.log(JSON.stringify(told));
  process.exit();
`;

test.runIf(process.platform === "linux")("folders that may not be read any more lose no note", { timeout: 60_000 }, async () => {
  const { dir } = await makeWorkspace({});
  await chmod(dir, 0o777);
  const call = JSON.stringify({ root: pathToFileURL(`${process.cwd()}/`).href, dir });
  const args = ["--input-type=module", "-e", UNREADABLE, call];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 50_000 });
  expect(stdout, stderr).not.toBe("");
  const kept = { removed: 0, loss: ["unreadable"], found: true, warning: expect.stringContaining("cannot be read") };
  const back = { changed: 0, removed: 0, lost: 0 };
  expect(JSON.parse(stdout)).toEqual([kept, kept, back, kept, kept, back]);
});
