// What was put into the prompts of an agent, as the model saw it, and how long it took; for whoever asks what memory did.
//
// In the memory of the process only. The texts stand in notes, and a copy on the disk would be one more to forget.

import { PACKAGE_VERSION } from "../../lib/package-info.js";
import { ownerKey } from "../../lib/request.js";
import { shared } from "../../lib/shared.js";
import { forgetOldest } from "./forget-oldest.js";

/**
 * @typedef {"recall" | "short-term memory" | "active-memory" | "intents"} Part
 * @typedef {{at: number, part: Part, ms: number, sessionKey: string, text: string}} Shown `text` is empty where
 *   nothing was put in. `at` in milliseconds since 1970.
 * @typedef {{at: number, ms: number}} Timed
 * @typedef {{shown: Shown[], searches: Timed[]}} Kept
 */

/** Of each agent, the newest. */
const MOST_SHOWN = 100;
const MOST_SEARCHES = 500;
/** Longest text that is kept of one block, in characters; ours are shorter unless limits were raised. */
const MOST_CHARS = 20_000;
/** Agents, of all homes that share this process. */
const MOST_AGENTS = 200;

/** @typedef {{stateDir: string, agentId: string}} Owner */

/** By agent, the latest asked about last. @type {Map<string, Kept>} */
const agents = shared(`shown-in-prompts@${PACKAGE_VERSION}`, () => new Map());

/** @param {Owner} owner */
function keptOf(owner) {
  const key = ownerKey(owner.stateDir, owner.agentId);
  const kept = agents.get(key) ?? { shown: [], searches: [] };
  agents.delete(key);
  agents.set(key, kept);
  forgetOldest(agents, MOST_AGENTS);
  return kept;
}

/**
 * @param {Owner} owner
 * @param {Omit<Shown, "at">} shown
 */
export function noteShown(owner, { text, ...shown }) {
  const kept = keptOf(owner).shown;
  kept.push({ at: Date.now(), ...shown, text: text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text });
  if (kept.length > MOST_SHOWN) kept.shift();
}

/**
 * @param {Owner} owner
 * @param {number} ms How long a search of an assistant took.
 */
export function noteSearchTime(owner, ms) {
  const kept = keptOf(owner).searches;
  kept.push({ at: Date.now(), ms });
  if (kept.length > MOST_SEARCHES) kept.shift();
}

/**
 * What is kept, oldest first. What was shown before something was forgotten goes for good: it may hold just that.
 * @param {Owner} owner
 * @param {number} forgottenAt When something was forgotten last, in milliseconds since 1970.
 * @returns {Kept}
 */
export function shownSince(owner, forgottenAt) {
  const kept = agents.get(ownerKey(owner.stateDir, owner.agentId));
  if (!kept) return { shown: [], searches: [] };
  kept.shown = kept.shown.filter(({ at }) => at > forgottenAt);
  return kept;
}
