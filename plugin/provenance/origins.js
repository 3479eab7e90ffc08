// Whose words the files of results hold, as far as the host knows better than their place tells. Newer hosts keep a record
// of what was written under the influence of untrusted content.
//
// They look it up in a database, in a millisecond that holds the event loop: never several of them in one go, and not
// again for a file that has not changed.

import { lstat } from "node:fs/promises";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isPrivate } from "../hooks/session.js";
import { withRegularFile } from "../regular-file.js";
import { classifyPaths, isMemoryPath } from "./paths.js";

/**
 * @typedef {import("./paths.js").OriginClass} OriginClass
 * @typedef {import("../../index.d.ts").MemoryHit} MemoryHit
 * @typedef {{state: string, modifiedMs: number}} FileState
 * @typedef {{path: string, state?: string, modifiedMs?: number, vouched?: boolean}} AskedFile
 */

/** A host may record the origin of a file shortly after it is written; an older file has it for sure. */
const SETTLED_MS = 60_000;
/** Files whose origin is remembered. */
const MAX_KNOWN = 5000;
/** Bytes at the beginning of a session note that name its conversation. */
const NOTE_HEAD_BYTES = 1024;

/** From the most trusted on. @type {OriginClass[]} */
const BY_TRUST = ["owner", "agent", "untrusted", "system"];

/** Origins of files, and which state of the file each is about. @type {Map<string, {state: string, originClass: OriginClass}>} */
const known = new Map();

/**
 * Whose words a file of the workspace holds.
 * @param {string} workspaceDir
 * @param {string} relativePath
 * @param {FileState} [file]
 * @param {boolean} [vouched] Whether the user vouches for it, wherever it lies.
 * @returns {Promise<OriginClass>}
 */
export async function originOf(workspaceDir, relativePath, file, vouched = false) {
  const key = JSON.stringify([workspaceDir, relativePath, vouched]);
  const before = known.get(key);
  if (file && before?.state === file.state) return before.originClass;
  await nextTurn();
  const [{ originClass: recorded }] = await classifyPaths({ workspaceDir, relativePaths: [relativePath], vouched });
  const originClass = (await isNoteOfGroup(path.resolve(workspaceDir, relativePath))) ? lessTrusted(recorded, "untrusted") : recorded;
  known.delete(key);
  if (file && Date.now() - file.modifiedMs > SETTLED_MS) {
    known.set(key, { state: file.state, originClass });
    const oldest = known.size > MAX_KNOWN ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
  }
  return originClass;
}

/**
 * @param {OriginClass} a
 * @param {OriginClass} b
 */
function lessTrusted(a, b) {
  return BY_TRUST.indexOf(a) > BY_TRUST.indexOf(b) ? a : b;
}

/**
 * Results whose provenance is what the host knows of their files, where that is less than what their place tells.
 * @param {string | undefined} workspaceDir
 * @returns {(hits: MemoryHit[]) => Promise<MemoryHit[]>}
 */
export function withOrigins(workspaceDir) {
  return async (hits) => {
    if (!workspaceDir) return hits;
    /** @type {Map<string, OriginClass>} */
    const origins = new Map();
    for (const { path: file, source, provenance } of hits) {
      if (source !== "memory" || !provenance || origins.has(file) || isForeign(provenance.originClass)) continue;
      const state = { state: `changed ${provenance.observedAt}`, modifiedMs: provenance.observedAt };
      // The engine calls what lies elsewhere the agent's only where the user vouches for it.
      origins.set(file, await originOf(workspaceDir, file, state, !isMemoryPath(file)));
    }
    return hits.map((hit) => {
      const origin = hit.source === "memory" ? origins.get(hit.path) : undefined;
      if (!origin || !hit.provenance) return hit;
      return { ...hit, provenance: { ...hit.provenance, originClass: lessTrusted(hit.provenance.originClass, origin) } };
    });
  };
}

/**
 * Whose words each of many files holds, by the first letters of the classes: one text, with a letter for each file. A place
 * that is nobody's needs no look at a record.
 * @param {string | undefined} workspaceDir
 * @param {string[]} files As in results.
 */
export async function originLetters(workspaceDir, files) {
  let letters = "";
  for (const file of files) {
    const stat = workspaceDir ? await lstat(path.resolve(workspaceDir, file)).catch(() => null) : null;
    const state = stat?.isFile() ? { state: `changed ${Math.trunc(stat.mtimeMs)}`, modifiedMs: stat.mtimeMs } : undefined;
    letters += workspaceDir ? (await originOf(workspaceDir, file, state))[0] : "u";
  }
  return letters;
}

/**
 * Whether words are neither the owner's nor the agent's: they are shown to who asks for them, as what they are, and never
 * by themselves.
 * @param {OriginClass | undefined} originClass
 */
export function isForeign(originClass) {
  return originClass !== "owner" && originClass !== "agent";
}

/**
 * Whether files are the user's or the agent's, one after the other.
 * @param {string} workspaceDir
 * @param {AskedFile[]} files
 */
export async function originsOf(workspaceDir, files) {
  /** @type {("own" | "other")[]} */
  const origins = [];
  for (const { path, state, modifiedMs = 0, vouched } of files) {
    const origin = await originOf(workspaceDir, path, state === undefined ? undefined : { state, modifiedMs }, vouched);
    origins.push(isForeign(origin) ? "other" : "own");
  }
  return origins;
}

/**
 * Whether a file is the note of a conversation that several people held. Older hosts write those too, and remember of no
 * file whose words it holds.
 * @param {string} file
 */
async function isNoteOfGroup(file) {
  const isGroups = await withRegularFile(file, async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(NOTE_HEAD_BYTES), 0, NOTE_HEAD_BYTES, 0);
    const sessionKey = /^- \*\*Session Key\*\*: *(\S+)/m.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
    return sessionKey !== undefined && !isPrivate({}, { sessionKey });
  });
  return isGroups ?? false;
}
