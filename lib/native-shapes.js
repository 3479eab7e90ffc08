// What crosses the boundary to the engine, in the shapes it takes.

import { MAX_UNSIGNED } from "./arguments.js";

/**
 * The engine takes typed arrays only.
 * @param {import("../index.d.ts").EmbedFunction} embed
 * @returns {(texts: string[], kind: string, provider: string) => Promise<Float32Array[]>}
 */
export function typedVectors(embed) {
  return async (texts, kind, provider) => {
    const vectors = await embed(texts, kind === "query" ? "query" : "document", provider);
    return vectors.map((vector) => (vector instanceof Float32Array ? vector : Float32Array.from(vector)));
  };
}

/**
 * Only what the engine knows, and only what was given.
 * @param {Record<string, any>} options
 * @returns {import("../index.d.ts").SearchOptions}
 */
export function nativeSearchOptions({ maxResults: most, minScore, sources, lexicalOnly, explain, deadlineMs, nowMs, sessionKey }) {
  const maxResults = typeof most === "number" ? Math.min(most, MAX_UNSIGNED) : most;
  const options = { maxResults, minScore, sources, lexicalOnly, explain, deadlineMs, nowMs, sessionKey };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
}
