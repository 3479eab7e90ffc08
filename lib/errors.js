// Errors as the outside sees them: a stable code, the cause, and what to do about it.

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

/** Cause, remedy and code in one line, as the command line and the log show them. @param {unknown} error */
export function errorText(error) {
  const told = inWords(error);
  const code = errorCode(told);
  return `${errorMessage(told)}${code ? ` [${code}]` : ""}`;
}

/**
 * An error with a code, for failures that the JavaScript side finds itself.
 * @param {string} code
 * @param {string} cause Without a full stop at its end.
 * @param {{remedy?: string, cause?: unknown}} [more] What to do about it, which ends the message; what it comes from.
 */
export function codedError(code, cause, { remedy, ...options } = {}) {
  const message = remedy ? `${cause}. ${remedy}` : cause;
  return Object.assign(new Error(message, options), { code, ...(remedy ? { remedy } : {}) });
}

/**
 * What needs memory search where that is switched off.
 * @param {string} [agentId] This agent, where the caller speaks of no other.
 * @param {string} [remedy]
 */
export function switchedOff(agentId, remedy = "Set `enabled: true` in its settings of memory search") {
  const whose = agentId === undefined ? "this agent" : `agent ${agentId}`;
  return codedError("MEM_CONFIG", `memory search is switched off for ${whose}`, { remedy });
}

const CHECK_PATH = "Check how the path is written";
const GIVE_RIGHTS = "Give this user the right to it (chown or chmod), run as the user who owns it, or choose another place";

/** What Node calls a fault of a file: our code for it, what it says of the file, and the remedy. @type {Record<string, [string, string, string]>} */
const OF_FILES = {
  ENOENT: ["MEM_NOT_FOUND", "does not exist", CHECK_PATH],
  ENOTDIR: ["MEM_NOT_FOUND", "does not exist", CHECK_PATH],
  EISDIR: ["MEM_PATH", "is a folder", "Name a file"],
  EACCES: ["MEM_IO", "may not be used by this user", GIVE_RIGHTS],
  EPERM: ["MEM_IO", "may not be used by this user", GIVE_RIGHTS],
  EROFS: ["MEM_READ_ONLY", "is on a disk that is read-only", "Make the disk writable, or choose another place"],
  EBUSY: ["MEM_IO", "is in use, or another disk is mounted there", "Stop what uses it, or unmount it, then try again"],
  ENOTEMPTY: ["MEM_IO", "was written to meanwhile", "Stop the gateway, then try again"],
  ENOSPC: ["MEM_DISK_FULL", "has no room on its disk", "Free some space, then try again"],
  EDQUOT: ["MEM_DISK_FULL", "is beyond what this user may keep on its disk", "Free some space, or have the quota raised, then try again"],
};

/** The same error; one of a file that Node has met, with a code of ours and in words. @param {unknown} error */
export function inWords(error) {
  const { path } = /** @type {{path?: unknown}} */ (error ?? {});
  const [code, what, remedy] = OF_FILES[errorCode(error) ?? ""] ?? [];
  return code && typeof path === "string" ? codedError(code, `${path} ${what}`, { remedy, cause: error }) : error;
}
