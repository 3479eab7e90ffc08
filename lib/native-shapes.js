// What crosses the boundary to the engine, in the shapes it takes.

import { MAX_UNSIGNED } from "./arguments.js";
import { errorCode, errorMessage } from "./errors.js";

/**
 * The engine takes typed arrays only.
 * @param {import("../index.d.ts").EmbedFunction} embed
 * @returns {(texts: string[], kind: string, provider: string, media?: import("../index.d.ts").InlineData) => Promise<Float32Array[]>}
 */
export function typedVectors(embed) {
  return async (texts, kind, provider, media) => {
    const vectors = await embed(texts, kind === "query" ? "query" : "document", provider, media);
    return vectors.map((vector) => (vector instanceof Float32Array ? vector : Float32Array.from(vector)));
  };
}

/**
 * Only what the engine knows, and only what was given.
 * @param {Record<string, any>} options
 * @returns {import("../index.d.ts").SearchOptions}
 */
export function nativeSearchOptions({
  maxResults: most,
  after: known,
  later,
  minScore,
  sources,
  lexicalOnly,
  explain,
  deadlineMs,
  nowMs,
  sessionKey,
  activeProjectKeys,
  conversations,
  since,
  until,
  paths,
}) {
  const [maxResults, after] = [most, known].map((count) => (typeof count === "number" ? Math.min(count, MAX_UNSIGNED) : count));
  const asked = { maxResults, after, later, minScore, sources, lexicalOnly, explain, deadlineMs, nowMs, sessionKey, activeProjectKeys };
  const options = { ...asked, conversations, since, until, paths };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
}

/** How many causes of an error are looked at. */
const CAUSES = 4;

/**
 * A function of the host as the engine calls it: what it throws goes back as data, so that its code arrives.
 * @template {unknown[]} Arguments
 * @template Answer
 * @param {(...given: Arguments) => Promise<Answer>} ask
 * @returns {(...given: Arguments) => Promise<{value?: Answer, failure?: import("../index.d.ts").HostFailure}>}
 */
export function answering(ask) {
  return async (...given) => {
    try {
      return { value: await ask(...given) };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  };
}

/**
 * What an error says besides its message: itself, or the first of its causes that says it.
 * @param {unknown} error
 * @returns {import("../index.d.ts").HostFailure}
 */
function failureOf(error) {
  /** @type {import("../index.d.ts").HostFailure} */
  const failure = { message: errorMessage(error) };
  for (let [depth, one] = [0, /** @type {any} */ (error)]; depth < CAUSES && one && typeof one === "object"; depth++, one = one.cause) {
    const status = [one.status, one.statusCode, one.$metadata?.httpStatusCode].find((n) => Number.isInteger(n) && n >= 100 && n < 600);
    failure.code ??= errorCode(one);
    failure.status ??= status;
    failure.retryAfterMs ??= Number.isFinite(one.retryAfterMs) && one.retryAfterMs >= 0 ? one.retryAfterMs : undefined;
  }
  return failure;
}

/**
 * A request to forget, for the engine.
 * @param {import("../index.d.ts").ForgetRequest} request
 * @returns {import("../index.d.ts").ForgetRequest}
 */
export function nativeForgetRequest(request) {
  const search = request.search && nativeSearchOptions(request.search);
  return { ...request, ...(search ? { search } : {}) };
}

/** @param {string | import("../index.d.ts").RecallQuestion} question @returns {import("../index.d.ts").RecallQuestion} */
export function asQuestion(question) {
  return typeof question === "string" ? { prompt: question } : question;
}
