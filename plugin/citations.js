// Where a passage comes from, in a form that people can follow.

import { native } from "../lib/native.js";
import { inOneLine } from "./cli/output.js";
import { isForeign } from "./provenance/origins.js";

/**
 * @typedef {import("../index.d.ts").MemoryHit} MemoryHit
 * @typedef {"auto" | "on" | "off"} CitationMode
 */

/** Begins a passage that is neither the owner's nor the agent's own, where a model reads it. */
const UNTRUSTED = "[untrusted] ";

/**
 * `path#L3` or `path#L3-L7`, as one line: a name may hold whatever a file system takes, and adds no line to what a model reads.
 * @param {{path: string, startLine: number, endLine: number}} hit
 */
export function citationOf({ path, startLine, endLine }) {
  const name = inOneLine(path);
  return startLine === endLine ? `${name}#L${startLine}` : `${name}#L${startLine}-L${endLine}`;
}

/**
 * Whether results carry their source: always, never, or (automatically) in direct chats only (G5). In a group, file names of
 * the owner's notes are nobody's business.
 * @param {CitationMode} mode
 * @param {string | undefined} sessionKey
 */
export function citesSources(mode, sessionKey) {
  if (mode !== "auto") return mode === "on";
  const parts = native()
    .readSessionKey(sessionKey ?? "")
    .scope.split(":");
  return !parts.includes("group") && !parts.includes("channel");
}

/**
 * A result as the model sees it.
 * @param {MemoryHit} hit
 * @param {boolean} cite
 */
export function presentHit(hit, cite) {
  const named = isForeign(hit.provenance?.originClass) && hit.provenance ? { ...hit, snippet: `${UNTRUSTED}${hit.snippet}` } : hit;
  if (!cite) return { ...named, corpus: hit.source };
  const citation = citationOf(hit);
  return { ...named, corpus: hit.source, snippet: `${named.snippet.trimEnd()}\n\nSource: ${citation}`, citation };
}
