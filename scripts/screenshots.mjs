// Takes the README's pictures of the page: the plugin is packed and installed into a fresh real host, which has the notes of
// examples/workspace and some pages of its own documentation, and a browser looks at it.
//
//   npm run screenshots [-- --host 2026.9.6]       needs a browser, see __test__/support/browser.mjs

import { cp, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TestHost } from "../__test__/host/harness.mjs";
import { BROWSER, NO_BROWSER, openBrowser, watchedPage } from "../__test__/support/browser.mjs";
import { packPlugin } from "../__test__/support/pack.mjs";
import { PLUGIN_ID } from "../lib/package-info.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: args } = parseArgs({ options: { host: { type: "string", default: "2026.9.6" } } });
/** Pages of documentation that become notes: enough for a map, and embedded within a minute or two. */
const DOCUMENTS = 240;
/** Longest wait for the index, in seconds. */
const PATIENCE_S = 600;

if (!BROWSER) throw new Error(NO_BROWSER);
const { file: tarball } = await packPlugin();
const host = await TestHost.start(args.host, { files: {}, rules: [{ match: ".", reply: "I see." }] });
const browser = await openBrowser();
try {
  await cp(path.join(root, "examples/workspace"), host.workspace, { recursive: true });
  await addDocuments();
  await host.installPlugin(tarball);
  await host.ok(PLUGIN_ID, "setup", "--yes");
  await host.configure({ provider: "embedded", autoRecall: true, autoCapture: true });
  await host.ok("memory", "index");
  await host.startGateway();
  for (const message of [
    "hello there",
    "when do I put out the trash?",
    "Remember that I prefer oolong in the evening.",
    "what does ERR_FLASH_4012 mean?",
  ]) {
    await host.turn(message, { local: false });
  }
  const origin = `http://127.0.0.1:${host.port}`;
  const { page, faults } = await watchedPage(browser, origin, { viewport: { width: 920, height: 860 }, deviceScaleFactor: 1.25 });
  await page.goto(`${origin}/${PLUGIN_ID}/page/#token=test-token`);
  const shoot = async (/** @type {string} */ name) => {
    await page.getByText("Looking…").waitFor({ state: "detached" });
    await pause(500);
    await page.screenshot({ path: path.join(root, "docs", name) });
  };
  await page.getByLabel("Search memory").fill("what does ERR_FLASH_4012 mean");
  await page.locator(".card").first().waitFor();
  await page.getByText("Why it is here").first().click();
  await shoot("page.png");
  await page.getByRole("link", { name: "Map" }).click();
  await page.getByRole("img", { name: /^Map of/ }).waitFor();
  await shoot("page-map.png");
  await page.getByRole("link", { name: "What it did" }).click();
  for (let waited = 0; waited < PATIENCE_S && (await page.locator(".row.kept").count()) === 0; waited++) {
    await pause(1000);
    await page.reload();
    await page.locator(".rows").waitFor();
  }
  await page.getByText("As the model saw it").first().click();
  await shoot("page-did.png");
  if (faults.length > 0) throw new Error(faults.join("\n"));
  console.log("docs/page.png, docs/page-map.png, docs/page-did.png");
} finally {
  await browser.close();
  await host.stop();
}

/** Every few pages of the host's own documentation. */
async function addDocuments() {
  const folder = path.join(path.dirname(host.entry), "docs");
  const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".md")).sort();
  const every = Math.max(1, Math.floor(pages.length / DOCUMENTS));
  for (const name of pages.filter((_, at) => at % every === 0)) {
    const to = path.join(host.workspace, "memory/openclaw", name);
    await mkdir(path.dirname(to), { recursive: true });
    await cp(path.join(folder, name), to);
  }
}
