// What a terminal showed as an SVG.

/** Width and height of a character, in pixels. */
const [CHAR, LINE] = [8.4, 19];
const MARGIN = 16;

/** Colours of a dark terminal, by the codes that ours and the host's commands use. @type {Record<number, string>} */
const COLOURS = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 90: "#8b949e" };
const [PLAIN, GROUND, PROMPT] = ["#e6edf3", "#0d1117", "#7ee787"];

/** An escape sequence; the first group holds the codes of one that sets colours. */
const ESCAPE = /\u001b\[([\d;]*)m|\u001b\[[\d;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[()][A-Z0-9]/g;

/** @typedef {{text: string, colour: string, bold: boolean}} Span */

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Erases a line. */
const ERASE = "\u001b[2K";

/**
 * The lines that stay on a screen: what is written over, such as a progress bar, is gone.
 * @param {string} output
 */
export function linesOf(output) {
  return output.split(/\r?\n/).map((line) => {
    const erased = line.lastIndexOf(ERASE);
    return line.slice(Math.max(line.lastIndexOf("\r") + 1, erased < 0 ? 0 : erased + ERASE.length)).trimEnd();
  });
}

/** A line without escape sequences. @param {string} line */
export const plain = (line) => line.replace(ESCAPE, "");

/**
 * The pieces of a line, each in one colour.
 * @param {string} line
 * @returns {Span[]}
 */
export function spansOf(line) {
  /** @type {Span[]} */
  const spans = [];
  let [from, colour, bold] = [0, PLAIN, false];
  const take = (/** @type {number} */ to) => {
    if (to > from) spans.push({ text: line.slice(from, to), colour, bold });
  };
  for (const found of line.matchAll(ESCAPE)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[1] === undefined) continue;
    for (const code of (found[1] || "0").split(";").map(Number)) {
      // A colour of 256 or more: its numbers are no codes.
      if (code === 38 || code === 48) break;
      if (code === 0) [colour, bold] = [PLAIN, false];
      else if (code === 1) bold = true;
      else if (code === 22) bold = false;
      else if (code === 39) colour = PLAIN;
      else colour = COLOURS[code] ?? colour;
    }
  }
  take(line.length);
  return spans;
}

/**
 * A line in rows of so many characters, as a terminal breaks it.
 * @param {Span[]} spans
 * @param {number} columns
 */
export function foldedAt(spans, columns) {
  /** @type {Span[][]} */
  const rows = [[]];
  let left = columns;
  for (const span of spans) {
    const characters = [...span.text];
    for (let from = 0; from < characters.length; ) {
      if (left === 0) {
        rows.push([]);
        left = columns;
      }
      const piece = characters.slice(from, from + left);
      rows.at(-1)?.push({ ...span, text: piece.join("") });
      from += piece.length;
      left -= piece.length;
    }
  }
  return rows;
}

/**
 * @param {{command: string, lines: string[]}[]} steps What was typed, and what was shown.
 * @param {number} columns
 */
export function svgOf(steps, columns) {
  const rows = steps.flatMap(({ command, lines }, at) => [
    ...(at > 0 ? [[]] : []),
    ...[
      [
        { text: "$ ", colour: PROMPT, bold: true },
        { text: command, colour: PLAIN, bold: true },
      ],
      ...lines.map(spansOf),
    ].flatMap((spans) => foldedAt(spans, columns)),
  ]);
  const [width, height] = [Math.ceil(columns * CHAR + 2 * MARGIN), rows.length * LINE + 2 * MARGIN];
  const text = rows.flatMap((spans, at) => {
    if (spans.length === 0) return [];
    const parts = spans.map(({ text: shown, colour, bold }) => {
      const weight = bold ? ' font-weight="bold"' : "";
      return `<tspan fill="${colour}"${weight}>${escaped(shown)}</tspan>`;
    });
    return `<text x="${MARGIN}" y="${MARGIN + (at + 0.75) * LINE}">${parts.join("")}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>`,
    '<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" xml:space="preserve">',
    ...text,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}
