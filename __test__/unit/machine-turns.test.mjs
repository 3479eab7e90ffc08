// The host writes its own prompts in the user's role: what a cron job, a heartbeat or another agent says in a conversation stands
// between two messages of its person, and is neither.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { saidBefore } from "../../plugin/hooks/messages.js";
import { hooked, MAIN } from "./hooked.mjs";

const FACT = "My gardener is called Mr Busch.";
const WEATHER = "[cron:ab5d-1 Weather] Check the weather.";
/** @param {string} content @param {string} role */
const said = (content, role = "user") => ({ role, content });
const settings = { autoCapture: true, shortTerm: { enabled: true }, sessionNotes: { enabled: true } };

/** @param {any} home @param {string} runId @param {any[]} messages */
async function end(home, runId, messages) {
  await home.handlers.agent_end({ success: true, runId, messages }, { ...MAIN, runId });
  await home.drained();
}

/** All that memory keeps of a text, in files. @param {any} home */
async function kept(home) {
  const texts = [home.stateDir, home.workspace].map(async (folder) => {
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:jsonl?|md)$/.test(name));
    return await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  });
  return (await Promise.all(texts)).flat().join("\n");
}

// "forget what I just said" took the cron job's message back, and the fact stayed.
test.each([
  [[said("[OpenClaw cron wake]"), said("It rains.", "assistant")]],
  [[said(WEATHER), said("It rains.", "assistant")]],
  [[said("/status")]],
])("a wish that what was said be forgotten means the user's last message: %j between", async (between) => {
  const home = await hooked(settings);
  const first = [said(FACT), said("Noted.", "assistant")];
  await end(home, "r1", first);
  expect(await kept(home)).toContain("Busch");
  const all = [...first, ...between, said("forget what I just said"), said("Forgotten.", "assistant")];
  await end(home, "r2", all);
  expect(await home.today()).not.toContain("Busch");
  const { captures } = await native().listCaptures(home.agent, 100);
  expect(captures.map(({ status }) => status)).toContain("undone");
  await home.handlers.before_reset({ messages: all, reason: "new" }, MAIN);
  const left = await kept(home);
  expect(left.split("\n").filter((line) => line.includes("Busch") && !line.includes('"undone"'))).toEqual([]);
  expect(left).not.toContain("Check the weather");
});

test("a correction means what the user said before a cron job", async () => {
  const home = await hooked(settings);
  const first = [said("My sister's wedding is on the 9th of May."), said("Noted.", "assistant")];
  await end(home, "r1", first);
  await end(home, "r2", [
    ...first,
    said(WEATHER),
    said("It rains.", "assistant"),
    said("No, sorry, it's the 10th."),
    said("Ah.", "assistant"),
  ]);
  expect(await home.today()).toContain("on the 9th of May. – No, sorry, it's the 10th.");
});

test("a question goes on about the user's message before, and about what was answered last", () => {
  const messages = [said("When is the dentist?"), said("At nine.", "assistant"), said(WEATHER), said("Rain at ten.", "assistant")];
  expect(saidBefore([...messages, said("/status")]).before).toBe("When is the dentist?");
  expect(saidBefore(messages)).toEqual({ before: "When is the dentist?", replied: "Rain at ten." });
});
