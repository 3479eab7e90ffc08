// What happens to a conversation when it is compacted or ends, with the native engine behind the hooks.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { hooked, MAIN, turn } from "./hooked.mjs";

const LAMPS = "Our lighthouse has three lamps";

/** @param {string} workspace */
const notes = async (workspace) => (await readdir(path.join(workspace, "memory")).catch(() => [])).filter((name) => name.endsWith(".md"));

/** @param {string} file @param {...string} said */
async function transcript(file, ...said) {
  const lines = said.map((content) => JSON.stringify({ type: "message", message: { role: "user", content } }));
  await mkdir(path.dirname(file), { recursive: true });
  // The last line is still being written.
  await writeFile(file, `${JSON.stringify({ type: "session", id: "s1" })}\n${lines.join("\n")}\n{"type":"mess`);
}

test("a compaction without a flush gives its messages to the capture queue, a flushed one does not", async () => {
  /** @type {Record<string, any>} */
  const entry = { sessionId: "s1", compactionCount: 1, memoryFlush: { kind: "completed", compactionCount: 1 } };
  const session = { getSessionEntry: () => entry };
  const { handlers, agent, today, drained } = await hooked({ captureOnCompaction: true }, { runtimeAgent: { session } });
  const before = { ...turn("I prefer trains to planes"), messageCount: 2 };
  await handlers.before_compaction(before, MAIN);
  expect(native().listCaptures(agent, 9)).toEqual({ captures: [], waiting: 0 });
  entry.compactionCount = 2;
  await handlers.before_compaction(before, { ...MAIN, sessionKey: "agent:main:slack:channel:c1" });
  expect(native().listCaptures(agent, 9)).toEqual({ captures: [], waiting: 0 });
  await handlers.before_compaction(before, MAIN);
  await drained();
  expect(await today()).toContain("- [preference] I prefer trains to planes");
});

test("a host that hands over no messages is read from its transcript, flat records of older hosts count", async () => {
  /** @type {Record<string, any>} */
  const entry = { sessionId: "s1", compactionCount: 0, memoryFlushCompactionCount: 0 };
  const session = { resolveStorePath: () => "/store", loadSessionStore: () => ({ [MAIN.sessionKey]: entry }) };
  const options = { version: "2026.4.12", runtimeAgent: { session } };
  const { dir, handlers, agent, today, drained } = await hooked({ captureOnCompaction: true }, options);
  const sessionFile = path.join(dir, "sessions", "s1.jsonl");
  await transcript(sessionFile, "I live in Porto near the market", "thanks");
  const before = { messageCount: -1, sessionFile };
  await handlers.before_compaction(before, { sessionKey: MAIN.sessionKey });
  expect(native().listCaptures(agent, 9).waiting).toBe(0);
  entry.compactionCount = 1;
  await handlers.before_compaction(before, { sessionKey: MAIN.sessionKey });
  await drained();
  expect(await today()).toContain("- [entity] I live in Porto near the market");
});

test("a long conversation gives more facts than a turn, and each is looked at once", async () => {
  const { handlers, agent, drained } = await hooked({ captureOnCompaction: true });
  const said = Array.from({ length: 60 }, (_, n) =>
    n % 6 === 0 ? `Remember that locker ${n} opens with ${1000 + n}` : `What about step ${n}?`,
  );
  await handlers.before_compaction(turn(...said), MAIN);
  await drained();
  const { captures } = native().listCaptures(agent, 200);
  expect(captures.filter((capture) => capture.status === "stored")).toHaveLength(10);
  await handlers.before_compaction(turn(...said), MAIN);
  await drained();
  expect(native().listCaptures(agent, 200).captures).toHaveLength(captures.length);
});

test("a session that the host ends by itself becomes a note, other ends are left to before_reset", async () => {
  const { dir, handlers, workspace } = await hooked({ sessionNotes: { enabled: true } });
  const sessionFile = path.join(dir, "sessions", "s1.jsonl");
  await transcript(sessionFile, LAMPS);
  const ended = { sessionId: "s1", sessionKey: MAIN.sessionKey, nextSessionId: "s2", sessionFile };
  const ctx = { sessionId: "s1", sessionKey: MAIN.sessionKey, agentId: "main" };
  for (const reason of ["new", "reset", "shutdown", "compaction"]) await handlers.session_end({ ...ended, reason }, ctx);
  expect(await notes(workspace)).toEqual([]);
  await handlers.session_end({ ...ended, reason: "idle" }, { ...ctx, sessionKey: "agent:main:telegram:group:7" });
  await handlers.session_end({ ...ended, reason: "idle" }, { ...ctx, sessionKey: "agent:main:subagent:7" });
  expect(await notes(workspace)).toEqual([]);
  await handlers.session_end({ ...ended, reason: "daily" }, ctx);
  const [name] = await notes(workspace);
  expect(await readFile(path.join(workspace, "memory", name), "utf8")).toMatch(
    /Source\*\*: daily\n[\s\S]*user: Our lighthouse has three lamps\n$/,
  );
});

test("a model names the note; when it fails the time does", async () => {
  /** @type {(request: any) => Promise<string>} */
  let answer = () => Promise.reject(new Error("no model today"));
  /** @type {any[]} */
  const requests = [];
  const llm = {
    complete: async (/** @type {any} */ request) => {
      requests.push(request);
      return { text: await answer(request) };
    },
  };
  const { handlers, workspace, warnings } = await hooked({ sessionNotes: { enabled: true, slug: "model" } }, { llm });
  await handlers.before_reset({ ...turn(LAMPS), reason: "new" }, MAIN);
  await expect.poll(() => warnings).toHaveLength(1);
  const [byTime] = await notes(workspace);
  expect(byTime).toMatch(/^\d{4}-\d\d-\d\d-\d{4}\.md$/);
  answer = async () => "Lighthouse lamps";
  await handlers.before_reset({ ...turn(LAMPS), reason: "new" }, MAIN);
  await expect.poll(() => notes(workspace)).toContainEqual(expect.stringMatching(/^\d{4}-\d\d-\d\d-lighthouse-lamps\.md$/));
  expect(await notes(workspace)).toHaveLength(2);
  expect(requests[1].messages[0].content).toContain(`user: ${LAMPS}`);
});
