// Work that a reply does not wait for longer than it may.

/**
 * What the work gives, or null when it takes longer than `ms`; a late failure is nobody's concern any more.
 * @template T
 * @param {number} ms
 * @param {Promise<T>} work
 * @returns {Promise<T | null>}
 */
export async function withinTime(ms, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, /** @type {Promise<null>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
