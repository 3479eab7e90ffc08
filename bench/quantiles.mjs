/**
 * What a list of durations tells (nearest rank; null of an empty list).
 *
 * @param {number[]} xs
 */
export function quantiles(xs) {
  const sorted = [...xs].sort((a, b) => a - b);
  /** @param {number} share */
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? null;
  const mean = xs.reduce((a, b) => a + b, 0) / (xs.length || 1);
  return { n: xs.length, min: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), mean };
}
