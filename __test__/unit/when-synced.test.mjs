// When the index follows the notes by itself, and what a caller gets while a search takes long.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

const NOTE = { "memory/tea.md": "The favourite tea is sencha.\n" };
const QUIET = { watch: false, onSearch: false, onSessionStart: false };

/** @param {Record<string, unknown>} search @param {Record<string, unknown>} [more] */
async function open(search, more = {}) {
  const home = await makeWorkspace(NOTE);
  const request = { ...home.request, cfg: home.config(search), ...more };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
  await manager.sync();
  return { ...home, manager };
}

test("a slow search hands over what words find, once, and never after its own results", async () => {
  /** @type {(vectors: number[][]) => void} */
  let answer = () => {};
  let isSlow = true;
  /** @type {import("../../index.d.ts").EmbedFunction} */
  const embed = async (texts, kind) =>
    kind === "query" && isSlow ? await new Promise((resolve) => (answer = resolve)) : texts.map(() => [1, 0]);
  const { manager } = await open({ provider: "host-adapter" }, { embed, purpose: "cli" });
  /** @type {import("../../index.d.ts").MemoryHit[][]} */
  const early = [];
  const whole = manager.search("favourite tea", { onPartialResults: (hits) => early.push(hits), deadlineMs: 60_000 });
  await expect.poll(() => early.length, { timeout: 20_000 }).toBe(1);
  expect(early[0].map((hit) => hit.path)).toEqual(["memory/tea.md"]);
  expect(early[0][0].vectorScore).toBeUndefined();
  answer([[1, 0]]);
  expect((await whole)[0]).toMatchObject({ path: "memory/tea.md", vectorScore: expect.closeTo(1, 3) });
  isSlow = false;
  await manager.search("the tea", { onPartialResults: (hits) => early.push(hits) });
  await pause(1500);
  expect(early).toHaveLength(1);
});

test.each([
  ["the first search of a session brings the index up to date", true],
  ["it does not where that is switched off", false],
])("%s", async (_, onSessionStart) => {
  const { manager, workspace } = await open({ provider: "none", sync: { ...QUIET, onSessionStart } });
  const finds = async (/** @type {string} */ sessionKey) => (await manager.search("lighthouse lamps", { sessionKey })).length > 0;
  await finds("agent:main:one");
  // What that began is over when another sync is.
  await pause(1000);
  await manager.sync();
  await writeFile(path.join(workspace, "memory/lamps.md"), "The lighthouse has three lamps.\n");
  // A session that was seen before begins no more.
  await finds("agent:main:one");
  await pause(1500);
  expect(await finds("agent:main:one")).toBe(false);
  await finds("agent:main:two");
  if (onSessionStart) await expect.poll(() => finds("agent:main:two"), { timeout: 20_000 }).toBe(true);
  else {
    await pause(1500);
    expect(await finds("agent:main:two")).toBe(false);
  }
});
