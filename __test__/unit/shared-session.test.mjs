// A main session that other people write into beside the agent's own person (session.dmScope "main", the host's default): where
// what we add to a prompt stays in the transcript, none of the owner's memory is put there.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { registerIntents } from "../../plugin/intents/register.js";
import { channelsOfOthers } from "../../plugin/reach.js";
import { hooked, MAIN } from "./hooked.mjs";
import { ASKED, FALCON, OPEN, reply, said, TELEGRAM, wrapped } from "./shared-home.mjs";

const RECALL = { autoRecall: true, autoRecallTimeoutMs: 5000 };

// Recalled text stays in the transcript of this host, and reached a stranger in their own turn.
test("where what we add stays in the transcript, a main session that others reach is shown nothing", async () => {
  const old = { version: "2026.4.12", files: FALCON };
  const shown = async (/** @type {any} */ home, id = "1", messages = /** @type {any[]} */ ([]), ctx = {}) =>
    await home.handlers.before_prompt_build({ prompt: wrapped(id, ASKED), messages }, { ...TELEGRAM, ...ctx });
  const home = await hooked({ ...RECALL, shortTerm: { enabled: true } }, old);
  const allow = (/** @type {string[]} */ ...allowFrom) => ({ channels: { telegram: { dmPolicy: "allowlist", allowFrom } } });
  const owner = { commands: { ownerAllowFrom: ["telegram:1"] } };
  const answers = [];
  for (const cfg of /** @type {any[]} */ ([
    OPEN,
    { ...OPEN, session: { dmScope: "main" } },
    { ...allow("1", "2"), commands: undefined },
    { ...allow("1", "2"), ...owner },
    { ...OPEN, session: { dmScope: "per-peer" }, bindings: [{ agentId: "main", session: { dmScope: "main" } }] },
    // One person, however they write.
    { ...allow("1"), commands: undefined },
    { ...allow("1", "tg:1", "telegram:1"), ...owner },
    { ...OPEN, session: { dmScope: "per-channel-peer" } },
    { channels: { telegram: { botToken: "x" }, whatsapp: { allowFrom: ["+49170"] } }, commands: undefined },
  ])) {
    Object.assign(home.cfg, { session: undefined, bindings: undefined, ...cfg });
    answers.push((await shown(home)) !== undefined);
  }
  expect(answers).toEqual([false, false, false, false, false, true, true, true, true]);
  // Somebody who was let in by a code.
  await mkdir(path.join(home.stateDir, "credentials"), { recursive: true });
  await writeFile(path.join(home.stateDir, "credentials/telegram-default-allowFrom.json"), '{"version":1,"allowFrom":["1","2"]}');
  Object.assign(home.cfg, { channels: { telegram: { botToken: "x" } }, commands: undefined, session: undefined, bindings: undefined });
  expect(await shown(home)).toBeUndefined();
  // Nobody reaches it any more, but somebody has.
  Object.assign(home.cfg, allow("1"), owner);
  expect(await shown(home)).toBeDefined();
  expect(await shown(home, "1", [said("2026.4.12", "2", "Hello"), reply])).toBeUndefined();
  // A stranger's turn, who only the message names there.
  expect(await shown(home, "2")).toBeUndefined();
  expect(await shown(home, "1", [], { sessionKey: "agent:main:telegram:direct:1" })).toBeDefined();
});

test("active memory and standing intents follow the same rule", async () => {
  for (const [version, isShown] of /** @type {const} */ ([
    ["2026.4.12", false],
    ["2026.9.6", true],
  ])) {
    const settings = { activeMemory: { enabled: true, mode: "native", timeoutMs: 5000 } };
    const home = await hooked(settings, { version, files: FALCON });
    Object.assign(home.cfg, OPEN);
    const ctx = { ...TELEGRAM, senderId: "1", toolAuthority: { allows: () => true } };
    const prompt = version === "2026.4.12" ? wrapped("1", ASKED) : ASKED;
    const active = await home.handlers.before_prompt_build({ prompt, messages: [] }, { ...ctx, runId: "r1" });
    expect(active !== undefined, `active memory ${version}`).toBe(isShown);
    /** @type {Record<string, (event: any, ctx: any) => Promise<any>>} */
    const hooks = {};
    registerIntents(
      {
        ...home.api,
        pluginConfig: {},
        config: { plugins: { entries: { "memory-core-rs": { hooks: { allowConversationAccess: true } } } } },
        on: (/** @type {string} */ name, /** @type {any} */ handler) => (hooks[name] = handler),
      },
      home.host,
    );
    const input = /** @type {const} */ ({
      description: "The cellar key hangs in the hall",
      triggerKeywords: /** @type {string[]} */ (["cellar"]),
      scope: "anywhere",
      anyone: true,
    });
    await native().createIntent(home.agent, input, { sessionKey: MAIN.sessionKey });
    const intent = await hooks.before_prompt_build({ prompt: "I go to the cellar", messages: [] }, { ...ctx, runId: "r2" });
    expect(intent !== undefined, `intents ${version}`).toBe(isShown);
  }
});

test("an agent that bindings give to people is reached by them alone", () => {
  const bound = (/** @type {string[]} */ ...ids) => ({
    ...OPEN,
    agents: { list: [{ id: "main", default: true }, { id: "work" }] },
    bindings: ids.map((id) => ({ agentId: "work", match: { channel: "telegram", peer: { kind: "direct", id } } })),
  });
  expect(channelsOfOthers(bound("2"), "/none", "work")).toEqual([]);
  expect(channelsOfOthers(bound("2", "3"), "/none", "work")).toEqual(["telegram"]);
  expect(channelsOfOthers(bound(), "/none", "work")).toEqual([]);
  expect(channelsOfOthers(bound("2"), "/none", "main")).toEqual(["telegram"]);
});
