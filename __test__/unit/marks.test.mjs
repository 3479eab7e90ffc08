// What is set off of a result, on a terminal and on the page.

import { expect, test } from "vitest";
import { marked } from "../../lib/marks.js";

/** With brackets around what is set off. @param {string} text @param {string[]} words @param {string} [query] */
const shown = (text, words, query) =>
  marked(text, words, query)
    .map((piece, at) => (at % 2 === 1 ? `[${piece}]` : piece))
    .join("");

// Of a clause without spaces only the first word was set off, or none.
test.each([
  ["会議は東京都で開かれた", ["東京", "京都", "会議"], "東京都の会議", "[会議]は[東京都]で開かれた"],
  ["明天在北京开会", ["北京", "开会"], "北京开会", "明天在[北京开会]"],
  ["新しいデータベースを使う", ["データベース"], "データベース", "新しい[データベース]を使う"],
  ["ฉันชอบดื่มกาแฟตอนเช้า", ["กาแฟ"], "กาแฟ", "ฉันชอบดื่ม[กาแฟ]ตอนเช้า"],
  // The index has another form of some letters.
  ["ดื่มกาแฟดำตอนเช้า", ["กาแฟดํา"], "กาแฟดำ", "ดื่ม[กาแฟดำ]ตอนเช้า"],
  ["ﾃﾞｰﾀを使う, ＡＰＩ", ["データ", "api"], "データ API", "[ﾃﾞｰﾀ]を使う, [ＡＰＩ]"],
  ["새데이터베이스를 쓴다", ["데이터베이스"], "데이터베이스", "새[데이터베이스]를 쓴다"],
  ["東京のAPIとapiary", ["api"], "API 東京", "東京の[API]と[api]ary"],
])("%s", (text, words, query, expected) => expect(shown(text, words, query)).toBe(expected));

test("pieces that are grammar only are set off where nothing else was asked", () => {
  const text = "東京です。さくらが咲きました";
  expect(shown(text, ["です", "東京", "ました", "が"], "東京です")).toBe("[東京]です。さくらが咲きました");
  expect(shown(text, ["です"], "大阪です")).toBe(text);
  expect(shown(text, ["さくら"], "さくら")).toBe("東京です。[さくら]が咲きました");
  expect(shown(text, ["です"])).toBe(text);
});

test("where there are spaces a word is set off at its beginning only, and what is written is no pattern", () => {
  expect(shown("The boat, a rowboat and boats", ["boat"], "boat")).toBe("The [boat], a rowboat and [boat]s");
  expect(shown("c++ and (x)", ["c++", "(x"], "c++")).toBe("[c++] and [(x])");
  expect(shown("лодка, подлодка", ["лодк"], "лодка")).toBe("[лодк]а, подлодка");
  expect(shown("nothing", [], "x")).toBe("nothing");
});
