// When the index follows the notes by itself, and what a caller gets while a search takes long.

import { writeFile } from "node:fs/promises";
import path from "node:path";
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
  // One that begins later hands over what words find: the one before it would have done so by then.
  isSlow = true;
  let later = 0;
  const last = manager.search("sencha", { onPartialResults: () => later++, deadlineMs: 60_000 });
  await expect.poll(() => later, { timeout: 20_000 }).toBe(1);
  expect(early).toHaveLength(1);
  answer([[1, 0]]);
  await last;
});

test.each([
  ["the first search of a session brings the index up to date", true],
  ["it does not where that is switched off", false],
])("%s", async (_, onSessionStart) => {
  const { manager, workspace } = await open({ provider: "none", sync: { ...QUIET, onSessionStart } });
  const control = await open({ provider: "none", sync: { ...QUIET, onSessionStart: true } });
  /** Whether a search of a conversation finds the words of a note. @param {typeof control} of @param {string} words @param {string} key */
  const finds = async (of, words, key) => (await of.manager.search(words, { sessionKey: `agent:main:${key}` })).length > 0;
  const ours = { ...control, manager, workspace };
  const foundBy = async (/** @type {typeof control} */ of, /** @type {string} */ words, /** @type {string} */ key) =>
    await expect.poll(() => finds(of, words, key), { timeout: 20_000 }).toBe(true);
  const note = (/** @type {typeof control} */ of, /** @type {string} */ name, /** @type {string} */ text) =>
    writeFile(path.join(of.workspace, "memory", name), text);
  /** By the time that another memory, asked later, has noticed a note, ours would have noticed its own. @param {string} key */
  const others = async (key) => {
    await note(control, `${key}.md`, `The ${key} windmill turns.\n`);
    await foundBy(control, `${key} windmill`, key);
  };

  await note(ours, "mole.md", "The long mole ends at a bollard.\n");
  await finds(ours, "mole bollard", "one");
  if (onSessionStart) await foundBy(ours, "mole bollard", "one");
  else await others("first");
  expect(await finds(ours, "mole bollard", "one")).toBe(onSessionStart);
  // What that began is over when another sync is.
  await manager.sync();
  await note(ours, "lamps.md", "The lighthouse has three lamps.\n");
  // A session that was seen before begins no more.
  await finds(ours, "lighthouse lamps", "one");
  await others("second");
  expect(await finds(ours, "lighthouse lamps", "one")).toBe(false);
  await finds(ours, "lighthouse lamps", "two");
  if (onSessionStart) await foundBy(ours, "lighthouse lamps", "two");
  else {
    await others("third");
    expect(await finds(ours, "lighthouse lamps", "two")).toBe(false);
  }
});
