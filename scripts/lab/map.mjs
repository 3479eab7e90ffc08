// The page over many passages: how long the map takes in a real gateway, the first time and after that, when the page is first
// painted, how long it takes from a key to the results of a search, and how the map moves, in a real browser.
//
//   npm run lab -- map [--host 2026.9.6] [--chunks 100000] [--dims 384]       needs a browser, see __test__/support/browser.mjs

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { TestHost } from "../../__test__/host/harness.mjs";
import { BROWSER, NO_BROWSER, openBrowser, watchedPage } from "../../__test__/support/browser.mjs";
import { packPlugin } from "../../__test__/support/pack.mjs";
import { frameTimes, keyToResults, paintedAfter, timeFrames } from "../../__test__/support/page-times.mjs";
import { PLUGIN_ID } from "../../lib/package-info.js";

const { values: args } = parseArgs({
  options: {
    host: { type: "string", default: "2026.9.6" },
    chunks: { type: "string", default: "100000" },
    dims: { type: "string", default: "384" },
  },
});
/** Turns of the wheel that are timed, and loads of the page. */
const [TURNS, LOADS] = [40, 5];
/** What is typed, each key when the one before is answered. */
const QUERY = "what did we decide about the gateway in november";

if (!BROWSER) throw new Error(NO_BROWSER);
const bench = (/** @type {string} */ name) => fileURLToPath(new URL(`../../bench/${name}`, import.meta.url));
const server = spawn(process.execPath, [bench("embed-server.mjs"), "--dims", args.dims], { stdio: ["ignore", "pipe", "inherit"] });
const { port } = JSON.parse(String((await once(/** @type {import("node:stream").Readable} */ (server.stdout), "data"))[0]));
const { file: tarball } = await packPlugin();
const host = await TestHost.start(args.host, { files: {}, rules: [{ match: ".", reply: "HELLO" }] });
const browser = await openBrowser();
try {
  await promisify(execFile)(process.execPath, [bench("corpus.mjs"), "--out", host.workspace, "--chunks", args.chunks]);
  await host.installPlugin(tarball);
  await host.ok(PLUGIN_ID, "setup", "--yes", "--no-index");
  await host.configure({ provider: "openai", model: "fake", remote: { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "sk-lab" } });
  console.log(`indexing some ${args.chunks} passages`);
  await host.ok("memory", "index");
  await host.startGateway();
  const asked = async () => {
    const began = performance.now();
    const map = await host.callAsOwner("memoryCoreRs.page.map", {});
    return { map, ms: Math.round(performance.now() - began) };
  };
  // The engine has to be opened first.
  await host.callAsOwner("memoryCoreRs.page.search", { query: "gateway" });
  const [first, second] = [await asked(), await asked()];
  console.log(`${first.map.total} passages: map ${first.ms} ms the first time, ${second.ms} ms after that`);
  const origin = `http://127.0.0.1:${host.port}`;
  const { page, faults } = await watchedPage(browser, origin, { viewport: { width: 1000, height: 900 } });
  await page.goto(`${origin}/${PLUGIN_ID}/page/#token=test-token`);
  const painted = [await paintedAfter(page)];
  for (let more = 1; more < LOADS; more++) {
    await page.reload();
    painted.push(await paintedAfter(page));
  }
  console.log(`first paint: ${painted.join(", ")} ms`);
  const searched = (await keyToResults(page, QUERY)).toSorted((a, b) => a - b);
  const [half, most, longest] = [0.5, 0.95, 1].map((share) => Math.round(searched[Math.floor((searched.length - 1) * share)]));
  console.log(
    `from a key to its results, ${searched.length} keys: half within ${half} ms, 95 of 100 within ${most} ms, longest ${longest} ms`,
  );
  const opened = performance.now();
  await page.getByRole("link", { name: "Map" }).click();
  const picture = page.getByRole("img", { name: /^Map of/ });
  await picture.waitFor();
  console.log(`map opened in ${Math.round(performance.now() - opened)} ms: ${await picture.getAttribute("aria-label")}`);
  const box = await picture.boundingBox();
  if (!box) throw new Error("the map has no place");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await timeFrames(page);
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, turn % 20 < 10 ? -40 : 40);
    await pause(16);
  }
  const frames = await frameTimes(page);
  const at = (/** @type {number} */ share) => frames[Math.floor((frames.length - 1) * share)].toFixed(1);
  console.log(`${frames.length} frames while zooming: half within ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms, longest ${at(1)} ms`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
} finally {
  await browser.close();
  await host.stop();
  server.kill();
}
