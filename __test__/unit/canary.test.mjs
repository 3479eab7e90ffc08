// No secret of a conversation is kept: tokens of many shapes are said in conversations, stored by tools and imported; none may
// reach a file, a database, a log line, an embedding request or a prompt.

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { native } from "../../lib/native.js";
import { runFactImport } from "../../plugin/cli/ltm.js";
import { automaticAgent } from "../../plugin/hooks/agent.js";
import { hooked, MAIN, turn } from "./hooked.mjs";

/** Characters that no two tokens share in order, so that a trace of one is found. @param {number} length @param {string} [alphabet] */
function random(length, alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789") {
  seed = (seed * 48271) % 2147483647;
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return alphabet[state % alphabet.length];
  }).join("");
}
let seed = 20261121;
const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** What is said, and the part of it that nobody may see again. */
const CANARIES = [
  ["", `sk-proj-${random(40)}A1`],
  ["", `sk-ant-api03-${random(40)}`],
  ["", `sk-or-v1-${random(40)}`],
  ["", `sk_live_${random(24)}`],
  ["", `whsec_${random(32)}`],
  ["", `AKIA${random(16, UPPER)}`],
  ["", `ghp_${random(36)}`],
  ["", `github_pat_${random(60)}`],
  ["", `glpat-${random(20)}`],
  ["", `xoxb-${random(12, "0123456789")}-${random(24)}`],
  ["", `xapp-1-${random(24)}`],
  ["", `https://hooks.slack.com/services/T${random(8, UPPER)}/B${random(8, UPPER)}/${random(24)}`],
  ["", `https://discord.com/api/webhooks/${random(18, "123456789")}/${random(60)}`],
  ["", `${random(9, "123456789")}:AA${random(33)}`],
  ["", `AIza${random(35)}`],
  ["", `ya29.${random(40)}`],
  ["", `SG.${random(22)}.${random(43)}`],
  ["", `SK${random(32, HEX)}`],
  ["", `npm_${random(36)}`],
  ["", `pypi-${random(60)}`],
  ["", `hf_${random(34)}`],
  ["", `gsk_${random(48)}`],
  ["", `xai-${random(60)}`],
  ["", `pplx-${random(48)}`],
  ["", `pa-${random(43)}7`],
  ["", `dop_v1_${random(64, HEX)}`],
  ["", `shpat_${random(32, HEX)}`],
  ["", `AGE-SECRET-KEY-1${random(58, UPPER)}`],
  ["", `eyJ${random(20)}.eyJ${random(30)}.${random(30)}`],
  ["postgres://ana:", `${random(18)}`, "@db.example.org/main"],
  ["Authorization: Bearer ", `${random(32)}9`],
  ["https://example.org/?access_token=", `${random(28)}`],
  ["the password is ", `${random(14)}!7`],
  ["API_KEY=", `${random(32)}`],
].map(([before, token, after = ""]) => ({ said: `${before}${token}${after}`, token }));

/** Every file below a folder. @param {string} dir @returns {Promise<string[]>} */
async function filesBelow(dir) {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

test("no token that is said is kept, sent or shown", async () => {
  const settings = {
    autoCapture: true,
    autoRecall: true,
    captureOnCompaction: true,
    shortTerm: { enabled: true },
    sessionNotes: { enabled: true },
    storedFacts: { enabled: true },
  };
  const { handlers, host, cfg, dir, stateDir, workspace, warnings, drained, manager: plain } = await hooked(settings);
  await plain.suspend();
  /** @type {string[]} */
  const seen = [];
  const embed = async (/** @type {string[]} */ texts) => {
    seen.push(...texts);
    return texts.map((text) => [text.length, 1, 2]);
  };
  const withProvider = { ...cfg, memory: { search: { provider: "callback" } } };
  const request = { ...host.managerRequest({ cfg: withProvider, agentId: "main" }), embed };
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));
  const exported = path.join(dir, "export.json");
  for (const { said } of CANARIES) {
    const message = `Remember that ${said} opens the gate, I prefer it to the old one`;
    await handlers.agent_end(turn(message), MAIN);
    seen.push(JSON.stringify((await handlers.before_prompt_build({ prompt: "what opens the gate?" }, MAIN)) ?? null));
    seen.push(JSON.stringify(await manager.run((engine) => engine.storeFact({ text: `The gate opens with ${said}` }))));
  }
  const everything = CANARIES.map(({ said }) => `Remember that ${said} is for the boat`);
  await handlers.before_compaction(turn(...everything), MAIN);
  await handlers.before_reset({ ...turn(...everything), reason: "new" }, MAIN);
  await drained();
  await writeFile(exported, JSON.stringify(CANARIES.map(({ said }, n) => ({ text: `Locker ${n} opens with ${said}` }))));
  await runFactImport(host, exported, {});
  await manager.sync();
  const agent = automaticAgent(host, cfg, "main").native;
  seen.push(
    JSON.stringify(await native().listCaptures(agent, 1000)),
    JSON.stringify(manager.status()),
    JSON.stringify(await manager.inspect()),
    ...warnings,
  );
  seen.push(JSON.stringify(await manager.search("gate boat locker", { maxResults: 50, minScore: 0 })));
  await manager.suspend();
  for (const file of [...(await filesBelow(stateDir)), ...(await filesBelow(workspace))])
    seen.push((await readFile(file)).toString("latin1"));
  const all = seen.join("\n");
  expect(all).toContain("[redacted:");
  expect(all.length).toBeGreaterThan(50_000);
  const leaked = CANARIES.filter(({ token }) => all.includes(token) || all.includes(token.slice(-12)));
  expect(leaked).toEqual([]);
});
