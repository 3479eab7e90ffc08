// The recorded session: what a terminal would still show, in its colours.

import { expect, test } from "vitest";
import { foldedAt, linesOf, plain, spansOf, svgOf } from "../../scripts/session/svg.mjs";

test("what was written over is gone", () => {
  expect(linesOf("[██░░] 1/2\r\u001b[2K[████] 2/2\r\u001b[2KDone.  \r\nnext\n")).toEqual(["Done.", "next", ""]);
  expect(linesOf("plain")).toEqual(["plain"]);
});

test("colours and bold are those of the escape sequences, and others are left out", () => {
  expect(spansOf("a \u001b[32mgreen\u001b[39m \u001b[1mbold\u001b[22m\u001b[?25h.")).toEqual([
    { text: "a ", colour: "#e6edf3", bold: false },
    { text: "green", colour: "#7ee787", bold: false },
    { text: " ", colour: "#e6edf3", bold: false },
    { text: "bold", colour: "#e6edf3", bold: true },
    { text: ".", colour: "#e6edf3", bold: false },
  ]);
  expect(plain("\u001b]8;;x\u0007link\u001b]8;;\u0007")).toBe("link");
});

test("text of notes ends no element", () => {
  const svg = svgOf([{ command: 'search "<b>"', lines: ["a < b && c", ""] }], 40);
  expect(svg).toContain("a &lt; b &amp;&amp; c");
  expect(svg).not.toContain("<b>");
  expect(svg.match(/<text /g)).toHaveLength(2);
});

// Three lines of the recording ended at the edge of the picture.
test("a line that is too wide goes on in the next row, in its colours", () => {
  const rows = foldedAt(spansOf("abcd\u001b[32méfg\u001b[39m"), 3);
  expect(rows.map((row) => row.map(({ text }) => text))).toEqual([["abc"], ["d", "éf"], ["g"]]);
  expect(rows[2][0].colour).toBe("#7ee787");
  expect(foldedAt([], 3)).toEqual([[]]);
});
