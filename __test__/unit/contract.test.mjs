import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** @param {string} file */
const read = (file) => readFileSync(`${root}/${file}`, "utf8");

/** Codes in brackets, alone or in a row: "(K4)", "(A3–A7)", "(F4, as 2026.4.12 does it)". */
const CITED = /\(((?:[A-T]\d{1,2}(?:–[A-T]\d{1,2})?(?:, |(?=[);, ])))+)/g;

const rows = new Set([...read("docs/contract.md").matchAll(/^\| ([A-T]\d+) \|/gm)].map(([, row]) => row));

/** Every line that is a comment, with its file. */
function comments() {
  const folders = ["crates", "src", "plugin", "lib", "scripts", "bench", "eval", "__test__"];
  const files = execFileSync("git", ["ls-files", ...folders], { cwd: root, encoding: "utf8" }).split("\n");
  return files
    .filter((name) => /\.(rs|js|mjs)$/.test(name))
    .flatMap((file) =>
      read(file)
        .split("\n")
        .filter((text) => /^\s*(\/\/|\/?\*)/.test(text))
        .map((text) => ({ file, text: text.trim() })),
    );
}

test("every row that a comment cites is there", () => {
  const cited = new Map();
  for (const { file, text } of comments()) {
    for (const [, codes] of text.matchAll(CITED)) {
      for (const [code] of codes.matchAll(/[A-T]\d{1,2}/g)) cited.set(code, `${file}: ${text}`);
    }
  }
  expect(cited.size).toBeGreaterThan(50);
  expect([...cited].filter(([code]) => !rows.has(code))).toEqual([]);
});

// A comment that was nothing but a code said nothing to whoever did not have the table open.
test("a comment says what it cites: codes stand in brackets beside words", () => {
  const bare = comments().filter(({ text }) =>
    [...text.replaceAll(CITED, "").matchAll(/(?<![\w#/.{–-])[A-T]\d{1,2}(?![\w}])/g)].some(([code]) => rows.has(code)),
  );
  expect(bare).toEqual([]);
});
