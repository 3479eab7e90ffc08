// What is remembered between hooks, which must not grow for ever: the end of a run may never be told.

/**
 * Forgets what was put in first, until no more than `limit` are left.
 * @param {Map<string, unknown> | Set<unknown>} entries
 * @param {number} limit
 */
export function forgetOldest(entries, limit) {
  for (const key of entries.keys()) {
    if (entries.size <= limit) return;
    entries.delete(/** @type {never} */ (key));
  }
}
