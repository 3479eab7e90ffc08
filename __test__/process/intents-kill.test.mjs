// Two processes whose turns bring up the same standing intents, and that are killed in the middle of it: each intent is shown
// by one turn at a time, and counts as often as a turn that showed it had its reply.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { native } from "../../lib/native.js";

const CHILD = fileURLToPath(new URL("./intents-child.mjs", import.meta.url));
/** Few enough for two processes to meet at them, and more than can be lost to killed turns. */
const INTENTS = 12;
const MAX_FIRES = 40;
/** Processes that are killed. */
const KILLS = 8;

test("an intent is shown by one turn at a time and counts once, whoever is killed", { timeout: 120_000 }, async () => {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-intents-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir: dir };
  for (let n = 0; n < INTENTS; n++) {
    const input = {
      description: `Ask about ${n}`,
      triggerKeywords: [`word${n}`],
      scope: "anywhere",
      maxFires: MAX_FIRES,
      cooldownSeconds: 0,
    };
    await native().createIntent(agent, /** @type {any} */ (input), { sessionKey: "agent:main:main" });
  }
  let started = 0;
  const start = async () => {
    const name = `p${started++}`;
    const child = fork(CHILD, [dir, path.join(dir, `${name}.log`), name, String(INTENTS)], { stdio: "ignore" });
    await once(child, "message");
    return child;
  };
  const children = await Promise.all([start(), start()]);
  for (let kills = 0; kills < KILLS; kills++) {
    await pause(100 + Math.random() * 300);
    const [killed] = children.splice(kills % children.length, 1);
    // On a busy machine chance alone met no turn in the middle: every other kill waits for one.
    if (kills % 2) await once(killed, "message");
    killed.kill("SIGKILL");
    await once(killed, "exit");
    if (kills < KILLS - 2) children.push(await start());
  }
  expect(children).toEqual([]);

  const logs = (await readdir(dir)).filter((name) => name.endsWith(".log"));
  const texts = await Promise.all(logs.map((name) => readFile(path.join(dir, name), "utf8")));
  const said = texts.flatMap((text) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  const of = (/** @type {string} */ what) => said.filter((one) => one.what === what);
  const endOf = new Map(of("ending").map((one) => [one.turn, one]));
  const turns = of("shown").map(({ turn, intent, at }) => ({ turn, intent, from: BigInt(at), until: endOf.get(turn)?.at }));
  turns.sort((a, b) => (a.from < b.from ? -1 : 1));
  const intents = await native().listIntents(agent);
  let [met, unended] = [0, 0];
  for (const intent of intents) {
    const [word] = intent.triggerKeywords;
    const mine = turns.filter((turn) => turn.intent === word);
    for (const [at, turn] of mine.entries()) {
      const next = mine[at + 1];
      if (!turn.until) unended++;
      // A turn whose process was killed keeps what it has shown: nobody can know whether it had its reply.
      if (next) expect(turn.until && BigInt(turn.until) <= next.from, `${turn.turn} and ${next.turn}`).toBe(true);
      if (next && next.turn.split("-")[0] !== turn.turn.split("-")[0]) met++;
    }
    const counted = (/** @type {any[]} */ ends) => ends.filter((one) => one.intent === word && one.succeeded).length;
    // Killed while it ended: it has counted or not.
    expect(intent.fireCount).toBeGreaterThanOrEqual(counted(of("ended")));
    expect(intent.fireCount).toBeLessThanOrEqual(Math.min(MAX_FIRES, counted(of("ending"))));
    if (intent.fireCount === MAX_FIRES) expect(intent.status).toBe("done");
  }
  expect(met).toBeGreaterThan(10);
  expect(unended).toBeGreaterThan(0);
});
