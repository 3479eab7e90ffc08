// The shape of a tool's answer: the same JSON as text for the model and as details for the host.

import { errorCode, errorMessage, searchAdvice } from "../../lib/errors.js";

/** @param {Record<string, unknown>} payload */
export function jsonResult(payload) {
  const details = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  return { content: [{ type: /** @type {const} */ ("text"), text: JSON.stringify(details, null, 2) }], details };
}

/**
 * A search that could not be done, as the host and the model expect it.
 * @param {unknown} cause
 * @param {{warning: string, action: string}} [advice]
 */
export function unavailable(cause, advice = searchAdvice(cause)) {
  const error = errorMessage(cause);
  const code = errorCode(cause);
  return jsonResult({ results: [], disabled: true, unavailable: true, error, code, ...advice, debug: { error, code, ...advice } });
}
