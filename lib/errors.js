// Errors as the outside sees them: a stable code, the cause, and what to do about it.

/**
 * Sentences for the model and the user per kind of failure. `warning` says what is impaired, `action` what helps.
 * @type {Record<string, {warning: string, action: string}>}
 */
const ADVICE = {
  MEM_PROVIDER_QUOTA: {
    warning: "The quota of the embedding provider is used up, so memory cannot be searched by meaning.",
    action: "Add quota or choose another embedding provider, then search again.",
  },
  MEM_PROVIDER_RATE_LIMIT: {
    warning: "The embedding provider asks for a pause.",
    action: "Wait a minute, then search again.",
  },
  MEM_PROVIDER_AUTH: {
    warning: "The embedding provider rejects the configured key.",
    action: "Correct the key of the embedding provider, then search again.",
  },
  MEM_PROVIDER_UNAVAILABLE: {
    warning: "The embedding provider does not answer.",
    action: "Check that the endpoint of the embedding provider is reachable, then search again.",
  },
  MEM_DEADLINE: {
    warning: "The memory search did not finish in time.",
    action: 'Search again in a moment; if it keeps happening, run "openclaw memory status --deep".',
  },
  MEM_NATIVE_MISSING: {
    warning: "The native memory engine is not installed for this platform.",
    action: 'Reinstall the plugin with "openclaw plugins install memory-core-rs".',
  },
  MEM_DISK_FULL: {
    warning: "The disk is full, so the memory index cannot be updated.",
    action: "Free some space; nothing else is needed.",
  },
};

const DEFAULT_ADVICE = {
  warning: "Memory cannot be searched right now.",
  action: 'Run "openclaw memory status --deep" to see why, then search again.',
};

/** The stable code of an error, if it has one. @param {unknown} error */
export function errorCode(error) {
  const code = /** @type {{code?: unknown} | null | undefined} */ (error)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The message of anything that was thrown, or of a failure as data. @param {unknown} error */
export function errorMessage(error) {
  if (error instanceof Error) return error.message || error.name;
  const message = /** @type {{message?: unknown} | null | undefined} */ (error)?.message;
  return typeof message === "string" ? message : String(error);
}

/** What to do about an error, if it says so. @param {unknown} error */
export function errorRemedy(error) {
  const remedy = /** @type {{remedy?: unknown} | null | undefined} */ (error)?.remedy;
  return typeof remedy === "string" ? remedy : undefined;
}

/** What went wrong, without the remedy that ends the message of an error of the engine. @param {unknown} error */
export function errorCause(error) {
  const [message, remedy] = [errorMessage(error), errorRemedy(error)];
  return remedy && message.endsWith(`. ${remedy}`) ? message.slice(0, -`. ${remedy}`.length) : message;
}

/**
 * What a failed search means for the user and what helps.
 * @param {unknown} error
 */
export function searchAdvice(error) {
  return ADVICE[errorCode(error) ?? ""] ?? DEFAULT_ADVICE;
}

/**
 * An error with a code, for failures that the JavaScript side finds itself.
 * @param {string} code
 * @param {string} message
 */
export function codedError(code, message) {
  return Object.assign(new Error(message), { code });
}
