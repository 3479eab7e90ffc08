// Days before consolidation was on, told to it afterwards: what the owner said in private conversations, as the host has
// kept them. Machines, groups, other people, what was deleted, and what the policy leaves out are not told.

import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { isRecord } from "../../lib/config.js";
import { conversationsOnDisk, transcriptsOf } from "../forgetting/conversations.js";
import { reasonOf } from "../forgetting/policy.js";
import { textOf } from "../message-text.js";
import { hostSessions } from "../sessions/source.js";
import { isOwners } from "./evidence.js";
import { consolidate } from "./run.js";

/**
 * @typedef {import("./run.js").Place} Place
 * @typedef {{from?: string, to?: string, limitDays?: number, path?: string, source?: "notes" | "sessions" | "all", apply?: boolean}} Wanted
 * @typedef {{day: string, candidateCount: number, topCandidates: string[]}} Day
 * @typedef {{batch: string | null, days: Day[], candidateCount: number, staged: number, hasMore: boolean}} Replayed
 * @typedef {{atMs: number, session: string, sessionKey: string, texts: string[]}} Said
 */

/** Longest day that a message may lie outside of a range because of its time zone, in milliseconds. */
const ZONE_MS = 86_400_000;

/**
 * One replay: what the oldest days that are not known yet speak for, kept where that is asked for.
 * @param {Place} place
 * @param {Wanted} wanted
 * @returns {Promise<Replayed>}
 */
export async function replay(place, { source = "all", ...wanted }) {
  const said = source === "notes" ? [] : await saidBefore(place, wanted);
  return await consolidate(place, { op: "replay", ...wanted, notes: source !== "sessions", said });
}

/**
 * As many replays as it takes.
 * @param {Place} place
 * @param {Wanted} wanted
 * @returns {Promise<Replayed[]>}
 */
export async function replayAll(place, { source = "all", ...wanted }) {
  const said = source === "notes" ? [] : await saidBefore(place, wanted);
  /** @type {Replayed[]} */
  const batches = [];
  do {
    batches.push(await consolidate(place, { op: "replay", ...wanted, notes: source !== "sessions", said }));
  } while (batches.at(-1)?.hasMore);
  return batches;
}

/**
 * What the owner said, oldest conversation first.
 * @param {Place} place
 * @param {{from?: string, to?: string}} range
 */
async function saidBefore({ host, cfg, agentId }, { from, to }) {
  const [first, last] = [from ? Date.parse(from) - ZONE_MS : Number.NEGATIVE_INFINITY, to ? Date.parse(to) + 2 * ZONE_MS : Infinity];
  const conversations = host.has("conversationDatabase") ? ofHost(cfg, agentId) : onDisk(host, agentId);
  /** @type {Said[]} */
  const said = [];
  for await (const { sessionKey, sessionId, facts, messages } of conversations) {
    // Of one that was followed by another under its key, the host's own list tells what the policy asks for.
    if (!isOwners(host, cfg, agentId, { sessionKey }) || reasonOf(cfg, agentId, { ...facts, key: sessionKey }) !== null) continue;
    for await (const { atMs, text } of messages)
      if (atMs >= first && atMs <= last) said.push({ atMs, session: sessionId, sessionKey, texts: [text] });
  }
  return said.toSorted((a, b) => a.atMs - b.atMs);
}

/**
 * The conversations that a host keeps in its database.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 */
async function* ofHost(cfg, agentId) {
  const ask = hostSessions(agentId, () => cfg);
  const { sessions } = /** @type {any} */ (await ask({ kind: "list" }));
  for (const { sessionKey, sessionId, machine, kind, updatedAtMs: _, ...facts } of sessions) {
    if (!sessionKey || machine || (kind !== undefined && kind !== "interactive")) continue;
    yield { sessionKey, sessionId, facts, messages: pages(ask, sessionKey, sessionId) };
  }
}

/**
 * @param {import("../../index.d.ts").SessionSource} ask
 * @param {string} sessionKey
 * @param {string} sessionId
 */
async function* pages(ask, sessionKey, sessionId) {
  for (let cursor; ; ) {
    const page = /** @type {any} */ (await ask({ kind: "read", sessionKey, sessionId, ...(cursor ? { cursor } : {}) }));
    // A conversation that is gone or being written says nothing now; the next replay finds it.
    if (page.kind !== "page") return;
    for (const { role, text, provenance, ofOthers, atMs } of page.messages)
      if (role === "user" && !ofOthers && !provenance && atMs !== undefined) yield { atMs, text };
    if (!page.more) return;
    cursor = page.cursor;
  }
}

/**
 * The conversations of older hosts, in files; of one without a key nobody knows who spoke in it.
 * @param {import("../host.js").Host} host
 * @param {string} agentId
 */
async function* onDisk(host, agentId) {
  const { folder, known } = await conversationsOnDisk(host, agentId);
  const names = await readdir(folder).catch(() => []);
  for (const { sessionKey, sessionId, facts } of known) {
    if (!sessionKey) continue;
    const files = transcriptsOf(names, sessionId).filter((name) => !name.includes(".deleted."));
    yield { sessionKey, sessionId, facts, messages: lines(files.map((name) => path.join(folder, name))) };
  }
}

/** @param {string[]} files */
async function* lines(files) {
  for (const file of files)
    for await (const line of createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Number.POSITIVE_INFINITY })) {
      const found = messageOf(line);
      if (found) yield found;
    }
}

/** @param {string} line */
function messageOf(line) {
  if (!line.includes('"user"')) return undefined;
  try {
    const { timestamp, message } = JSON.parse(line);
    if (!isRecord(message) || message.role !== "user" || isRecord(message.provenance)) return undefined;
    const [text, atMs] = [textOf(message.content), Date.parse(timestamp)];
    return text.trim() && Number.isFinite(atMs) ? { atMs, text } : undefined;
  } catch {
    // Half a line, of a host that was killed.
    return undefined;
  }
}
