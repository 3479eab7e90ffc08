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

/** Years that are shown: a name may be no real day. */
const MOST_YEARS = 100;

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

/**
 * The years from the newest to the oldest. Those in which nothing was written are gaps that should be seen.
 * @param {Day[]} days
 * @param {number} [most]
 */
export function yearsOf(days, most = MOST_YEARS) {
  const years = days.map(({ day }) => Number(day.slice(0, 4)));
  if (years.length === 0) return [];
  const last = years.reduce((a, b) => Math.max(a, b));
  const first = years.reduce((a, b) => Math.min(a, b));
  return Array.from({ length: Math.min(most, last - first + 1) }, (_, at) => last - at);
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
