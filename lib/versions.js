// Which of two versions is the later one.

/**
 * Orders versions such as `20.19.0`, `2.28`, `2026.9.6` and `2026.7.1-2`, for `sort`.
 * @param {string} left
 * @param {string} right
 */
export function compareVersions(left, right) {
  const [a, b] = [left, right].map((version) => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0));
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
