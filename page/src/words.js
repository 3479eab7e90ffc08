// Words of the page that its pictures have too.

/** @param {number} n @param {string} what */
export const counted = (n, what) => `${n.toLocaleString()} ${what}${n === 1 ? "" : "s"}`;
