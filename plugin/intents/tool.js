// The tool `intent`, as memory-core has it: arms, lists and takes back what a message shall bring up.

import { userTimeZone } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { instantAt, knownTimeZone } from "../../lib/time.js";
import { automaticAgent } from "../hooks/agent.js";
import { isPrivate } from "../hooks/session.js";
import { toolContext } from "../tools/context.js";
import { optionalChoice, optionalNumber, paramRecord, requiredText } from "../tools/params.js";
import { jsonResult } from "../tools/result.js";
import { speakerOfCall } from "./speaker.js";

/** @typedef {import("../../index.d.ts").StandingIntent} StandingIntent */

const ACTIONS = /** @type {const} */ (["create", "list", "cancel"]);
const SCOPES = /** @type {const} */ (["conversation", "channel", "anywhere"]);
const SENDERS = /** @type {const} */ (["sender", "anyone"]);
const STATUSES = /** @type {const} */ (["pending", "armed", "fired", "done", "cancelled", "expired"]);

const DAY_MS = 24 * 60 * 60 * 1000;
/** Largest number that the engine counts to. */
const MOST = 0xffff_ffff;

const BY_ITSELF =
  "The system injects the reminder automatically when it triggers. Do not deliver it early or cancel it unless the user asks.";

const ONLY_HERE =
  "Others read this conversation: only what counts in it is listed. All of them are listed where the user is alone with you.";

/** @param {string} description */
const keywords = (description) => ({ type: "array", items: { type: "string", maxLength: 120 }, maxItems: 24, description });

export const parameters = {
  type: "object",
  properties: {
    action: { type: "string", enum: ACTIONS },
    id: { type: "string" },
    description: { type: "string", maxLength: 500, description: "What to be reminded of when it triggers" },
    triggerKeywords: keywords('Any of them triggers it: all words of one, inflected or not; "…" exactly'),
    unless: keywords("None of them may be in the message"),
    scope: { type: "string", enum: SCOPES, default: "channel" },
    senderScope: { type: "string", enum: SENDERS, default: "sender" },
    expiresAt: { type: "string", description: "ISO 8601, in the user's time zone; a day alone counts to its end. Default: in 90 days" },
    maxFires: { type: "integer", minimum: 1, description: "Default 3" },
    cooldownSeconds: { type: "integer", minimum: 0, description: "Default 86400" },
    status: { type: "string", enum: STATUSES },
  },
  required: ["action"],
  additionalProperties: false,
};

export function describe() {
  return (
    `Create, list, or cancel standing intents: "whenever I mention X, remind me of Y". A created intent is armed. ${BY_ITSELF} ` +
    `Scope "channel" (the default) is for any "whenever I mention X"; "conversation" only for the current thread; "anywhere" for everywhere. ` +
    "Use scheduled tasks for reminders by time."
  );
}

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {unknown} rawParams
 */
export async function execute(host, ctx, rawParams) {
  const params = paramRecord(rawParams);
  const action = optionalChoice(params, "action", ACTIONS);
  const context = toolContext(ctx);
  if (!context) throw new Error("memory is switched off for this agent");
  const agent = automaticAgent(host, context.cfg, context.agentId).native;
  ctx.assertInvocationCurrent?.();
  if (action === "create") {
    const scope = optionalChoice(params, "scope", SCOPES) ?? "channel";
    const input = {
      description: requiredText(params, "description"),
      triggerKeywords: texts(params, "triggerKeywords"),
      unless: params.unless === undefined ? undefined : texts(params, "unless"),
      scope,
      anyone: optionalChoice(params, "senderScope", SENDERS) === "anyone",
      expiresAt: instant(params.expiresAt, knownTimeZone(userTimeZone(context.cfg, context.agentId))),
      maxFires: whole(params, "maxFires", 1),
      cooldownSeconds: whole(params, "cooldownSeconds", 0),
      sourceSessionId: typeof ctx.sessionId === "string" ? ctx.sessionId : undefined,
    };
    const intent = shown(await native().createIntent(agent, input, speakerOfCall(ctx)));
    return jsonResult({ intent, message: `Intent is armed ${PLACES[intent.scope]}. ${BY_ITSELF}` });
  }
  if (action === "list") {
    // Who is in a room reads what is listed there.
    const here = isPrivate(context.cfg, ctx) ? undefined : speakerOfCall(ctx);
    const intents = await native().listIntents(agent, optionalChoice(params, "status", STATUSES), here);
    const newest = intents.slice(-MOST_LISTED);
    const left = intents.length - newest.length;
    const message = [
      ...(here ? [ONLY_HERE] : []),
      ...(left > 0 ? [`${left} older ones are not listed; the user sees them with openclaw memory intents list.`] : []),
    ];
    return jsonResult({ intents: newest.map(shown), ...(message.length > 0 ? { message: message.join(" ") } : {}) });
  }
  if (action === "cancel") {
    const id = requiredText(params, "id");
    const intent = await native().cancelIntent(agent, id);
    if (!intent) return jsonResult({ cancelled: false, intent: null, reason: await notCancelled(agent, id) });
    return jsonResult({ cancelled: true, intent: shown(intent) });
  }
  throw new Error("action must be create, list, or cancel");
}

/**
 * Why an intent could not be taken back.
 * @param {import("../../index.d.ts").AutomaticAgent} agent
 * @param {string} id
 */
async function notCancelled(agent, id) {
  const known = (await native().listIntents(agent)).find((intent) => intent.id === id);
  return known ? `It is over already: ${known.status}.` : "There is no intent with this id. List them for theirs.";
}

/** Intents in one answer to the model: a host cuts longer ones off in the middle. */
const MOST_LISTED = 30;

/** Where an armed intent counts, in words. @type {Record<string, string>} */
const PLACES = { channel: "for this channel", conversation: "for this conversation", anywhere: "everywhere" };

/**
 * An intent in memory-core's shape: the scopes as a kind and an identity.
 * @param {StandingIntent} intent
 */
export function shown({ channelScope, senderScope, ...intent }) {
  const place = parts(channelScope);
  /** @type {"channel" | "conversation" | "anywhere"} */
  const kind = place[1] === "channel" ? "channel" : place.length > 0 ? "conversation" : "anywhere";
  return {
    ...intent,
    triggerEmbedding: null,
    scope: kind,
    channelScope: place.at(-1) ?? null,
    senderScope: parts(senderScope).at(-1) ?? null,
  };
}

/**
 * The parts of a scope; of one that nobody of us has written, the text as it stands.
 * @param {string | null | undefined} scope
 * @returns {string[]}
 */
function parts(scope) {
  if (!scope) return [];
  try {
    const read = JSON.parse(scope);
    if (Array.isArray(read)) return read.map(String);
  } catch {}
  return [scope];
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
function texts(params, name) {
  const value = params[name];
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return /** @type {string[]} */ (value);
  throw new Error(`${name} must be a non-empty string array`);
}

/** A day, or a time with or without its zone. */
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * When an intent ends: in the user's zone where the text names none, and at the end of a day that is named alone.
 * @param {unknown} value
 * @param {string} timeZone
 */
function instant(value, timeZone) {
  if (value === undefined) return undefined;
  const [, day, time, zone] = (typeof value === "string" && ISO.exec(value.trim())) || [];
  const wall = Date.parse(`${day}T${time ?? "00:00"}Z`);
  // 31 June is no day of July.
  const isDay = Number.isFinite(wall) && new Date(wall).toISOString().slice(0, 10) === day;
  // What models write for never: a day later there are no dates any more.
  if (isDay && day === "9999-12-31") return wall - (wall % DAY_MS) + DAY_MS - 1;
  const named = zone ? Date.parse(`${day}T${time}${zone.toUpperCase()}`) : instantAt(wall, timeZone);
  const at = time ? named : instantAt(wall + DAY_MS, timeZone) - 1;
  if (isDay && Number.isFinite(at)) return at;
  throw new Error('expiresAt must be an ISO 8601 timestamp, such as "2026-12-01" or "2026-12-01T08:00"');
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 * @param {number} least
 */
function whole(params, name, least) {
  const value = optionalNumber(params, name);
  if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= MOST)) return value;
  throw new Error(`${name} must be ${least === 0 ? "a non-negative" : "a positive"} integer of at most ${MOST}`);
}
