// The page over 100,000 passages of a real index, in a real gateway and a real browser. How long things take is printed; what
// is asked for does not depend on the machine: how much is drawn, how often, how much is sent, and that nobody waits.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, NO_BROWSER, openBrowser, watchedPage } from "../support/browser.mjs";
import { frameTimes, keyToResults, paintedAfter, timeFrames } from "../support/page-times.mjs";
import { memoryHost } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const [NOTES, LINES] = [100, 1000];
const TOPICS = ["harbour", "garden", "invoice", "bicycle", "recipe", "holiday", "doctor", "server", "guitar", "weather"];
const WORDS = ["morning", "agreed", "moved", "fixed", "asked", "later", "again", "changed", "office", "weekend", "meeting", "plan"];
/** Turns of the wheel, and how far each: together some four times as near. */
const [TURNS, NEARER] = [30, 14];

/** A line that fills a passage, none twice. @param {number} note @param {number} n */
function line(note, n) {
  const word = (/** @type {number} */ of) => WORDS[(note * 31 + n * of) % WORDS.length];
  const start = `${TOPICS[(note + n) % TOPICS.length]} ${note}-${n}: ${word(1)} ${word(5)}`;
  return `${start} ${"and the rest of what was said then ".repeat(4)}`.slice(0, 100);
}

/** What the canvas is told, counted: draws, points and names; in its own words, because it runs in the browser. */
const COUNTED = `
  const counts = (window.counts = { draws: 0, points: 0, names: 0, frames: 0, told: [] });
  const wrapped = (name, key, reset) => {
    const original = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...args) {
      counts[key] += 1;
      if (reset) { counts.points = 0; counts.names = 0; counts.told = []; }
      if (key === "names") counts.told.push(args[0]);
      return original.apply(this, args);
    };
  };
  wrapped("clearRect", "draws", true);
  wrapped("fillRect", "points");
  wrapped("fillText", "names");
  const frame = () => { counts.frames += 1; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);`;

/** @typedef {{draws: number, points: number, names: number, frames: number, told: string[]}} Counts */

/**
 * What was counted when nothing is drawn any more.
 * @param {() => Promise<Counts>} counts
 */
async function settled(counts) {
  let last = await counts();
  const isSame = async () => {
    const before = last.draws;
    last = await counts();
    return last.draws === before;
  };
  await expect.poll(isSame, { timeout: 60_000, interval: 300 }).toBe(true);
  return last;
}

/** @param {string} version */
export function pageScaleSuite(version) {
  describe.sequential(`The page over ${(NOTES * LINES).toLocaleString("en")} passages on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof memoryHost>>} */
    let home;
    /** @type {Awaited<ReturnType<typeof openBrowser>>} */
    let browser;
    /** @type {import("node:child_process").ChildProcess} */
    let server;
    let origin = "";
    steps();
    beforeAll(async () => {
      if (!BROWSER) return console.log(`The page is not looked at: ${NO_BROWSER}`);
      const program = fileURLToPath(new URL("../../bench/embed-server.mjs", import.meta.url));
      server = spawn(process.execPath, [program, "--dims", "128"], { stdio: ["ignore", "pipe", "inherit"] });
      const [told] = await once(/** @type {import("node:stream").Readable} */ (server.stdout), "data");
      home = await memoryHost(version, { files: {}, rules: [{ match: ".", reply: "HELLO" }] });
      const text = (/** @type {number} */ note) => Array.from({ length: LINES }, (_, n) => `${line(note, n)}\n`).join("");
      const names = Array.from({ length: NOTES }, (_, note) => `${home.host.workspace}/memory/list-${note}.md`);
      await Promise.all(names.map((name, note) => writeFile(name, text(note))));
      const remote = { baseUrl: `http://127.0.0.1:${JSON.parse(String(told)).port}/v1`, apiKey: "sk-scale" };
      await home.host.configure({ provider: "openai", model: "fake", remote, chunking: { tokens: 32, overlap: 0 } });
      await home.host.ok("memory", "index");
      await home.host.startGateway();
      origin = `http://127.0.0.1:${home.host.port}`;
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      server?.kill();
    });
    const inBrowser = (/** @type {string} */ name, /** @type {() => Promise<void>} */ run) => test.skipIf(!BROWSER)(name, run);

    inBrowser("the map holds every passage, and the gateway answers others while it is drawn", async () => {
      // The engine has to be opened first.
      await home.call("memoryCoreRs.page.search", { query: "harbour" });
      let isDrawn = false;
      const began = performance.now();
      const drawing = home.call("memoryCoreRs.page.map", {}).finally(() => (isDrawn = true));
      let [answered, longest] = [0, 0];
      while (!isDrawn) {
        const asked = performance.now();
        expect((await fetch(`${origin}/memory-core-rs/page/page.css`)).status).toBe(200);
        longest = Math.max(longest, performance.now() - asked);
        answered += 1;
      }
      const map = await drawing;
      console.log(
        `map: ${Math.round(performance.now() - began)} ms; ${answered} other answers meanwhile, the slowest ${Math.round(longest)} ms`,
      );
      expect([map.total, Buffer.from(map.points, "base64").length / 14]).toEqual([100_000, 100_000]);
      expect(answered).toBeGreaterThan(3);
      // Passages are sent as bytes and paths once: what a picture of them would be.
      expect(JSON.stringify(map).length).toBeLessThan(2_500_000);
      expect(map.regions.length).toBeGreaterThan(16);
    });

    inBrowser(
      "each frame draws once, all points of the whole map and only those in sight of a part, and names come with nearness",
      async () => {
        const { page, faults } = await watchedPage(browser, origin, { viewport: { width: 1000, height: 900 } });
        await page.addInitScript(COUNTED);
        const counts = async () => /** @type {Counts} */ (await page.evaluate("({ ...window.counts })"));
        await page.goto(`${origin}/memory-core-rs/page/#token=test-token`);
        console.log(`first paint: ${await paintedAfter(page)} ms`);
        await page.getByRole("link", { name: "Map" }).click();
        const picture = page.getByRole("img", { name: "Map of 100,000 passages" });
        await picture.waitFor();
        const isWhole = async () => (await counts()).points >= 100_000;
        await expect.poll(isWhole, { timeout: 60_000 }).toBe(true);
        // All points may be there some frames before the last of the first look is drawn.
        const whole = await settled(counts);
        // Beside the points, the names have a ground of their own.
        expect(whole.points - whole.names).toBe(100_000);
        expect(whole.names).toBeGreaterThan(3);
        const box = await picture.boundingBox();
        if (!box) throw new Error("the map has no place");
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await timeFrames(page);
        for (let turn = 0; turn < TURNS; turn++) await page.mouse.wheel(0, -NEARER);
        await expect.poll(async () => (await counts()).draws > whole.draws, { timeout: 60_000 }).toBe(true);
        const took = await frameTimes(page);
        console.log(`frames while zooming: half within ${took[took.length >> 1].toFixed(1)} ms, the longest ${took.at(-1)?.toFixed(1)} ms`);
        const near = await settled(counts);
        expect(near.draws - whole.draws).toBeLessThanOrEqual(near.frames - whole.frames);
        expect(near.draws - whole.draws).toBeLessThanOrEqual(TURNS);
        expect(near.points).toBeLessThan(whole.points / 2);
        await page.getByRole("button", { name: "Whole map" }).click();
        await expect.poll(isWhole, { timeout: 60_000 }).toBe(true);
        // Names of smaller regions come up as one comes nearer.
        expect(near.told.filter((name) => !whole.told.includes(name)).length).toBeGreaterThan(0);
        expect(faults).toEqual([]);
      },
    );

    inBrowser("a search shows its results after the key", async () => {
      const { page, faults } = await watchedPage(browser, origin);
      await page.goto(`${origin}/memory-core-rs/page/#token=test-token`);
      const times = await keyToResults(page, "harbour 17-333 morning");
      console.log(`from a key to its results: ${times.map((ms) => Math.round(ms)).join(", ")} ms`);
      expect(await page.locator(".card").count()).toBeGreaterThan(0);
      expect(faults).toEqual([]);
    });
  });
}
