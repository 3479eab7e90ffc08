// Turns of one process that share standing intents with another: each line of its log is written before the next step.

import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { native } from "../../lib/native.js";

const [stateDir, log, name, count] = process.argv.slice(2);
const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
const speaker = { sessionKey: "agent:main:main" };
/** @param {string} what @param {string} turn @param {string} intent @param {boolean} [succeeded] */
const said = (what, turn, intent, succeeded) =>
  appendFileSync(log, `${JSON.stringify({ what, turn, intent, succeeded, at: String(process.hrtime.bigint()) })}\n`);

process.send?.("begins");
for (let n = 0; ; n++) {
  const turn = `${name}-${n}`;
  const intent = `word${Math.floor(Math.random() * Number(count))}`;
  if (!(await native().reserveIntents(agent, turn, `What about ${intent} today?`, speaker))) continue;
  said("shown", turn, intent);
  process.send?.("shown");
  // Most of a turn's time, so that most kills meet a turn that was shown something and has not ended.
  await pause(5 + Math.random() * 15);
  const succeeded = Math.random() < 0.7;
  said("ending", turn, intent, succeeded);
  await native().settleIntents(agent, turn, succeeded);
  said("ended", turn, intent, succeeded);
}
