// Days as people name them to a command with --since and --until.

import { codedError } from "../../lib/errors.js";
import { native } from "../../lib/native.js";

/**
 * The time from one day to another, as far as they are named. Errors call the options by their names.
 * @param {{since?: string, until?: string}} wanted
 * @param {string | undefined} zone
 */
export function namedSpan({ since, until }, zone) {
  const sinceMs = instant("--since", since, zone)?.fromMs;
  const untilMs = instant("--until", until, zone)?.toMs;
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
    const remedy = "Name the earlier day with --since";
    throw codedError("MEM_ARGUMENT", `--since (${since}) lies after --until (${until})`, { remedy });
  }
  return { sinceMs, untilMs };
}

/**
 * Days as `memory search` takes them, or an instant in ISO 8601.
 * @param {string} name
 * @param {string | undefined} written
 * @param {string | undefined} zone
 */
function instant(name, written, zone) {
  if (written === undefined) return undefined;
  const at = /^\s*\d{4}-\d\d-\d\d[T ]\d/.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isFinite(at) ? { fromMs: at, toMs: at } : native().namedDays(name, written, zone);
}
