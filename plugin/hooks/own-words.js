// Which passages the user or the agent wrote. What came from elsewhere is only shown to a model that asks for it.
//
// Newer hosts look a file's origin up in a database, in a millisecond that holds the event loop: never several of them
// in one go, and not again for a file that has not changed.

import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { classifyPaths } from "../path-origin.js";
import { withRegularFile } from "../regular-file.js";
import { isPrivate } from "./session.js";

/** A host may record the origin of a file shortly after it is written; an older file has it for sure. */
const SETTLED_MS = 60_000;
/** Files whose origin is remembered. */
const MAX_KNOWN = 5000;
/** Bytes at the beginning of a session note that name its conversation. */
const NOTE_HEAD_BYTES = 1024;

/** Whether a file is the user's or the agent's, and which state of the file that is about. @type {Map<string, {state: string, isOwn: boolean}>} */
const known = new Map();

/** @typedef {{path: string, state?: string, modifiedMs?: number}} AskedFile */

/**
 * Whether files are the user's or the agent's, one after the other.
 * @param {string} workspaceDir
 * @param {AskedFile[]} files
 */
export async function originsOf(workspaceDir, files) {
  /** @type {("own" | "other")[]} */
  const origins = [];
  for (const file of files) origins.push((await isOwn(workspaceDir, file)) ? "own" : "other");
  return origins;
}

/**
 * @param {string} workspaceDir
 * @param {AskedFile} file
 */
async function isOwn(workspaceDir, { path: relativePath, state, modifiedMs }) {
  const key = JSON.stringify([workspaceDir, relativePath]);
  const before = known.get(key);
  if (state !== undefined && before?.state === state) return before.isOwn;
  await nextTurn();
  const [{ originClass }] = await classifyPaths({ workspaceDir, relativePaths: [relativePath] });
  const own = (originClass === "owner" || originClass === "agent") && !(await isNoteOfGroup(path.resolve(workspaceDir, relativePath)));
  known.delete(key);
  if (state !== undefined && Date.now() - (modifiedMs ?? 0) > SETTLED_MS) {
    known.set(key, { state, isOwn: own });
    const oldest = known.size > MAX_KNOWN ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
  }
  return own;
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
