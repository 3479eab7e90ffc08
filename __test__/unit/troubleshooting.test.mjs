// The page for people with an error code in front of them.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (/** @type {string} */ name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");

test("every error code has its section, which begins with what the code's own table says of it", () => {
  const source = read("crates/model/src/error/code.rs");
  const texts = new Map([...source.matchAll(/Self::(\w+) => "(MEM_\w+)"/g)].map(([, name, code]) => [name, code]));
  const meanings = new Map(
    [...source.slice(0, source.indexOf("impl Code")).matchAll(/\/\/\/ ([^\n]+)\n {4}(\w+),/g)].map(([, meaning, name]) => [
      texts.get(name),
      meaning,
    ]),
  );
  const sections = read("docs/troubleshooting.md").split(/^### /m).slice(1);
  const explained = new Map(
    sections.map((section) => [section.slice(0, section.indexOf("\n")), section.slice(section.indexOf("\n")).replace(/\s+/g, " ").trim()]),
  );
  expect([...explained.keys()].toSorted()).toEqual([...texts.values()].toSorted());
  expect(texts.size).toBeGreaterThan(15);
  for (const [code, text] of explained) expect(text.startsWith(meanings.get(code) ?? "?"), `${code}: ${text}`).toBe(true);
});

test("the pages link to each other, and every link leads somewhere", () => {
  const pages = [
    "README.md",
    ...["automatic-memory", "conversations", "operations", "privacy", "providers", "troubleshooting"].map((name) => `docs/${name}.md`),
  ];
  for (const page of pages) {
    for (const [, target] of read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      expect(() => readFileSync(new URL(target, new URL(`../../${page}`, import.meta.url))), `${page}: ${target}`).not.toThrow();
    }
  }
});
