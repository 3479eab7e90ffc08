// Chunks (C1, C2, C4) against the host's own `chunkMarkdown`: same lines, same text.

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chunkMarkdown } from "../../lib/text.js";
import { random } from "./corpus.mjs";
import { askHost } from "./host.mjs";

const LATIN = ["a", "b ", "word ", ". ", "é", "\t"];
const CJK = ["漢", "字", "ア", "한", "ꀀ", "⺀", "豈", "０"];
const PAIRS = ["😀", "👩‍🚀", "𠀀", "\u{2fa1f}", "\u{2fa20}", "\u{2fbff}", "\u{20000}a"];
const BORDERS = [
  "\u{2e7f}",
  "\u{2e80}",
  "\u{a4cf}",
  "\u{a4d0}",
  "\u{abff}",
  "\u{d7af}",
  "\u{d7b0}",
  "\u{faff}",
  "\u{fb00}",
  "\u{fffd}",
  "\r",
];
const ALPHABETS = [LATIN, CJK, PAIRS, BORDERS, [...LATIN, ...CJK], [...LATIN, ...PAIRS], [...LATIN, ...CJK, ...PAIRS, ...BORDERS]];

const DEFAULTS = { tokens: 400, overlap: 80 };

/** Shapes that a rule of the algorithm, or a careless implementation, stumbles over. */
const SHAPES = {
  nothing: "",
  "a line break": "\n",
  blanks: " \n\t\n\u{feff}\n\u{3000}\n\u{85}",
  "CRLF paragraphs": Array.from({ length: 300 }, (_, i) => `line ${i} of a file from Windows\r`).join("\n"),
  "a line of exactly one chunk": `${"x".repeat(1599)}\nshort`,
  "a line of one unit more": `${"x".repeat(1600)}\nshort`,
  "a long line before many empty ones": `${"y".repeat(1599)}\n${"\n".repeat(400)}`,
  "a pair across the cut": `${"z".repeat(1599)}😀${"z".repeat(1599)}𠀀`,
  "one line of CJK": "会议记录与部署方案".repeat(500),
  "CJK with one rare pair": `${"漢".repeat(399)}\u{2fa20}\n${"字".repeat(401)}`,
  "one line of emoji": "👩‍🚀🎉".repeat(700),
  "no line break in 200 kB": "token ".repeat(33_000),
  "a table": Array.from({ length: 200 }, (_, i) => `| ${i} | ${"cell ".repeat(i % 23)} |`).join("\n"),
  "a code fence": `\`\`\`js\n${Array.from({ length: 90 }, (_, i) => `  const value${i} = compute(${i});`).join("\n")}\n\`\`\``,
};

/**
 * Random texts with random chunk sizes.
 * @param {number} count
 */
function randomCases(count) {
  const next = random(42);
  return Array.from({ length: count }, () => {
    const alphabet = ALPHABETS[next(ALPHABETS.length)];
    const lines = Array.from({ length: next(30) }, () =>
      Array.from({ length: next(5) === 0 ? next(400) : next(30) }, () => alphabet[next(alphabet.length)]).join(""),
    );
    const tokens = 1 + next(60);
    return { text: lines.join("\n"), tokens, overlap: next(tokens) };
  });
}

const shaped = Object.values(SHAPES).flatMap((text) => [
  { text, ...DEFAULTS },
  { text, tokens: 400, overlap: 399 },
  { text, tokens: 100, overlap: 0 },
]);
const drawn = randomCases(2000);

describe("chunks are those of host 2026.4.12", () => {
  let dir = "";
  /** @type {[number, number, string][][]} */
  let expected = [];

  beforeAll(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "oracle-chunk-"));
    expected = await askHost(dir, "chunk", { chunk: [...shaped, ...drawn] });
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /**
   * The host drops blank chunks a step later (C4).
   * @param {(typeof drawn)[number]} one
   * @param {[number, number, string][]} host
   */
  const check = async ({ text, tokens, overlap }, host) => {
    const ours = await chunkMarkdown(text, tokens, overlap);
    expect(ours.map((c) => [c.startLine, c.endLine, c.text])).toEqual(host.filter(([, , chunk]) => chunk.trim() !== ""));
  };

  test.each(Object.keys(SHAPES).map((name, i) => [name, i]))("%s", async (_, i) => {
    for (let j = 3 * i; j < 3 * i + 3; j += 1) await check(shaped[j], expected[j]);
  });

  test("random texts in every script", async () => {
    for (const [i, one] of drawn.entries()) await check(one, expected[shaped.length + i]);
  });
});
