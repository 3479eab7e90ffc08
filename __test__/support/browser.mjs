// A real browser, where the machine has one.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Debian's, others', and what a developer names. */
const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine; undefined when there is none. */
export const BROWSER = PLACES.find((place) => place && existsSync(place));

/** Why a test of the page is skipped. */
export const NO_BROWSER = "no browser here: apt-get install chromium, or name one in CHROMIUM";

/** Patience with what the page is to show, on a busy machine, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Starts it. In containers its own sandbox has no rights to work with. */
export const openBrowser = async () =>
  await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: PATIENCE_MS });

/**
 * A page that keeps what must not happen: errors, dialogs, and requests to anywhere but one origin. And what it asked that for.
 * @param {import("playwright-core").Browser} browser
 * @param {string} origin
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function watchedPage(browser, origin, options) {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  /** @type {string[]} */
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("dialog", async (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => {
    if (/^(?:data|about):/.test(request.url())) return;
    if (new URL(request.url()).origin === origin) asked.push(request.url());
    else faults.push(`request: ${request.url()}`);
  });
  return { page, faults, asked };
}
