import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** @param {string} file */
const read = (file) => readFileSync(`${root}/${file}`, "utf8");

/** Codes in brackets, alone or in a row: "(K4)", "(A3–A7)", "(F4, as 2026.4.12 does it)". */
const CITED = /\(((?:[A-T]\d{1,2}(?:–[A-T]\d{1,2})?(?:, |(?=[);, ])))+)/g;

test("every row that a comment cites is there", () => {
  const rows = new Set([...read("docs/contract.md").matchAll(/^\| ([A-T]\d+) \|/gm)].map(([, row]) => row));
  const files = execFileSync("git", ["ls-files", "crates", "src", "plugin", "lib", "scripts", "__test__"], { cwd: root, encoding: "utf8" });
  const cited = new Map();
  for (const file of files.split("\n").filter((name) => /\.(rs|js|mjs)$/.test(name))) {
    for (const line of read(file)
      .split("\n")
      .filter((text) => /^\s*(\/\/|\/?\*)/.test(text))) {
      for (const [, codes] of line.matchAll(CITED)) {
        for (const [code] of codes.matchAll(/[A-T]\d{1,2}/g)) cited.set(code, `${file}: ${line.trim()}`);
      }
    }
  }
  expect(cited.size).toBeGreaterThan(50);
  expect([...cited].filter(([code]) => !rows.has(code))).toEqual([]);
});
