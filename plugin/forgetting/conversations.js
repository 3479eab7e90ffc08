// Which conversations are meant by a key, a person, a hook's source or a date. The host is asked; hosts before 2026.8 keep a
// list and files, which say less.

import { open, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { isRecord } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { hostSessions, sessionTargets } from "../sessions/source.js";
import { factsOfEntry } from "./policy.js";

/**
 * @typedef {{sessions: string[], people: string[], hookSources: string[], sinceMs?: number, untilMs?: number}} Selectors
 * @typedef {"live" | "archived" | "unresolved"} Resolution
 * @typedef {{sessionId: string, sessionKey?: string, resolution: Resolution, fromMs?: number, toMs?: number, participants: string[]}} Found
 * @typedef {{sessionId: string, sessionKey?: string, fromMs?: number, toMs?: number, hookSource?: string, people: string[],
 *   facts?: import("./policy.js").Facts}} Known
 */

/** What a host notes of a turn may be a little later than it says of its conversation. */
const SLACK_MS = 60_000;
/** The name of a transcript's file. */
const TRANSCRIPT = /^([^.]+)\.jsonl(?:$|\.(?:reset|deleted)\.)/;
/** Bytes of a transcript in which its beginning is looked for. */
const HEAD_BYTES = 4096;

/**
 * The conversations that are meant. A date narrows what the others mean; alone it means all that began in it.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {Selectors} selectors
 * @returns {Promise<{found: Found[], refusals: string[]}>}
 */
export async function findConversations(host, cfg, agentId, selectors) {
  const { sessions, people, hookSources, sinceMs, untilMs } = selectors;
  const isDated = sinceMs !== undefined || untilMs !== undefined;
  const told = (await conversationsOfHost(cfg, agentId)) ?? (await conversationsOnDisk(host, agentId));
  const { known, refusals } = { ...told, refusals: told.tellsHooks || hookSources.length === 0 ? [] : [NO_HOOKS] };
  const isAlone = sessions.length + people.length + hookSources.length === 0;
  const persons = new Set(people.map((person) => person.toLowerCase()));
  /** @param {Known} one */
  const isMeant = (one) =>
    (isAlone && isDated) ||
    sessions.includes(one.sessionId) ||
    (one.sessionKey !== undefined && sessions.includes(one.sessionKey)) ||
    (one.hookSource !== undefined && hookSources.includes(one.hookSource)) ||
    one.people.some((person) => persons.has(person.toLowerCase()));
  /** @param {Known} one A conversation without a beginning is in no time. */
  const isInTime = ({ fromMs }) =>
    !isDated ||
    (fromMs !== undefined && fromMs >= (sinceMs ?? Number.NEGATIVE_INFINITY) && fromMs <= (untilMs ?? Number.POSITIVE_INFINITY));
  const meant = known.filter(isMeant);
  /** @type {Found[]} */
  const found = meant.filter(isInTime).map(({ sessionId, sessionKey, fromMs, toMs, people: participants }) => ({
    sessionId,
    ...(sessionKey === undefined ? {} : { sessionKey }),
    resolution: sessionKey === undefined ? "archived" : "live",
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs: toMs + SLACK_MS }),
    participants,
  }));
  const names = new Set(meant.flatMap(({ sessionId, sessionKey }) => [sessionId, sessionKey]));
  for (const session of sessions) if (!names.has(session)) found.push({ sessionId: session, resolution: "unresolved", participants: [] });
  return { found, refusals };
}

const NO_HOOKS = "This host does not tell which hook began a conversation; name the conversations by --session.";

/**
 * Who may be meant by a session key.
 * @param {string | undefined} key
 */
function peersOf(key) {
  const { peer } = key ? native().readSessionKey(key) : {};
  return peer ? [String(peer)] : [];
}

/**
 * As newer hosts tell; null where they do not.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @returns {Promise<{known: Known[], tellsHooks: boolean} | null>}
 */
async function conversationsOfHost(cfg, agentId) {
  const resolve = await sessionTargets(cfg, agentId);
  if (!resolve) return null;
  const listed = /** @type {{sessions: {sessionId: string, sessionKey: string, updatedAtMs: number}[]}} */ (
    await hostSessions(agentId, () => cfg)({ kind: "list" })
  );
  const { sessions } = listed;
  const targets = resolve(sessions.map(({ sessionId }) => sessionId));
  /** @type {Map<string, any>} */
  const byId = new Map(targets.map((target) => [target.sessionId, target]));
  const known = sessions.map(({ sessionId, sessionKey, updatedAtMs }) => {
    const target = byId.get(sessionId) ?? {};
    return {
      sessionId,
      sessionKey,
      ...(Number.isFinite(target.createdAt) ? { fromMs: target.createdAt } : {}),
      ...(updatedAtMs > 0 ? { toMs: updatedAtMs } : {}),
      ...(typeof target.hookExternalContentSource === "string" ? { hookSource: target.hookExternalContentSource } : {}),
      people: [...peersOf(sessionKey), ...identities(target.participants)],
    };
  });
  return { known, tellsHooks: true };
}

/** @param {unknown} participants Of a session, as the host lists them. */
function identities(participants) {
  if (!Array.isArray(participants)) return [];
  return participants.map((one) => (typeof one === "string" ? one : one?.id)).filter((id) => typeof id === "string");
}

/**
 * The files of a conversation among those of its folder: what goes on, and what was ended under its id.
 * @param {string[]} names
 * @param {string} sessionId
 */
export const transcriptsOf = (names, sessionId) => names.filter((name) => TRANSCRIPT.exec(name)?.[1] === sessionId);

/**
 * As older hosts keep them: a list of what goes on, and a file for each.
 * @param {import("../host.js").Host} host
 * @param {string} agentId
 * @returns {Promise<{folder: string, known: Known[], tellsHooks: boolean}>}
 */
export async function conversationsOnDisk(host, agentId) {
  const folder = path.join(host.stateDir(), "agents", agentId, "sessions");
  const list = await readFile(path.join(folder, "sessions.json"), "utf8").then(JSON.parse, () => ({}));
  /** @type {Map<string, {key: string, entry: Record<string, any>}>} */
  const entries = new Map();
  for (const [key, entry] of Object.entries(isRecord(list) ? list : {}))
    if (isRecord(entry) && typeof entry.sessionId === "string") entries.set(entry.sessionId, { key, entry });
  const names = await readdir(folder).catch(() => []);
  /** @type {Map<string, Known>} */
  const known = new Map();
  for (const name of names) {
    const [, sessionId] = TRANSCRIPT.exec(name) ?? [];
    if (!sessionId) continue;
    const { key, entry } = entries.get(sessionId) ?? {};
    const { fromMs, toMs } = await times(path.join(folder, name));
    const before = known.get(sessionId);
    known.set(sessionId, {
      sessionId,
      ...(key === undefined ? {} : { sessionKey: key }),
      ...earliest(before?.fromMs, fromMs),
      toMs: Math.max(toMs, before?.toMs ?? 0),
      people: [...peersOf(key), ...[entry?.origin?.from, entry?.lastTo].filter((id) => typeof id === "string")],
      facts: factsOfEntry(entry),
    });
  }
  return { folder, known: [...known.values()], tellsHooks: false };
}

/** @param {...(number | undefined)} times */
function earliest(...times) {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? { fromMs: Math.min(...known) } : {};
}

/**
 * When a transcript begins, by its first line, and when it was written to last.
 * @param {string} file
 * @returns {Promise<{fromMs?: number, toMs: number}>}
 */
async function times(file) {
  try {
    const { mtimeMs, size } = await stat(file);
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(HEAD_BYTES, size)), 0);
      const [, time] = /"timestamp"\s*:\s*"([^"]+)"/.exec(buffer.toString("utf8", 0, bytesRead)) ?? [];
      const fromMs = Date.parse(time ?? "");
      return { ...(Number.isFinite(fromMs) ? { fromMs } : {}), toMs: mtimeMs };
    } finally {
      await handle.close();
    }
  } catch {
    // It was removed a moment ago.
    return { toMs: 0 };
  }
}
