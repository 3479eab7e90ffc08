// `openclaw memory intents list|show|cancel|test|history|export|import`

import { codedError } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { automaticAgent } from "../hooks/agent.js";
import { importIntents } from "../intents/import.js";
import { shown } from "../intents/tool.js";
import { forOneAgent } from "./agents.js";
import { dayText, oneLine, paint, print, printJson, timeText } from "./output.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {{agent?: string, status?: string, all?: boolean, json?: boolean}} Options
 * @typedef {import("../../index.d.ts").AutomaticAgent} NativeAgent
 */

const DOING = { name: "memory intents", doing: "Standing intents" };

/** Numbers of lines that are told. */
const SHOWN_LINES = 10;

/** What may come up yet. */
const LIVE = new Set(["pending", "armed", "fired"]);

/** @type {Record<string, "green" | "yellow" | "gray">} */
const COLOURS = { armed: "green", fired: "yellow" };

/**
 * @param {Host} host
 * @param {Options} options
 * @param {(agent: NativeAgent) => Promise<void>} work
 */
const forAgent = (host, options, work) =>
  forOneAgent(host, options, DOING, async ({ cfg, agentId }) => await work(automaticAgent(host, cfg, agentId).native));

/** @param {Host} host @param {Options} options */
export async function runIntentsList(host, options) {
  await forAgent(host, options, async (agent) => {
    const intents = await native().listIntents(agent, options.status);
    const unreadable = await native().unreadableIntents(agent);
    if (options.json) return printJson({ agentId: agent.agentId, intents: intents.map(shown), unreadable: unreadable ?? undefined });
    if (unreadable) print(paint("yellow", `${unreadableText(unreadable)}; they are passed over, and stay as they are.`));
    if (intents.length === 0)
      print('No standing intents. Tell the agent, for example: "Whenever I mention the boat, ask about the anchor."');
    const listed = options.all || options.status ? intents : intents.filter(({ status }) => LIVE.has(status));
    for (const intent of listed) {
      const fires = `${intent.fireCount} of ${intent.maxFires} times`;
      const status = paint(COLOURS[intent.status] ?? "gray", intent.status);
      print(`${intent.id.slice(0, 8)} ${status} ${fires}, until ${dayText(intent.expiresAt)}: ${oneLine(intent.description)}`);
      print(paint("gray", `  ${intent.triggerKeywords.join(", ")}${intent.unless?.length ? `; not: ${intent.unless.join(", ")}` : ""}`));
    }
    const over = intents.length - listed.length;
    if (over > 0) print(paint("gray", `${over} more ${over === 1 ? "is" : "are"} over (done, expired or cancelled): --all lists them.`));
  });
}

/** @param {import("../../index.d.ts").UnreadableIntents} unreadable */
function unreadableText({ path, lines }) {
  const more = lines.length > SHOWN_LINES ? ", …" : "";
  const what = lines.length === 1 ? "1 line that is no intent" : `${lines.length} lines that are no intents`;
  return `${path} has ${what}: ${lines.slice(0, SHOWN_LINES).join(", ")}${more}`;
}

/**
 * What doctor says where the file of an agent has other lines than intents.
 * @param {NativeAgent} agent
 */
export async function intentChecks(agent) {
  const unreadable = await native().unreadableIntents(agent);
  if (!unreadable) return [];
  const remedy = "Repair or remove these lines by hand; until then they bring nothing up";
  return [{ name: "intents", ok: false, found: unreadableText(unreadable), remedy }];
}

/** @param {Host} host @param {string} id @param {Options} options */
export async function runIntentsShow(host, id, options) {
  await forAgent(host, options, async (agent) => {
    const intent = shown(await found(agent, id));
    if (options.json) return printJson(intent);
    print(oneLine(intent.description));
    print(`  id: ${intent.id}`);
    print(`  status: ${intent.status}, came up ${intent.fireCount} of ${intent.maxFires} times, rests ${intent.cooldownSeconds} s`);
    print(`  brought up by: ${intent.triggerKeywords.join(", ")}`);
    if (intent.unless?.length) print(`  not with: ${intent.unless.join(", ")}`);
    print(`  where: ${intent.scope}${intent.channelScope ? ` (${intent.channelScope})` : ""}; for: ${intent.senderScope ?? "anyone"}`);
    for (const { what, at } of intent.history ?? []) print(paint("gray", `  ${timeText(at)} ${what}`));
  });
}

/** @param {Host} host @param {string} id @param {Options} options */
export async function runIntentsCancel(host, id, options) {
  await forAgent(host, options, async (agent) => {
    const intent = await native().cancelIntent(agent, (await found(agent, id)).id);
    if (options.json) return printJson({ cancelled: intent !== null, intent: intent && shown(intent) });
    print(intent ? `Cancelled: ${oneLine(intent.description)}` : "It was over already.");
  });
}

/** @param {Host} host @param {string | undefined} message @param {Options} options */
export async function runIntentsTest(host, message, options) {
  await forAgent(host, options, async (agent) => {
    const words = message?.trim();
    if (!words) throw codedError("MEM_ARGUMENT", "there is no message", { remedy: 'Give one: openclaw memory intents test "…"' });
    const tested = await native().testIntents(agent, words);
    if (options.json) {
      return printJson({ agentId: agent.agentId, matches: tested.map(({ intent, ...found }) => ({ ...found, intent: shown(intent) })) });
    }
    if (tested.length === 0) print("The message mentions nothing that an intent waits for.");
    for (const { intent, keyword, unless, ready } of tested) {
      const outcome = ready
        ? paint("green", "would come up")
        : paint("gray", unless ? `kept down by "${unless}"` : `not now (${intent.status})`);
      const mentioned = keyword.startsWith('"') ? keyword : `"${keyword}"`;
      print(`${intent.id.slice(0, 8)} ${mentioned}: ${outcome}: ${oneLine(intent.description)}`);
    }
    if (tested.length > 0) print(paint("gray", "Where an intent counts, and for whom, is not looked at here."));
  });
}

/** @param {Host} host @param {Options} options */
export async function runIntentsHistory(host, options) {
  await forAgent(host, options, async (agent) => {
    const intents = await native().listIntents(agent);
    const events = intents
      .flatMap(({ id, description, history }) => (history ?? []).map(({ what, at }) => ({ at, what, id, description })))
      .toSorted((a, b) => a.at - b.at);
    if (options.json) return printJson({ agentId: agent.agentId, events });
    if (events.length === 0) print("Nothing has happened to a standing intent.");
    for (const { at, what, id, description } of events) print(`${timeText(at)} ${what} ${id.slice(0, 8)}: ${oneLine(description)}`);
  });
}

/** @param {Host} host @param {Options} options */
export async function runIntentsExport(host, options) {
  await forAgent(host, options, async (agent) => printJson((await native().listIntents(agent)).map(shown)));
}

/** @param {Host} host @param {Options} options */
export async function runIntentsImport(host, options) {
  const count = await importIntents(host, host.config());
  if (options.json) return printJson({ imported: count });
  print(`${count} taken over from memory-core.`);
}

/**
 * The intent of an id, or of its beginning.
 * @param {NativeAgent} agent
 * @param {string} id
 */
async function found(agent, id) {
  if (!id.trim()) throw codedError("MEM_ARGUMENT", "there is no id", { remedy: "See: openclaw memory intents list" });
  const intents = await native().listIntents(agent);
  // An id may begin others.
  const exact = intents.find((intent) => intent.id === id);
  if (exact) return exact;
  const matching = intents.filter((intent) => intent.id.startsWith(id));
  if (matching.length === 1) return matching[0];
  if (matching.length > 1) throw codedError("MEM_ARGUMENT", `${id} begins several ids`, { remedy: "Give more of it" });
  throw codedError("MEM_NOT_FOUND", `there is no standing intent ${id}`, { remedy: "See: openclaw memory intents list" });
}
