// How long things took, as a picture: a dot for each, the higher the longer.

/** @typedef {{at: number, ms: number}} Timed */

const [WIDTH, HEIGHT] = [640, 120];
/** Heights with a line, in milliseconds; the scale is logarithmic. */
const LINES = [1, 10, 100, 1000];
const [LEAST, MOST] = [0.1, 10_000];

/** @param {number} ms */
const heightOf = (ms) => HEIGHT * (1 - Math.log10(Math.min(MOST, Math.max(LEAST, ms)) / LEAST) / Math.log10(MOST / LEAST));

/** @param {number} ms */
const shown = (ms) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** @param {Timed[]} times @param {number} share */
function quantile(times, share) {
  const sorted = times.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/**
 * Side by side in their order, because whole days may lie between two of them.
 * @param {{name: string, times: Timed[]}} props
 */
export function Plot({ name, times }) {
  if (times.length === 0) return null;
  const said = `${name}: ${times.length}, half of them within ${shown(quantile(times, 0.5))}, 95 of 100 within ${shown(quantile(times, 0.95))}`;
  const step = WIDTH / Math.max(times.length, 20);
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={said}>
        {LINES.map((ms) => (
          <g key={ms}>
            <line x1="0" x2={WIDTH} y1={heightOf(ms)} y2={heightOf(ms)} />
            <text x="2" y={heightOf(ms) - 3}>
              {ms} ms
            </text>
          </g>
        ))}
        {times.map(({ at, ms }, n) => (
          <circle key={`${at} ${n}`} cx={(n + 0.5) * step} cy={heightOf(ms)} r="2.5" />
        ))}
      </svg>
      <figcaption>{said}</figcaption>
    </figure>
  );
}
