// The shape of a tool's answer: the same JSON as text for the model and as details for the host.

import { errorCause, errorCode, errorMessage, errorRemedy } from "../../lib/errors.js";

/** What reads as the beginning of a tag, and characters that hide text or turn its direction. */
const UNSAFE =
  /[<\uFF1C\uFE64](?=[/!|a-z])|[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\u{E0000}-\u{E007F}]/giu;

/** @param {Record<string, unknown>} payload */
export function jsonResult(payload) {
  const details = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  return { content: [{ type: /** @type {const} */ ("text"), text: asData(JSON.stringify(details, null, 2)) }], details };
}

/**
 * The same JSON, in which no note can end a block of the prompt or begin one: what could is written as JSON writes any
 * character by its number.
 * @param {string} json
 */
function asData(json) {
  return json.replace(UNSAFE, (found) => found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

/** What to do about a failure that names no remedy of its own. */
const LOOK = 'Run "openclaw memory status --deep" to see why, then search again.';

/**
 * A search that could not be done, as the host and the model expect it.
 * @param {unknown} failure
 */
export function unavailable(failure) {
  const error = errorMessage(failure);
  const code = errorCode(failure);
  const advice = { warning: `Memory cannot be searched: ${errorCause(failure)}.`, action: errorRemedy(failure) ?? LOOK };
  return jsonResult({ results: [], disabled: true, unavailable: true, error, code, ...advice, debug: { error, code, ...advice } });
}
