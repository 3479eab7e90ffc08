// What happens to a conversation when it is compacted or ends, with the native engine behind the hooks.

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
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

/** What was said, with the instants that a host notes. @param {...string} said */
const timed = (...said) => said.map((content, at) => ({ role: "user", content, timestamp: Date.now() + at }));

/**
 * A flush of a conversation, as its hooks tell.
 * @param {Awaited<ReturnType<typeof hooked>>["handlers"]} handlers
 * @param {object[]} messages
 * @param {object} lastAssistant
 */
async function flush(handlers, messages, lastAssistant) {
  const ctx = { runId: crypto.randomUUID(), trigger: "memory", agentId: "main", sessionKey: "agent:main:internal-session-effects:1" };
  await handlers.before_prompt_build({ prompt: "Memory flush", messages }, ctx);
  await handlers.llm_output({ lastAssistant }, ctx);
}

const ANSWER = { role: "assistant", stopReason: "stop" };

test("a compaction gives to the capture queue what no flush has seen", async () => {
  const entry = { sessionId: "s1", compactionCount: 1, memoryFlush: { kind: "succeeded", compactionCount: 1 } };
  const session = { getSessionEntry: () => entry };
  const { handlers, agent, today, drained } = await hooked({ captureOnCompaction: true }, { runtimeAgent: { session } });
  const messages = timed("I prefer trains to planes", "I like tea", "I live in Porto near the market");
  await flush(handlers, messages.slice(0, 2), { ...ANSWER, timestamp: Date.now() + 1000 });
  await handlers.before_compaction({ messages: messages.slice(0, 2) }, MAIN);
  await handlers.before_compaction({ messages }, { ...MAIN, sessionKey: "agent:main:slack:channel:c1" });
  expect(await native().listCaptures(agent, 9)).toEqual({ captures: [], waiting: 0 });
  await handlers.before_compaction({ messages }, MAIN);
  await drained();
  expect(await today()).toContain("- [entity] I live in Porto near the market");
  expect(await today()).not.toMatch(/trains|tea/);
});

test("a flush whose model failed has seen nothing, whatever the host wrote down", async () => {
  // After three failures the host writes this down to try no more.
  const entry = { sessionId: "s1", compactionCount: 0, memoryFlush: { kind: "succeeded", compactionCount: 0 } };
  const session = { getSessionEntry: () => entry };
  const { handlers, today, drained } = await hooked({ captureOnCompaction: true }, { runtimeAgent: { session } });
  const messages = timed("I prefer boats to bridges");
  await flush(handlers, messages, { ...ANSWER, stopReason: "error", timestamp: Date.now() + 1000 });
  await flush(handlers, messages, { ...ANSWER, timestamp: 6 });
  await handlers.before_compaction({ messages }, MAIN);
  await drained();
  expect(await today()).toContain("- [preference] I prefer boats to bridges");
});

test("a host that hands over no messages is read from its transcript, also when it does not name the file", async () => {
  const entry = { sessionId: "s1", compactionCount: 0 };
  const session = {
    resolveStorePath: () => path.join(dir, "sessions", "sessions.json"),
    loadSessionStore: () => ({ [MAIN.sessionKey]: entry }),
    resolveSessionFilePath: (/** @type {string} */ id, /** @type {object} */ _, /** @type {{sessionsDir: string}} */ { sessionsDir }) =>
      path.join(sessionsDir, `${id}.jsonl`),
  };
  const options = { version: "2026.4.12", runtimeAgent: { session } };
  const { dir, handlers, today, drained } = await hooked({ captureOnCompaction: true }, options);
  const sessionFile = path.join(dir, "sessions", "s1.jsonl");
  await transcript(sessionFile, "I live in Porto near the market", "thanks");
  await handlers.before_compaction({ messageCount: 2 }, { sessionKey: MAIN.sessionKey, sessionId: "s1", agentId: "main" });
  await drained();
  expect(await today()).toContain("- [entity] I live in Porto near the market");
  await transcript(sessionFile, "I prefer trains to planes");
  entry.compactionCount = 1;
  await handlers.before_compaction({ messageCount: -1, sessionFile }, { sessionKey: MAIN.sessionKey });
  await drained();
  expect(await today()).toContain("- [preference] I prefer trains to planes");
});

test("a long conversation gives more facts than a turn, and each is looked at once", async () => {
  const { handlers, agent, drained } = await hooked({ captureOnCompaction: true });
  const said = Array.from({ length: 60 }, (_, n) =>
    n % 6 === 0 ? `Remember that locker ${n} opens with ${1000 + n}` : `What about step ${n}?`,
  );
  await handlers.before_compaction(turn(...said), MAIN);
  await drained();
  const { captures } = await native().listCaptures(agent, 200);
  expect(captures.filter((capture) => capture.status === "stored")).toHaveLength(10);
  await handlers.before_compaction(turn(...said), MAIN);
  await drained();
  expect((await native().listCaptures(agent, 200)).captures).toHaveLength(captures.length);
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
    /Source\*\*: unknown\n[\s\S]*user: Our lighthouse has three lamps\n$/,
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

// The line named neither the code nor what was lost.
test("a note that cannot be written is said to be lost, with the code", async () => {
  const { handlers, workspace, warnings } = await hooked({ sessionNotes: { enabled: true } });
  await rm(path.join(workspace, "memory"), { recursive: true, force: true });
  await writeFile(path.join(workspace, "memory"), "no folder");
  await handlers.before_reset({ ...turn(LAMPS), reason: "new" }, MAIN);
  expect(warnings).toEqual([
    expect.stringMatching(/^memory-core-rs: the note of this conversation was not written, and will not be: .+ \[MEM_\w+\]$/),
  ]);
});
