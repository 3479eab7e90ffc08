// Columns on a terminal.

import { stripVTControlCharacters } from "node:util";
import { oneLine, paint } from "./output.js";

/** Narrower than this no text is readable. */
const MIN_TEXT = 24;

/** How many cells a text takes: Chinese, Japanese, Korean and emoji take two each. @param {string} text */
export function cells(text) {
  let sum = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue;
    sum +=
      /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return sum;
}

/**
 * A text in at most so many cells, on one line.
 * @param {string} text
 * @param {number} width
 */
export function clipped(text, width) {
  const line = oneLine(text);
  if (cells(line) <= width) return line;
  let kept = "";
  let used = 0;
  for (const character of line) {
    used += cells(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * Rows under headings; the last column takes what is left of the line.
 * @param {string[]} headings
 * @param {string[][]} rows Painted or not; the last cell of each row is plain.
 * @param {number} [columns] Where it goes into a file or another program, whole lines.
 */
export function table(headings, rows, columns = process.stdout.columns || Number.POSITIVE_INFINITY) {
  const last = headings.length - 1;
  const widths = headings.map((heading, at) => Math.max(cells(heading), ...rows.map((row) => cells(row[at] ?? ""))));
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(MIN_TEXT, columns - before - 1);
  const line = (/** @type {string[]} */ row) =>
    row.map((cell, at) => (at === last ? clipped(cell, room) : cell + " ".repeat(widths[at] - cells(cell)))).join("  ");
  return [paint("gray", line(headings)), ...rows.map(line)].join("\n");
}
