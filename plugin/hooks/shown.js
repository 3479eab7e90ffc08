// What was put into the prompts of an agent, and how long it took; for whoever asks what memory did.
//
// The blocks go to a log on the disk, bounded and gone with what is forgotten. How long things took is kept in the memory of
// the process only.

import { native } from "../../lib/native.js";
import { PACKAGE_VERSION } from "../../lib/package-info.js";
import { ownerKey } from "../../lib/request.js";
import { shared } from "../../lib/shared.js";
import { isExcluded } from "../forgetting/policy.js";
import { handOver } from "./at-exit.js";
import { forgetOldest } from "./forget-oldest.js";
import { isConversation, isPrivate } from "./session.js";

/**
 * @typedef {import("../../lib/engine.d.ts").ShownPrompt["part"]} Part
 * @typedef {{at: number, ms: number}} Timed `at` in milliseconds since 1970.
 * @typedef {{recalls: Timed[], searches: Timed[]}} Kept
 */

/** Of each agent, the newest. */
const [MOST_RECALLS, MOST_SEARCHES] = [100, 500];
/** Agents, of all homes that share this process. */
const MOST_AGENTS = 200;

/** @typedef {{stateDir: string, agentId: string}} Owner */

/** By agent, the latest asked about last. @type {Map<string, Kept>} */
const agents = shared(`times-of-memory@${PACKAGE_VERSION}`, () => new Map());

/** @param {Owner} owner */
function keptOf(owner) {
  const key = ownerKey(owner.stateDir, owner.agentId);
  const kept = agents.get(key) ?? { recalls: [], searches: [] };
  agents.delete(key);
  agents.set(key, kept);
  forgetOldest(agents, MOST_AGENTS);
  return kept;
}

/**
 * @param {Timed[]} times
 * @param {number} ms
 * @param {number} most
 */
function noteTime(times, ms, most) {
  times.push({ at: Date.now(), ms });
  if (times.length > most) times.shift();
}

/**
 * Notes what a turn was shown. It is handed over, and nobody waits for the disk. Of conversations that others take part in,
 * of incognito ones and of those that nothing is taken from nothing is kept.
 * @param {import("../host.js").Host} host
 * @param {import("./agent.js").Agent} agent
 * @param {Record<string, any>} ctx Of the hook.
 * @param {{part: Part, ms: number, text: string}} shown `text` is empty where nothing was put in.
 */
export function noteShown(host, agent, ctx, { part, ms, text }) {
  if (part === "recall" || part === "active-memory") noteTime(keptOf(agent.native).recalls, ms, MOST_RECALLS);
  const isPersons = isConversation(ctx) && isPrivate(agent.cfg, ctx) && !isExcluded(host, agent.cfg, agent.agentId, ctx);
  if (text === "" || !isPersons) return;
  const keep = () => native().keepPrompt(agent.native, part, ms, String(ctx.sessionKey), text);
  handOver(host, "what was put into a prompt was not kept", keep);
}

/**
 * @param {Owner} owner
 * @param {number} ms How long a search of an assistant took.
 */
export const noteSearchTime = (owner, ms) => noteTime(keptOf(owner).searches, ms, MOST_SEARCHES);

/**
 * How long things took since the process has started, oldest first.
 * @param {Owner} owner
 * @returns {Kept}
 */
export const timesOf = ({ stateDir, agentId }) => agents.get(ownerKey(stateDir, agentId)) ?? { recalls: [], searches: [] };
