// The pictures of a report: what is on them, with which letters, and who may read them.

import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { daysIn, level, rowsOf, weeksOf } from "../../page/src/days.js";
import { fontsFor } from "../../plugin/page/fonts.js";
import { mapPicture, timelinePicture } from "../../plugin/page/pictures.js";
import { pngs } from "../../plugin/page/png.js";
import { writePage } from "../../scripts/ship/page.mjs";
import { writePictures } from "../../scripts/ship/pictures.mjs";
import { commandLine } from "../support/command-line.mjs";
import { readPng } from "../support/png.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TTF = path.dirname(createRequire(import.meta.url).resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"));
const NOW = Date.parse("2026-11-25T10:00:00Z");

const LINES = {
  boats: "The anchor of the sailing boat was mended in the harbour.",
  bread: "The sourdough bread of rye flour needs a longer rest.",
  taxes: "The tax office wants the annual return of income.",
};
const FILES = Object.fromEntries(
  Object.entries(LINES).flatMap(([topic, line], at) =>
    Array.from({ length: 5 }, (_, n) => [`memory/202${n + 1}-0${at + 1}-11-${topic}.md`, `# ${topic} ${n}\n\n- ${line} Number ${n}.\n`]),
  ),
);

beforeAll(async () => {
  await writePage(root);
  await writePictures(root);
});

/** What is written on a picture. @param {string} svg */
const wordsOn = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

/** @param {{name: string, x?: number, y?: number}[]} regions @param {number[][]} [places] */
function mapOf(regions, places = [[1000, 2000]]) {
  const points = Buffer.alloc(14 * places.length);
  places.forEach(([x, y, day = 20_000], n) => {
    points.writeUInt16LE(x, 14 * n + 8);
    points.writeUInt16LE(y, 14 * n + 10);
    points.writeUInt16LE(day, 14 * n + 12);
  });
  const placed = regions.map((region, n) => ({ x: 32_000, y: 9000 * (n + 1), count: 3, ...region }));
  return { total: places.length, paths: "memory/a.md", points: points.toString("base64"), regions: placed };
}

/** @param {string} day @param {number} notes */
const dayWith = (day, notes) => ({ day, notes: Array(notes).fill("memory/x.md"), conversations: 0, kept: 0, learned: 0 });

test("a report has its pictures beside it, which only their owner may read, and without texts they hold no word of a note", async () => {
  const { run, json, dir } = await commandLine({ provider: "embedded" }, { files: FILES });
  await run("index");
  const [whole, bare] = ["whole.html", "bare.html"].map((name) => path.join(dir, name));
  // Somebody else's may stand there, and be readable by all.
  await writeFile(path.join(dir, "whole-map.png"), "", { mode: 0o644 });
  const answer = await json("report", whole, "--png");
  const [timeline, map] = ["whole-timeline.png", "whole-map.png"].map((name) => path.join(dir, name));
  expect(answer).toEqual({ agentId: "main", file: whole, private: true, timeline, map, unnamed: 0 });
  for (const file of [timeline, map]) {
    expect((await stat(file)).mode & 0o777, file).toBe(0o600);
    const { width, height, colours } = readPng(await readFile(file));
    expect([width, height > 500, colours.size > 20], file).toEqual([2000, true, true]);
  }
  const { output } = await run("report", bare, "--png", "--no-text");
  const names = ["bare.html", "bare-timeline.png", "bare-map.png"].map((name) => path.join(dir, name));
  expect(output.trim().split("\n")).toEqual(names);
  const snapshot = async (/** @type {string} */ file) =>
    JSON.parse(/id="memory-report">(.*?)<\/script>/s.exec(await readFile(file, "utf8"))?.[1] ?? "");
  const written = async (/** @type {string} */ file) => {
    const { timeline: days, map: points } = await snapshot(file);
    return [...wordsOn(timelinePicture(days, NOW)), ...wordsOn(mapPicture(points, () => true, NOW))];
  };
  const [full, empty] = [await written(whole), await written(bare)];
  for (const word of ["boat", "bread", "annual"]) {
    expect(full.join("\n")).toContain(word);
    expect(empty.join("\n")).not.toContain(word);
  }
  // Months, numbers, and what the picture says of itself: all that is in the whole one but for the names of regions.
  const { regions } = (await snapshot(whole)).map;
  expect(regions.length).toBeGreaterThan(1);
  const named = regions.map((/** @type {{name: string}} */ { name }) => name);
  expect(empty).toEqual(full.filter((text) => !named.includes(text)));
  // What was drawn differs by the names only, and so by some dark pixels.
  const dark = async (/** @type {string} */ name) => readPng(await readFile(path.join(dir, name))).colours.get("#22201d") ?? 0;
  expect(await dark("bare-map.png")).toBeLessThan(await dark("whole-map.png"));
  expect((await readFile(path.join(dir, "bare-timeline.png"))).equals(await readFile(timeline))).toBe(true);
});

test("a memory without a vector or a day has pictures too", async () => {
  const { run, json, dir } = await commandLine({ provider: "none" }, { files: { "MEMORY.md": "# Memory\n\nTea.\n" } });
  await run("index");
  const { timeline, map } = await json("report", path.join(dir, "empty.html"), "--png");
  for (const file of [timeline, map]) expect(readPng(await readFile(file)).width).toBe(2000);
});

test("ten years are one picture: days as weeks, gaps empty, and a burst the darkest", async () => {
  const days = [];
  for (let year = 2017; year <= 2026; year++) {
    if (year !== 2019) for (const day of daysIn(String(year)).filter((_, at) => at % 3 === 0)) days.push(dayWith(day, 1));
  }
  days.push(dayWith("2026-12-29", 30));
  const svg = timelinePicture({ days }, NOW);
  const years = wordsOn(svg).filter((text) => /^20\d\d$/.test(text));
  expect(years).toEqual(["2026", "2025", "2024", "2023", "2022", "2021", "2020", "2019", "2018", "2017"]);
  const cells = (/** @type {string} */ colour) => svg.split(`rx="2.5" fill="${colour}"`).length - 1;
  // One of each colour is in the key to them. The burst alone has the darkest.
  expect(cells("#13534a")).toBe(2);
  expect(cells("#cfe6e1")).toBe(days.length);
  const all = daysIn("2019").length + days.length;
  expect(cells("#f1efea")).toBeGreaterThan(all / 2);
  const { timeline } = await pngs({ madeAt: new Date(NOW).toISOString(), timeline: { days }, map: mapOf([]) });
  const { height, colours } = readPng(Buffer.from(timeline));
  expect(height).toBeLessThan(3500);
  // The darkest are as many pixels as two cells have, less their corners.
  expect(colours.get("#13534a")).toBeGreaterThan(2 * 22 * 22);
});

test("days are told apart into weeks from Monday on, also over a leap day and the end of a year", () => {
  expect(daysIn("2024").length).toBe(366);
  expect(daysIn("2026-02").at(-1)).toBe("2026-02-28");
  expect(daysIn("2025-12").at(-1)).toBe("2025-12-31");
  // 1 November 2026 is a Sunday.
  expect(weeksOf(daysIn("2026-11")).map((week) => [week[0].slice(8), week.length])).toEqual([
    ["01", 1],
    ["02", 7],
    ["09", 7],
    ["16", 7],
    ["23", 7],
    ["30", 1],
  ]);
  expect([0, 1, 10, 30].map((n) => level(n, 30))).toEqual([0, 1, 2, 4]);
});

/** @param {string[]} names */
const rowsWith = (names) => {
  const { rows, later, earlier } = rowsOf(
    names.map((name) => dayWith(name, 1)),
    NOW,
  );
  const texts = rows.map(({ newest, oldest }) => (newest > oldest ? `${oldest} to ${newest}` : String(newest)));
  return { rows: texts, later: later.map(({ day }) => day), earlier: earlier.map(({ day }) => day) };
};

// A hundred years were counted down from the note of 2126, and none of them was one in which anything was written.
test("a note whose name is of another century hides none of the others", () => {
  const real = ["2003-03-01", "2014-05-01", "2024-05-01", "2026-11-02", "2027-01-01"];
  const empty = ["2023", "2022", "2021", "2020", "2019", "2018", "2017", "2016", "2015"];
  const rows = ["2027", "2026", "2025", "2024", ...empty, "2014", "2004 to 2013", "2003"];
  expect(rowsWith(real)).toEqual({ rows, later: [], earlier: [] });
  const slips = { later: ["2028-01-01", "2126-11-30", "9999-12-31"], earlier: ["0001-01-01", "1927-06-01"] };
  expect(rowsWith([...slips.earlier, ...real, ...slips.later])).toEqual({ rows, ...slips });
  expect(rowsWith(["2126-11-30"])).toEqual({ rows: [], later: ["2126-11-30"], earlier: [] });
  expect(rowsWith([])).toEqual({ rows: [], later: [], earlier: [] });
  // The first of a hundred is the next year.
  const century = Array.from({ length: 120 }, (_, at) => `${1908 + at}-01-01`);
  expect(rowsWith(century)).toMatchObject({ rows: { length: 100 }, later: [], earlier: { length: 20 } });
});

test("a picture of years shows them beside a slip of the hand, and says what it leaves out", () => {
  const days = ["0001-01-01", "2009-03-01", "2026-11-02", "2126-11-30"].map((day) => dayWith(day, 1));
  const texts = wordsOn(timelinePicture({ days }, NOW));
  expect(texts).toContain("2009-03-01 to 2026-11-02: 2 notes; left out: 2 days (1 later, 1 earlier)");
  expect(texts).toContain("2010 to 2025: nothing");
  expect(texts.filter((text) => /^\d{4}$/.test(text))).toEqual(["2026", "2009"]);
  const alone = wordsOn(timelinePicture({ days: days.slice(-1) }, NOW));
  expect(alone).toContain("nothing; left out: 1 day (1 later)");
});

test("names are letters on the map and never its markup, and those without a font are counted", async () => {
  const names = ['<script>alert(1)</script> & "boats"', "Straße, žluťoučký, кот", "שלום, سلام", "東京"];
  const map = mapOf(names.map((name) => ({ name })));
  const own = await readFile(path.join(TTF, "DejaVuSans.ttf"));
  const { fonts, isDrawable } = await fontsFor(own, names, []);
  expect([fonts.length, names.map(isDrawable)]).toEqual([1, [true, true, true, false]]);
  const svg = mapPicture(map, isDrawable, NOW);
  expect(svg).not.toContain("<script");
  expect(wordsOn(svg)).toEqual(
    expect.arrayContaining([names[1], names[2], "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;boats&quot;"]),
  );
  expect(svg).not.toContain("東京");
});

test("letters that the font has not are taken from fonts of the machine, and a broken one is passed over", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "memory-fonts-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const own = await readFile(path.join(TTF, "DejaVuSans.ttf"));
  const name = "truth \u27d8 \u{1d7c5}";
  await writeFile(path.join(folder, "broken.ttf"), own.subarray(0, 40));
  await writeFile(path.join(folder, "nothing.otf"), "");
  expect((await fontsFor(own, [name], [folder])).isDrawable(name)).toBe(false);
  await writeFile(path.join(folder, "other.ttf"), await readFile(path.join(TTF, "DejaVuMathTeXGyre.ttf")));
  const { fonts, isDrawable } = await fontsFor(own, [name], [folder, "/no/such/folder"]);
  expect([fonts.length, isDrawable(name), isDrawable("東")]).toEqual([2, true, false]);
});

test("100,000 passages are a picture", async () => {
  const places = Array.from({ length: 100_000 }, (_, n) => [(n * 7919) % 65_536, (n * 104_729) % 65_536, 18_000 + (n % 2700)]);
  const { map } = await pngs({ madeAt: new Date(NOW).toISOString(), timeline: { days: [] }, map: mapOf([{ name: "boats" }], places) });
  const { width, height, colours } = readPng(Buffer.from(map));
  // Most of what is white without a point is not.
  expect((colours.get("#ffffff") ?? 0) / (width * height)).toBeLessThan(0.75);
});
