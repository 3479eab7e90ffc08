// The timeline and the map as pictures, written as SVG. They are light: they end in letters and on paper. What they show is
// what the page shows, of the same answers; of answers without texts they have no word, only dates and numbers.

import { daysIn, KINDS, level, rowsOf, said, weekday } from "../../page/src/days.js";
import { decoded, grouped, hue, legend, named, shown, WHOLE, width as widthOfPoint } from "../../page/src/points.js";
import { counted } from "../../page/src/words.js";

const WIDTH = 1000;
const EDGE = 28;
const [BACK, CARD, LINE, TEXT, QUIET] = ["#fbfaf8", "#ffffff", "#e4e1db", "#22201d", "#635e56"];
/** Of cells, from empty to the fullest, as in page/style.css. */
const LEVELS = ["#f1efea", "#cfe6e1", "#93c3bb", "#237c72", "#13534a"];

/** Rows of a timeline: more are no picture any more. */
const MOST_ROWS = 30;
/** A day of a timeline, and its distance to the next. */
const [CELL, STEP] = [12, 15];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Names on a map, which nobody can come nearer to. */
const NAMES = 40;
const NAME_SIZE = 13;

const ESCAPES = /** @type {Record<string, string>} */ ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" });

/** What a text of somebody's is in SVG. @param {string} text */
const escaped = (text) => text.replace(/\p{Cc}/gu, " ").replace(/[&<>"]/g, (char) => ESCAPES[char]);

/**
 * @param {number} x @param {number} y @param {string} text
 * @param {{size?: number, colour?: string, anchor?: "start" | "middle" | "end"}} [how]
 */
const words = (x, y, text, { size = 13, colour = QUIET, anchor = "start" } = {}) =>
  `<text x="${x}" y="${y}" font-size="${size}" fill="${colour}" text-anchor="${anchor}">${escaped(text)}</text>`;

/** @param {number} height @param {string[]} parts */
const svg = (height, parts) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="DejaVu Sans">` +
  `<rect width="${WIDTH}" height="${height}" fill="${BACK}"/>${parts.join("")}</svg>`;

/** The title and what is said below it. @param {string} title @param {string} below */
const heading = (title, below) => [words(EDGE, 46, title, { size: 24, colour: TEXT }), words(EDGE, 72, below)];

/**
 * The days of each year as weeks beside each other, the newest year first.
 * @param {{days: import("../../page/src/days.js").Day[]}} timeline
 * @param {number} now
 */
export function timelinePicture({ days }, now) {
  const of = KINDS[0][2];
  const { rows, later, earlier } = rowsOf(days, now, MOST_ROWS);
  const out = new Set([...later, ...earlier]);
  const shownDays = days.filter((day) => !out.has(day));
  const byDay = new Map(shownDays.map((day) => [day.day, day]));
  const most = shownDays.reduce((fullest, day) => Math.max(fullest, of(day)), 0);
  const span = shownDays.length > 0 ? `${shownDays[0].day} to ${shownDays[shownDays.length - 1].day}: ` : "";
  const parts = heading("Timeline", `${span}${said(shownDays)}${leftOut(later, earlier)}`);
  const left = EDGE + 62;
  let top = 104;
  for (const { newest, oldest } of rows) {
    if (newest > oldest) {
      parts.push(words(EDGE, top + 10, `${oldest} to ${newest}: nothing`));
      top += 26;
      continue;
    }
    const { cells, total } = yearCells(newest, byDay, most, [left, top + 18]);
    parts.push(words(EDGE, top + 18 + 4 * STEP, String(newest), { size: 17, colour: total > 0 ? TEXT : QUIET }));
    parts.push(words(WIDTH - EDGE, top + 18 + 4 * STEP, total.toLocaleString(), { anchor: "end" }), ...cells);
    top += 18 + 7 * STEP + 16;
  }
  const [end, line] = [WIDTH - EDGE, top + 14];
  parts.push(words(end - 5 * STEP - 48, line, "less", { size: 12, anchor: "end" }), words(end, line, "more", { size: 12, anchor: "end" }));
  parts.push(...LEVELS.map((colour, at) => square(end - 40 - (LEVELS.length - at) * STEP, line - 10, colour)));
  return svg(top + 36, parts);
}

/**
 * That days are not on the picture: a slip in a name may make a note one of another century.
 * @param {import("../../page/src/days.js").Day[]} later
 * @param {import("../../page/src/days.js").Day[]} earlier
 */
function leftOut(later, earlier) {
  const some = [later.length > 0 ? `${later.length} later` : "", earlier.length > 0 ? `${earlier.length} earlier` : ""].filter(Boolean);
  return some.length > 0 ? `; left out: ${counted(later.length + earlier.length, "day")} (${some.join(", ")})` : "";
}

/**
 * @param {number} year
 * @param {Map<string, import("../../page/src/days.js").Day>} byDay
 * @param {number} most
 * @param {[number, number]} at
 */
function yearCells(year, byDay, most, [left, top]) {
  const cells = [];
  let total = 0;
  const days = daysIn(String(year));
  const before = weekday(days[0]);
  for (const [at, day] of days.entries()) {
    const one = byDay.get(day);
    const count = one ? KINDS[0][2](one) : 0;
    total += count;
    const [column, row] = [Math.floor((at + before) / 7), (at + before) % 7];
    cells.push(square(left + column * STEP, top + row * STEP, LEVELS[level(count, most)]));
    if (day.endsWith("-01")) cells.push(words(left + column * STEP, top - 7, MONTHS[Number(day.slice(5, 7)) - 1], { size: 11 }));
  }
  return { cells, total };
}

/** @param {number} x @param {number} y @param {string} colour */
const square = (x, y, colour) => `<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" rx="2.5" fill="${colour}"/>`;

/**
 * The passages of the notes by meaning, the newer the stronger, with the names of what lies where.
 * @param {{total: number, points: string, paths: string, regions: import("../../page/src/points.js").Region[]}} map
 * @param {(name: string) => boolean} isDrawable Whether there are letters for a name.
 * @param {number} now
 */
export function mapPicture(map, isDrawable, now) {
  const points = decoded(map, now);
  const side = WIDTH - 2 * EDGE;
  const top = 96;
  const share = map.total > points.count ? `${points.count.toLocaleString()} of ` : "";
  const below = `${share}${counted(map.total, "passage")} of notes; what is near is alike; the stronger the colour, the newer the note`;
  const parts = heading("Map", below);
  parts.push(`<rect x="${EDGE}" y="${top}" width="${side}" height="${side}" rx="10" fill="${CARD}" stroke="${LINE}"/>`);
  const place = (/** @type {{x: number, y: number}} */ { x, y }) => [shown(x, WHOLE.x, 1) * side, shown(y, WHOLE.y, 1) * side];
  const size = widthOfPoint(points.count, 1);
  for (const [group, members] of grouped(points, "age").entries()) {
    if (members.length === 0) continue;
    const dots = members.map((n) => {
      const [x, y] = place({ x: points.x[n], y: points.y[n] });
      return `M${(EDGE + x).toFixed(1)} ${(top + y).toFixed(1)}h.01`;
    });
    const colour = hue("age", group);
    parts.push(`<path fill="none" stroke="${colour}" stroke-width="${size.toFixed(2)}" stroke-linecap="round" d="${dots.join("")}"/>`);
  }
  const drawable = map.regions.filter(({ name }) => isDrawable(name));
  const names = named(drawable, { place, widthOf: widthOfName, half: NAME_SIZE * 0.8, width: side, height: side, most: NAMES });
  for (const { name, x, y, box } of names) {
    const [wide, high] = [box[2] - box[0], box[3] - box[1]];
    parts.push(
      `<rect x="${EDGE + box[0]}" y="${top + box[1]}" width="${wide}" height="${high}" rx="4" fill="${CARD}" fill-opacity="0.82"/>`,
      words(EDGE + x, top + y + NAME_SIZE * 0.36, name, { size: NAME_SIZE, colour: TEXT, anchor: "middle" }),
    );
  }
  let left = EDGE;
  const line = top + side + 30;
  for (const { name, colour, count } of legend(points, "age")) {
    const text = `${name} (${count.toLocaleString()})`;
    parts.push(square(left, line - 11, colour), words(left + 18, line, text, { size: 12 }));
    left += 18 + 12 * 0.6 * text.length + 14;
  }
  return svg(line + 26, parts);
}

/** Letters that are as wide as high. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** How much room a name takes, rather too much than too little. @param {string} name */
const widthOfName = (name) => 10 + NAME_SIZE * [...name].reduce((sum, char) => sum + (WIDE.test(char) ? 1.05 : 0.64), 0);
