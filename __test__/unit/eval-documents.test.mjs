import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { documentRates, makeDocumentCase, scoreDocument } from "../../eval/documents.mjs";

const home = fs.mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-documents-"));
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const question = {
  id: "q/0",
  category: "two pages",
  lang: "en",
  half: "development",
  query: "q",
  answers: /** @type {[string, string][][]} */ ([
    [
      ["docs/a.md", "ends after one hour"],
      ["docs/b.md", "an hour long"],
    ],
    [["memory/home.md", "on Tuesday"]],
  ]),
};
const hit = (/** @type {string} */ file, /** @type {string} */ snippet) => ({ path: file, snippet });

test("each thing that is asked is shown, missed on its page, on another page, or not found at all", () => {
  const outcomes = (/** @type {{path: string, snippet: string}[]} */ hits) => scoreDocument(question, hits).outcomes;
  expect(outcomes([hit("memory/docs/b.md", "| it is  an\nhour long |"), hit("memory/home.md", "bins: on Tuesday")])).toEqual([
    "shown",
    "shown",
  ]);
  expect(outcomes([hit("memory/docs/b.md", "ends after one hour")])).toEqual(["passage", "page"]);
  expect(outcomes([])).toEqual(["nothing", "nothing"]);
  const scores = [
    scoreDocument(question, [
      hit("memory/docs/a.md", "it ends after one hour"),
      hit("memory/docs/a.md", "x"),
      hit("memory/home.md", "y"),
      hit("memory/docs/a.md", "z"),
    ]),
  ];
  expect(documentRates(scores)).toEqual({ count: 1, shown: 50, whole: 0, passage: 50, page: 0, nothing: 0, repeats: 50 });
});

test("a page that does not have its piece any more is named", () => {
  const [root, pages, caseDir] = ["set", "pages", "case"].map((name) => path.join(home, name));
  fs.mkdirSync(path.join(root, "ws/memory"), { recursive: true });
  fs.mkdirSync(pages);
  fs.writeFileSync(path.join(root, "ws/memory/home.md"), "bins on Tuesday\n");
  fs.writeFileSync(path.join(root, "meta.json"), "{}");
  fs.writeFileSync(path.join(root, "queries.jsonl"), `${JSON.stringify(question)}\n`);
  fs.writeFileSync(path.join(pages, "a.md"), "it ends   after one hour\n");
  fs.writeFileSync(path.join(pages, "b.md"), "it is a day long\n");
  fs.writeFileSync(path.join(pages, "picture.svg"), "<svg/>");
  expect(() => makeDocumentCase(root, pages, caseDir)).toThrow('q/0: docs/b.md has no line with "an hour long"');
  fs.writeFileSync(path.join(pages, "b.md"), "it is an hour long\n");
  makeDocumentCase(root, pages, caseDir);
  expect(fs.readdirSync(path.join(caseDir, "ws/memory/docs"))).toEqual(["a.md", "b.md"]);
});
