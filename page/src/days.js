// The days of the timeline: what is counted, and how full a day is beside the others. Of the page, and of its picture
// (plugin/page/pictures.js): nothing here needs a browser.

import { counted } from "./words.js";

/** @typedef {{day: string, notes: string[], conversations: number, kept: number, learned: number}} Day */

/** What is counted. @type {[string, string, (day: Day) => number][]} */
export const KINDS = [
  ["all", "Everything", (day) => day.notes.length + day.conversations + day.kept + day.learned],
  ["notes", "Notes", (day) => day.notes.length],
  ["conversations", "Conversations", (day) => day.conversations],
  ["kept", "Captured", (day) => day.kept],
  ["learned", "Learned", (day) => day.learned],
];

/** Years that are shown, of which the next is the first: a name may hold any year, by a slip of the hand. */
const MOST_YEARS = 100;
/** Years without anything that are shown one by one: more in a row are one row. */
const MOST_EMPTY = 9;

/** What some days hold, in words. @param {Day[]} days */
export function said(days) {
  const sum = (/** @type {(day: Day) => number} */ of) => days.reduce((total, day) => total + of(day), 0);
  const parts = /** @type {[number, string][]} */ ([
    [sum((day) => day.notes.length), "note"],
    [sum((day) => day.conversations), "conversation"],
    [sum((day) => day.kept), "captured fact"],
    [sum((day) => day.learned), "learned line"],
  ]);
  const some = parts.filter(([n]) => n !== 0).map(([n, what]) => counted(n, what));
  return some.length > 0 ? some.join(", ") : "nothing";
}

/** How full a cell is beside the fullest: from 0, nothing, to 4. @param {number} n @param {number} most */
export const level = (n, most) => (n === 0 ? 0 : Math.min(4, 1 + Math.floor((3 * Math.sqrt(n)) / Math.sqrt(Math.max(most, 1)))));

/** @typedef {{newest: number, oldest: number}} Row One year, or several in which nothing was written. */

/** @param {Day} day */
const yearOf = ({ day }) => Number(day.slice(0, 4));

/**
 * The rows of years from the newest to the oldest, and the days that are in none of them. Years in which nothing was written
 * are gaps that should be seen.
 * @param {Day[]} days
 * @param {number} now
 * @param {number} [most] Rows.
 * @returns {{rows: Row[], later: Day[], earlier: Day[]}}
 */
export function rowsOf(days, now, most = MOST_YEARS) {
  const last = new Date(now).getFullYear() + 1;
  const later = days.filter((day) => yearOf(day) > last);
  const years = [...new Set(days.map(yearOf))].filter((year) => year <= last && year > last - MOST_YEARS).sort((a, b) => b - a);
  /** @type {Row[]} */
  const rows = [];
  for (const [at, year] of years.entries()) {
    const empty = at === 0 ? [] : emptyRows(years[at - 1] - 1, year + 1);
    if (rows.length + empty.length >= most) break;
    rows.push(...empty, { newest: year, oldest: year });
  }
  const first = rows.at(-1)?.oldest ?? last + 1;
  return { rows, later, earlier: days.filter((day) => yearOf(day) < first) };
}

/** @param {number} newest @param {number} oldest @returns {Row[]} */
function emptyRows(newest, oldest) {
  const count = newest - oldest + 1;
  if (count > MOST_EMPTY) return [{ newest, oldest }];
  return Array.from({ length: count }, (_, at) => ({ newest: newest - at, oldest: newest - at }));
}

const DAY_MS = 86_400_000;

/** The day of the week, from 0 for Monday. @param {string} day */
export const weekday = (day) => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/** The days of a month or year, by what their names begin with. @param {string} of */
export function daysIn(of) {
  const [year, month] = of.split("-").map(Number);
  const from = Date.UTC(year, month === undefined ? 0 : month - 1, 1);
  const to = Date.UTC(month === undefined ? year + 1 : year, month === undefined ? 0 : month, 1);
  return Array.from({ length: Math.round((to - from) / DAY_MS) }, (_, at) => new Date(from + at * DAY_MS).toISOString().slice(0, 10));
}

/** Days as weeks from Monday to Sunday, with their places in it. @param {string[]} days In order. */
export function weeksOf(days) {
  /** @type {string[][]} */
  const weeks = [];
  for (const day of days) {
    if (weeks.length === 0 || weekday(day) === 0) weeks.push([]);
    weeks.at(-1)?.push(day);
  }
  return weeks;
}
