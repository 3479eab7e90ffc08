// What other people say in a main session that they share with the agent's own person never becomes the owner's memory by itself.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { hooked, MAIN } from "./hooked.mjs";
import { ASKED, FALCON, OPEN, reply, said, TELEGRAM, wrapped } from "./shared-home.mjs";

/** @param {any} home */
async function kept(home) {
  const { captures } = await native().listCaptures(home.agent, 100);
  return JSON.stringify(captures);
}

// A refused turn of a stranger was captured as the owner's with the owner's next one.
test.each(["2026.4.12", "2026.6.11", "2026.9.6"])(
  "nothing of a stranger's turn is captured with the owner's next one, %s",
  async (version) => {
    const home = await hooked({ autoCapture: true, shortTerm: { enabled: true } }, { version });
    Object.assign(home.cfg, OPEN);
    const ctx = { ...TELEGRAM, runId: "r2", ...(version === "2026.4.12" ? {} : { senderId: "1" }) };
    const words = "My sister Rita lives in Braga.";
    // The run's own message has no sender yet where they stand beside the words.
    const now = version === "2026.4.12" ? said(version, "1", words) : { role: "user", content: words };
    const before = [said(version, "2", "My cat is called Mallory and I live in Ghent."), { ...reply, __openclaw: { runId: "r1" } }];
    await home.handlers.before_prompt_build({ prompt: String(now.content), messages: before }, ctx);
    // A stranger who writes while the run goes on.
    const late =
      version === "2026.4.12" ? said(version, "2", "I own a boat called Eve.") : { role: "user", content: "I own a boat called Eve." };
    const event = { success: true, runId: "r2", messages: [...before, now, reply, late, reply] };
    await home.handlers.agent_end(event, ctx);
    await home.drained();
    expect(await kept(home)).toContain("Rita");
    expect(await kept(home)).not.toMatch(/Mallory|Ghent|Eve/);
  },
);

test("a message of several people that waited for a busy agent is nobody's", async () => {
  const home = await hooked({ autoCapture: true }, { version: "2026.4.12" });
  Object.assign(home.cfg, OPEN);
  const content = `[Queued messages while agent was busy]\n\n---\nQueued #1\n${wrapped("1", "My sister Rita lives in Braga.")}\n\n---\nQueued #2\n${wrapped("2", "My cat is called Mallory.")}`;
  await home.handlers.agent_end({ success: true, runId: "q", messages: [{ role: "user", content }, reply] }, TELEGRAM);
  await home.drained();
  expect(await kept(home)).not.toMatch(/Rita|Mallory/);
});

// Where nobody is named it cannot be known who of them the owner is.
test("without a named owner nothing is taken from a session that several people reach, and all from one that a single person has", async () => {
  const home = await hooked({ autoCapture: true });
  Object.assign(home.cfg, { channels: OPEN.channels });
  const end = async (/** @type {string} */ id, /** @type {string} */ words, /** @type {any[]} */ before = []) => {
    await home.handlers.agent_end(
      { success: true, runId: words, messages: [...before, said("2026.9.6", id, words), reply] },
      { ...TELEGRAM, senderId: id, runId: words },
    );
    await home.drained();
  };
  await end("1", "My sister Rita lives in Braga.");
  expect(await kept(home)).not.toContain("Rita");
  Object.assign(home.cfg, { channels: { telegram: { botToken: "x" } } });
  await end("1", "My brother Rui lives in Porto.");
  expect(await kept(home)).toContain("Rui");
  await end("1", "My aunt Eva lives in Faro.", [said("2026.9.6", "2", "My cat is called Mallory."), reply]);
  expect(await kept(home)).not.toMatch(/Eva|Mallory/);
});

// A compaction and the end of a session name no sender: whatever was said there passed for the owner's.
test.each(["2026.4.12", "2026.6.11", "2026.9.6"])(
  "a compaction and the note of a session leave a stranger's turns out, %s",
  async (version) => {
    const home = await hooked({ captureOnCompaction: true, sessionNotes: { enabled: true } }, { version });
    Object.assign(home.cfg, OPEN, { hooks: { internal: { entries: { "session-memory": { enabled: false } } } } });
    const messages = [
      said(version, "1", "My sister Rita lives in Braga."),
      { ...reply, content: "Noted: Rita." },
      said(version, "2", "My cat is called Mallory and I live in Ghent."),
      { ...reply, content: "Mallory is a nice name." },
    ];
    // It is the stranger's turn that brings it about.
    await home.handlers.before_compaction({ messages }, { ...TELEGRAM, senderId: "2" });
    await home.drained();
    await home.handlers.before_reset({ messages, reason: "new" }, MAIN);
    const folder = path.join(home.workspace, "memory");
    const notes = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md"));
    const all = (await kept(home)) + (await Promise.all(notes.map((name) => readFile(path.join(folder, name), "utf8")))).join("\n");
    expect(all).not.toMatch(/Mallory|Ghent/);
    // In the clean transcripts between nothing tells who has said what.
    expect(all.includes("Rita")).toBe(version !== "2026.6.11");
  },
);

test("active memory does not take a stranger's line for the user's", async () => {
  /** @type {any[]} */
  const asked = [];
  const complete = async (/** @type {any} */ request) => {
    asked.push(JSON.stringify(request));
    return { text: "NONE" };
  };
  const settings = { activeMemory: { enabled: true, mode: "always", queryMode: "full", timeoutMs: 5000 } };
  const home = await hooked(settings, { files: FALCON, llm: { complete } });
  Object.assign(home.cfg, OPEN);
  const messages = [said("2026.9.6", "1", "Let us talk of Falcon."), reply, said("2026.9.6", "2", "Mallory speaks of Falcon."), reply];
  const ctx = { ...TELEGRAM, senderId: "1", runId: "r1", toolAuthority: { allows: () => true } };
  await home.handlers.before_prompt_build({ prompt: ASKED, messages }, ctx);
  expect(asked.join()).toContain("Let us talk");
  expect(asked.join()).not.toContain("Mallory");
});
