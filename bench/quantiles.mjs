/**
 * What a list of durations tells (nearest rank; null of an empty list).
 *
 * @typedef {{n: number, min: number | null, p50: number | null, p95: number | null, p99: number | null, max: number | null, mean: number}} Quantiles
 *
 * @param {number[]} durations
 * @returns {Quantiles}
 */
export function quantiles(durations) {
  const sorted = [...durations].sort((a, b) => a - b);
  /** @param {number} share */
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? null;
  const mean = durations.reduce((a, b) => a + b, 0) / (durations.length || 1);
  return { n: durations.length, min: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), mean };
}
