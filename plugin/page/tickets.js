// What a page in the host's frame asks with. Browsers send the host's cookie when they open such a frame, but not with what
// the frame asks: it has no origin. So whoever may open the tab is given a ticket in it, which lets look and nothing else.

import { randomBytes } from "node:crypto";

/** How long a ticket is good for, and how long when it is not used, in milliseconds. */
const LIFE_MS = 60 * 60_000;
const IDLE_MS = 15 * 60_000;
/** Tickets at a time; the one that was not used for longest goes first. */
const MOST = 64;

/** When each was given out, and used. The random text cannot be guessed piece by piece: it is looked up as a whole. */
const tickets = /** @type {Map<string, {given: number, used: number}>} */ (new Map());

/** @param {number} [now] Milliseconds of a clock that runs evenly. */
export function giveTicket(now = performance.now()) {
  const ticket = randomBytes(24).toString("base64url");
  tickets.set(ticket, { given: now, used: now });
  if (tickets.size > MOST) tickets.delete(tickets.keys().next().value ?? "");
  return ticket;
}

/**
 * Whether a ticket is good; it is used with that.
 * @param {unknown} ticket
 * @param {number} [now]
 */
export function takeTicket(ticket, now = performance.now()) {
  const known = typeof ticket === "string" ? tickets.get(ticket) : undefined;
  if (typeof ticket !== "string" || !known) return false;
  tickets.delete(ticket);
  if (now - known.given > LIFE_MS || now - known.used > IDLE_MS) return false;
  tickets.set(ticket, { given: known.given, used: now });
  return true;
}
