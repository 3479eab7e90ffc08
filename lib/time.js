// Times as their user reads them: in the time zone of the settings, else in that of the machine.

/**
 * A time zone that there is: the one that is configured, else the machine's.
 * @param {string} [configured]
 */
export function knownTimeZone(configured) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!configured) return own;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: configured.trim() }).resolvedOptions().timeZone;
  } catch {
    return own;
  }
}

/**
 * The day (YYYY-MM-DD), the time of day (HH:MM), and what a zone is called at that time (UTC, GMT+2, EST).
 * @param {Date} at
 * @param {string} timeZone
 */
export function localTime(at, timeZone) {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).formatToParts(at);
  const part = (/** @type {string} */ type) => parts.find((entry) => entry.type === type)?.value ?? "";
  return { date: `${part("year")}-${part("month")}-${part("day")}`, time: `${part("hour")}:${part("minute")}`, zone: part("timeZoneName") };
}

/**
 * When a clock in a time zone shows a time.
 * @param {number} wall That time as if it were one of UTC, in milliseconds since the epoch.
 * @param {string} timeZone
 */
export function instantAt(wall, timeZone) {
  if (!Number.isFinite(wall)) return Number.NaN;
  let at = wall;
  // The offset of a near time first, then the one that holds: they differ beside a change of clocks.
  for (let round = 0; round < 2; round++) {
    const { date, time } = localTime(new Date(at), timeZone);
    at = wall - (Date.parse(`${date}T${time}Z`) - Math.floor(at / 60_000) * 60_000);
  }
  return at;
}

/**
 * A time as it is told: `2026-11-28 16:05 GMT+1`.
 * @param {number | string} at Milliseconds since the epoch, or in ISO 8601.
 * @param {string} timeZone
 */
export function timeIn(at, timeZone) {
  const { date, time, zone } = localTime(new Date(at), timeZone);
  return `${date} ${time} ${zone}`;
}
