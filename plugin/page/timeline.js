// On which days something was written, said, kept and learned.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { native } from "../../lib/native.js";
import { findConversations } from "../forgetting/conversations.js";
import { nativeOnly } from "../hooks/agent.js";

/**
 * @typedef {import("./methods.js").Place} Place
 * @typedef {{day: string, notes: string[], conversations: number, kept: number, learned: number}} Day
 */

/** A note of a day, by its name. */
const DATED = /^(\d{4}-\d\d-\d\d)\D?.*\.md$/i;

/** The day of an instant, on this machine. @param {number} at */
function dayOf(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return undefined;
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * The days with something, oldest first.
 * @param {Place} place
 * @param {{startedAt: string, state: string, added: number}[]} runs Of consolidation.
 * @returns {Promise<{days: Day[]}>}
 */
export async function timelineOf({ host, cfg, agentId }, runs) {
  /** @type {Map<string, Day>} */
  const days = new Map();
  const on = (/** @type {string} */ day) => {
    const known = days.get(day) ?? { day, notes: [], conversations: 0, kept: 0, learned: 0 };
    days.set(day, known);
    return known;
  };
  const at = (/** @type {number} */ instant) => {
    const day = dayOf(instant);
    return day === undefined ? undefined : on(day);
  };
  for (const note of await datedNotes(host.workspaceDir(cfg, agentId))) on(note.day).notes.push(note.path);
  const { found } = await findConversations(host, cfg, agentId, { sessions: [], people: [], hookSources: [], sinceMs: 0 });
  for (const { fromMs } of found) {
    const day = fromMs === undefined ? undefined : at(fromMs);
    if (day) day.conversations += 1;
  }
  const { captures } = await native().listCaptures(nativeOnly(host, cfg, agentId), 0xffff_ffff);
  for (const { ts, status } of captures) {
    const day = status === "stored" ? at(Date.parse(ts)) : undefined;
    if (day) day.kept += 1;
  }
  for (const { startedAt, state, added } of runs) {
    const day = state === "applied" ? at(Date.parse(startedAt)) : undefined;
    if (day) day.learned += added;
  }
  return { days: [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)) };
}

/**
 * The notes of days, in `memory/` and below.
 * @param {string | undefined} workspace
 */
async function datedNotes(workspace) {
  if (workspace === undefined) return [];
  const entries = await readdir(path.join(workspace, "memory"), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => {
    const day = entry.isFile() ? DATED.exec(entry.name)?.[1] : undefined;
    if (day === undefined || Number.isNaN(Date.parse(day))) return [];
    const file = path.relative(workspace, path.join(entry.parentPath, entry.name));
    return [{ day, path: file.split(path.sep).join("/") }];
  });
}
