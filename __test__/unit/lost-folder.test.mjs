// A workspace that vanishes empties no index, and everybody who asks is told.

import { rename } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { warnAboutLostFolders, watchFolders } from "../../plugin/lost-folders.js";
import { makeWorkspace } from "./workspace.mjs";

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
