// The progress bar of long commands.

import { afterEach, expect, test, vi } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { withProgress } from "../../plugin/cli/progress.js";
import { makeWorkspace } from "../support/workspace.mjs";

const { isTTY } = process.stderr;
afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.useRealTimers();
});

// The time of all phases before it was counted, so the last one was said to take much longer than it did.
test("each phase tells the time that is left at its own pace", async () => {
  vi.useFakeTimers();
  process.stderr.isTTY = true;
  let shown = "";
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    shown = String(text);
    return true;
  });
  await withProgress("Indexing", async (report) => {
    report?.({ completed: 1, total: 2, label: "Reading" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown).toContain("1/2 · 1:00 left · Reading");
    report?.({ completed: 0, total: 10, label: "Embedding" });
    await vi.advanceTimersByTimeAsync(5000);
    report?.({ completed: 5, total: 10, label: "Embedding" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(shown).toContain("5/10 · 0:10 left · Embedding");
  });
  write.mockRestore();
});

// The lines of notes had none.
test("every phase that works has a total and reaches it", async () => {
  const notes = Array.from({ length: 60 }, (_, at) => [`memory/${at}.md`, `# Note ${at}\n\nThe code of house ${at} is E${at}.\n`]);
  const { request, config } = await makeWorkspace(Object.fromEntries(notes));
  // As a command: a gateway's manager begins by itself, and may be done before it is asked.
  const asked = { ...request, purpose: /** @type {const} */ ("cli"), cfg: config({ provider: "embedded" }) };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(asked));
  /** @type {Map<string, {completed: number, total: number}>} */
  const last = new Map();
  await manager.sync({ progress: ({ label = "", ...step }) => void last.set(label, step) });
  await manager.close();
  expect([...last.keys()]).toEqual(expect.arrayContaining(["Reading notes", "Embedding", "Embedding lines"]));
  for (const [label, { completed, total }] of last) expect([label, completed]).toEqual([label, total]);
});
