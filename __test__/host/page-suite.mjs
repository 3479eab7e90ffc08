// The page on a real gateway: what each address gives to whom, and the page itself in a real browser.

import { readFile, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, NO_BROWSER, openBrowser, watchedPage } from "../support/browser.mjs";
import { readPng } from "../support/png.mjs";
import { eventually, question } from "./memory-host.mjs";
import { FILES, gatewayWithPage, INVOICES, said, TOKEN } from "./page-home.mjs";
import { viewTests } from "./page-views.mjs";
import { steps } from "./steps.mjs";

/** What the page's addresses give to whom. @param {() => Awaited<ReturnType<typeof gatewayWithPage>>} home */
function addressTests(home) {
  test("the code of the page is for everybody, and nothing else is", async () => {
    const { base, ask } = home();
    const shell = await fetch(`${base}/page/`);
    expect(shell.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self';");
    const markup = await shell.text();
    expect(markup).toContain('name="memory-ticket" content=""');
    expect(markup).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=/);
    for (const name of ["page.js", "page.css"]) expect((await fetch(`${base}/page/${name}`)).status, name).toBe(200);
    expect((await fetch(`${base}/page/package.json`)).status).toBe(404);
    expect((await fetch(`${base}/page/..%2f..%2fpackage.json`)).status).not.toBe(200);
    expect((await fetch(`${base}/tab/`)).status).toBe(401);
    expect((await ask("overview", {}, {})).status).toBe(401);
    expect((await ask("overview", {}, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  });

  test("a question without a ticket gets nothing, and a ticket changes nothing", async () => {
    const { base } = home();
    const frame = async (/** @type {string} */ name, /** @type {object} */ body) =>
      await fetch(`${base}/page/call/${name}`, { method: "POST", headers: { origin: "null" }, body: JSON.stringify(body) });
    expect((await frame("search", { params: { query: "gate" } })).status).toBe(401);
    expect((await frame("search", { ticket: "x".repeat(32), params: { query: "gate" } })).status).toBe(401);
    const markup = await (await fetch(`${base}/tab/`, { headers: TOKEN })).text();
    const ticket = /name="memory-ticket" content="([\w-]{32})"/.exec(markup)?.[1];
    const found = await frame("search", { ticket, params: { query: "gate code" } });
    expect(found.headers.get("access-control-allow-origin")).toBe("null");
    expect(await found.json()).toMatchObject({ mayChange: false, result: { hits: [{ path: "MEMORY.md" }] } });
    expect((await frame("planForget", { ticket, params: { path: "MEMORY.md" } })).status).toBe(403);
    const other = await fetch(`${base}/page/call/overview`, { method: "POST", headers: { origin: "https://evil.example" }, body: "{}" });
    expect(other.headers.get("access-control-allow-origin")).toBe(null);
  });

  test("what changes something is put with a header that other sites cannot send", async () => {
    const { base, put, ask } = home();
    const plan = { path: "memory/2025-11-21.md", lines: "3-3" };
    const bare = await fetch(`${base}/tab/call/planForget`, { method: "PUT", headers: TOKEN, body: JSON.stringify(plan) });
    expect(bare.status).toBe(403);
    expect((await ask("planForget", plan)).status).toBe(403);
    const { result } = await said(await put("planForget", plan));
    expect(result).toMatchObject({ dryRun: true, passages: [{ path: plan.path, startLine: 3 }] });
    const wrong = await put("undoCapture", { id: 7 });
    expect([wrong.status, (await said(wrong)).error.code]).toEqual([400, "MEM_ARGUMENT"]);
  });

  test("prices are kept for whoever may write, and told with what was sent", async () => {
    const { ask, put } = home();
    expect((await said(await put("setPrices", { prices: { openai: 0.02, "a/b": { input: 3, output: 15 } } }))).result.kept).toHaveLength(2);
    expect((await said(await put("setPrices", { prices: { "a/b": null } }))).result.kept).toEqual([{ of: "openai", input: 0.02 }]);
    expect((await said(await put("setPrices", { prices: { openai: -1 } }))).error.code).toBe("MEM_ARGUMENT");
    const { costs } = (await said(await ask("health", {}))).result;
    expect(costs).toMatchObject({ kept: [{ of: "openai", input: 0.02 }], configured: [], months: expect.any(Array) });
  });

  test("the same questions are methods of the gateway", async () => {
    const { call } = home();
    const { hits } = await call("memoryCoreRs.page.search", { query: "gate code" });
    expect(hits[0]).toMatchObject({ path: "MEMORY.md", source: "memory", matched: expect.arrayContaining(["gate"]) });
    expect(hits[0].why.length).toBeGreaterThan(0);
    await expect(call("memoryCoreRs.page.search", { query: " " })).rejects.toThrow(/query must be a text/);
    await expect(call("memoryCoreRs.page.overview", { agentId: "nobody" })).rejects.toThrow(/no agent/);
  });

  test("who may only look is answered, and changes nothing", async () => {
    const { host } = home();
    const { hits } = await host.callWith("operator.read", "memoryCoreRs.page.search", { query: "gate code" });
    expect(hits[0].path).toBe("MEMORY.md");
    const plan = { path: "memory/2025-11-21.md", lines: "3-3" };
    await expect(host.callWith("operator.read", "memoryCoreRs.page.planForget", plan)).rejects.toThrow(/operator\.write/);
  });

  test("the report is written with its pictures, beside a running gateway", async () => {
    const { host } = home();
    const file = path.join(host.dir, "report.html");
    const { stdout } = await host.ok("memory", "report", file, "--png", "--json");
    const { timeline, map } = JSON.parse(stdout.slice(stdout.indexOf("{")));
    expect([timeline, map]).toEqual(["timeline", "map"].map((name) => path.join(host.dir, `report-${name}.png`)));
    for (const picture of [file, timeline, map]) expect((await stat(picture)).mode & 0o777, picture).toBe(0o600);
    const drawn = readPng(await readFile(timeline));
    // A day with a note, the key to the colours, and the days without.
    expect([drawn.width, (drawn.colours.get("#f1efea") ?? 0) > 1000, (drawn.colours.get("#13534a") ?? 0) > 1000]).toEqual([
      2000,
      true,
      true,
    ]);
  });
}

/** The addresses alone. @param {string} version */
export function pageRouteSuite(version) {
  describe.sequential(`The page's addresses on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof gatewayWithPage>>} */
    let home;
    steps();
    beforeAll(async () => {
      home = await gatewayWithPage(version);
    });
    addressTests(() => home);
  });
}

/**
 * The addresses, and the page in a browser.
 * @param {string} version
 * @param {{isTab?: boolean}} [host] Whether the host shows tabs of plugins.
 */
export function pageSuite(version, { isTab = true } = {}) {
  describe.sequential(`The page on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof gatewayWithPage>>} */
    let home;
    /** @type {Awaited<ReturnType<typeof openBrowser>>} */
    let browser;
    steps();
    beforeAll(async () => {
      home = await gatewayWithPage(version);
      if (BROWSER) browser = await openBrowser();
      else console.log(`The page is not looked at: ${NO_BROWSER}`);
    });
    afterAll(async () => await browser?.close());
    addressTests(() => home);

    /** A page in a window of its own, signed in. @param {import("playwright-core").BrowserContextOptions} [options] */
    const signedIn = async (options) => {
      const watched = await watchedPage(browser, home.origin, options);
      await watched.page.goto(`${home.base}/page/`);
      await watched.page.getByLabel("Gateway token").fill("test-token");
      await watched.page.getByRole("button", { name: "Open" }).click();
      await watched.page.getByRole("navigation").waitFor();
      return watched;
    };
    const inBrowser = (/** @type {string} */ name, /** @type {() => Promise<void>} */ run) => test.skipIf(!BROWSER)(name, run);

    inBrowser("a wrong token is told, the right one opens, and a search shows where, why and whose", async () => {
      const wrong = await watchedPage(browser, home.origin);
      await wrong.page.goto(`${home.base}/page/`);
      await wrong.page.getByLabel("Gateway token").fill("nonsense");
      await wrong.page.getByRole("button", { name: "Open" }).click();
      await wrong.page.getByText("does not take this token").waitFor();
      const { page, faults } = await signedIn();
      await page.getByLabel("Search memory").pressSequentially("sencha tea");
      // Each key shows what it finds; these are the results of the last.
      await page.locator('.hits[data-query="sencha tea"]').waitFor();
      const hit = page.locator(".card", { hasText: "Mara likes" });
      await hit.waitFor();
      expect(await hit.locator("mark").allTextContents()).toEqual(expect.arrayContaining(["sencha", "tea"]));
      await hit.getByText("Why it is here").click();
      expect(await hit.locator("dt").allTextContents()).toContain("Matched");
      expect(await hit.locator("meter").getAttribute("value")).toMatch(/^\d+$/);
      await hit.getByRole("button", { name: /2025-11-21\.md:/ }).click();
      await page.getByRole("dialog").getByText("Mara likes sencha tea in the boat house.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(faults).toEqual([]);
    });

    inBrowser("no text of a note runs, and the longest word fits a phone", async () => {
      const { page, faults } = await signedIn({ viewport: { width: 360, height: 740 } });
      await page.getByLabel("Search memory").fill("harbour");
      await page.locator(".card", { hasText: "harbour" }).first().waitFor();
      await page
        .getByRole("button", { name: /2025-11-20\.md:/ })
        .first()
        .click();
      await page.getByRole("dialog").getByText("window.hacked='script'").first().waitFor();
      expect(await page.evaluate("window.hacked")).toBe(undefined);
      const hebrew = page.getByRole("dialog").locator("li", { hasText: "הנמל נסגר" });
      expect(await hebrew.evaluate((/** @type {any} */ line) => line.ownerDocument.defaultView.getComputedStyle(line).direction)).toBe(
        "rtl",
      );
      expect(await page.locator("img, svg, script:not([src]), a[href^='javascript']").count()).toBe(0);
      await page.keyboard.press("Escape");
      for (const view of ["Search", "Timeline", "Map", "What it did", "What it keeps", "Health"]) {
        await page.getByRole("link", { name: view }).click();
        await page.getByRole("link", { name: view, exact: true }).and(page.locator("[aria-current=page]")).waitFor();
        await page.getByText("Looking…").waitFor({ state: "detached" });
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), view).toBeLessThanOrEqual(0);
      }
      expect(faults).toEqual([]);
    });

    viewTests(() => home, signedIn, inBrowser);

    inBrowser("the timeline shows the months, the days of one, and the notes of a day", async () => {
      const { page, faults } = await signedIn();
      await page.getByRole("link", { name: "Timeline" }).click();
      await page.getByRole("button", { name: /^November 2025: .*2 notes/ }).click();
      await page.getByRole("button", { name: /20.*2025: 1 note/ }).click();
      await page.getByRole("button", { name: "memory/2025-11-20.md" }).click();
      await page.getByRole("dialog").getByText("# Harbour").waitFor();
      expect(faults).toEqual([]);
    });

    inBrowser("what was captured is shown and taken back, and an intent is cancelled", async () => {
      await home.say("Please, whenever I mention the boat, ask me whether the anchor was mended.");
      await home.say("Remember that I prefer oolong in the evening.");
      expect(await eventually(async () => (await home.notes()).includes("oolong"))).toBe(true);
      await home.say("Tomorrow I go down to the boat.");
      const listed = async (/** @type {object} */ params) => await home.call("memoryCoreRs.page.activity", { ...params });
      // Older hosts tell of the end of a turn after its answer.
      const hasFired = async () => (await listed({})).intents.some((/** @type {{what: string}} */ { what }) => what === "fired");
      expect(await eventually(hasFired)).toBe(true);
      expect([(await listed({ most: 1 })).captures.length, (await listed({})).captures.length > 1]).toEqual([1, true]);
      const { page, faults } = await signedIn();
      await page.getByRole("link", { name: "What it did" }).click();
      // What was not kept says why.
      await page
        .locator(".row.refused strong", { hasText: /^Not kept: [a-z]/ })
        .first()
        .waitFor();
      await page.locator(".row.intent", { hasText: "anchor was mended" }).getByText("Intent fired").first().waitFor();
      const capture = page.locator(".row.kept", { hasText: "oolong" });
      await capture.getByRole("button", { name: "Take out" }).click();
      await capture.getByRole("group").getByRole("button", { name: "Take out" }).click();
      await page.locator(".row", { hasText: "Kept, and taken out again" }).waitFor();
      expect(await home.notes()).not.toContain("oolong");
      await page.getByText("Intent created").waitFor();
      await page.getByRole("link", { name: "What it keeps" }).click();
      await page.getByText("brought back by gate; yard").waitFor();
      const intent = page.locator(".row", { hasText: "anchor was mended" });
      await intent.getByRole("button", { name: "Cancel it" }).click();
      await intent.getByRole("group").getByRole("button", { name: "Cancel it" }).click();
      await intent.getByText("cancelled", { exact: false }).waitFor();
      expect(faults).toEqual([]);
    });

    inBrowser("a search answers while an index runs", async () => {
      const { page, faults } = await signedIn();
      const isBusy = async () => {
        const { result } = await said(await home.ask("health", {}));
        return result.status.files < files || (result.status.custom.pendingEmbeddings ?? 0) > 0;
      };
      const note = Array.from(
        { length: 60 },
        (_, n) => `- Line ${n} of a long list about nothing in particular, such as weather ${n}.\n`,
      ).join("");
      let [files, round] = [Object.keys(FILES).length, 0];
      const isFoundMeanwhile = async () => {
        round += 1;
        const names = Array.from({ length: 200 }, (_, n) => `memory/bulk-${round}-${n}.md`);
        await Promise.all(names.map((name) => writeFile(`${home.host.workspace}/${name}`, `# ${name}\n\n${note}`)));
        files += names.length;
        const field = page.getByLabel("Search memory");
        await field.fill("");
        await field.fill(`gate code ${round}`);
        await page.locator(".card", { hasText: "opens with code 4711" }).first().waitFor();
        return await isBusy();
      };
      expect(await eventually(isFoundMeanwhile)).toBe(true);
      expect(faults).toEqual([]);
    });

    inBrowser("the map shows the passages by meaning, and leads to a note", async () => {
      const isEmbedded = async () => (await said(await home.ask("map", {}))).result?.regions.length > 0;
      expect(await eventually(isEmbedded)).toBe(true);
      const { page, faults } = await signedIn();
      await page.getByRole("link", { name: "Map" }).click();
      const map = page.getByRole("img", { name: /^Map of [\d,]+ passages/ });
      await map.waitFor();
      const drawn = async () =>
        await map.evaluate((/** @type {any} */ canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return data.filter((/** @type {number} */ value, /** @type {number} */ at) => at % 4 === 3 && value > 0).length;
        });
      expect(await eventually(async () => (await drawn()) > 500)).toBe(true);
      await page.locator(".regions button").first().click();
      // What the page has drawn: an index that still grows may be laid out anew.
      const asked = page.waitForResponse((response) => /\/call\/map.*origins.*true/.test(decodeURIComponent(response.url())));
      await page.getByRole("button", { name: "By origin" }).click();
      const { points } = (await said(/** @type {any} */ (await asked))).result;
      const origins = page.getByRole("list", { name: "Colours on the map" });
      await origins.getByText("your assistant's").waitFor();
      await page.getByRole("button", { name: "By age" }).click();
      await origins.getByText("up to a week").waitFor();
      await map.focus();
      for (const key of ["+", "ArrowLeft", "ArrowRight", "-", "0"]) await page.keyboard.press(key);
      const first = Buffer.from(points, "base64");
      const box = await map.boundingBox();
      const share = (/** @type {number} */ at) => 0.04 + (0.92 * first.readUInt16LE(at)) / 65_535;
      await map.click({ position: { x: share(8) * (box?.width ?? 0), y: share(10) * (box?.height ?? 0) } });
      await page.getByRole("list", { name: "Passages there" }).getByRole("button").first().click();
      await page.getByRole("dialog").waitFor();
      expect(faults).toEqual([]);
    });

    inBrowser("what a prompt was given is shown as the model saw it, with how long it took", async () => {
      await home.say("Which tea does Mara like in the boat house?");
      const asked = question(home.host.peekChats(), "Which tea does Mara like");
      const { page, faults } = await signedIn();
      await page.getByRole("link", { name: "What it did" }).click();
      await page.getByRole("button", { name: "In prompts" }).click();
      const row = page.locator(".row.prompt", { hasText: "Mara likes sencha" }).first();
      await row.getByText("As the model saw it").click();
      const block = (await row.locator("pre").textContent()) ?? "";
      expect(block.length).toBeGreaterThan(30);
      // Older hosts send a message in parts, which are JSON here.
      const forms = [block, JSON.stringify(block).slice(1, -1)];
      expect(
        forms.some((form) => asked.includes(form)),
        asked,
      ).toBe(true);
      await page.getByRole("link", { name: "Health" }).click();
      await page.getByRole("img", { name: /^Recalls: \d+, half of them within/ }).waitFor();
      expect(faults).toEqual([]);
    });

    inBrowser("what a prompt was given is still shown after a restart, and leaves the disk with what is forgotten", async () => {
      const log = path.join(home.host.stateDir, "memory-core-rs/main/prompts.jsonl");
      const onDisk = async () => await readFile(log, "utf8").catch(() => "");
      expect(await eventually(async () => (await onDisk()).includes("Mara likes sencha"))).toBe(true);
      expect((await stat(log)).mode & 0o777).toBe(0o600);
      await home.host.stopGateway();
      await home.host.startGateway();
      expect(await eventually(async () => (await home.ask("overview", {})).ok)).toBe(true);
      const { page, faults } = await signedIn();
      await page.getByRole("link", { name: "What it did" }).click();
      await page.getByRole("button", { name: "In prompts" }).click();
      const row = page.locator(".row.prompt", { hasText: "Mara likes sencha" }).first();
      await row.getByText("As the model saw it").click();
      await row.locator("pre", { hasText: "Mara likes sencha" }).waitFor();
      const plan = (await said(await home.put("planForget", { path: "memory/2016-03-04.md" }))).result;
      expect(plan.prompts).toBeGreaterThan(0);
      await home.put("applyForget", { id: plan.id });
      expect(await onDisk()).not.toContain("sencha");
      await home.put("undoForget", { id: plan.id });
      await page.reload();
      await page.getByRole("button", { name: "In prompts" }).click();
      await page.getByText("Nothing of this kind yet").waitFor();
      expect(faults).toEqual([]);
    });

    inBrowser("a run of consolidation is shown with what it added, which leads to its line, and taken back", async () => {
      const file = `${home.host.workspace}/MEMORY.md`;
      const before = await readFile(file, "utf8");
      await home.call("memoryCoreRs.consolidation.apply", {});
      expect(await readFile(file, "utf8")).toContain(INVOICES);
      const { page, faults } = await signedIn();
      await page.getByRole("link", { name: "What it did" }).click();
      const row = page.locator(".row.run", { hasText: "Consolidation applied" });
      await row.getByText("What it changed").click();
      await row.locator(".add", { hasText: INVOICES }).waitFor();
      await page.getByRole("link", { name: "What it keeps" }).click();
      const entry = page.locator(".row", { hasText: INVOICES });
      await entry.getByRole("button", { name: /^MEMORY\.md:\d+$/ }).click();
      await page.getByRole("dialog").locator("li.hit", { hasText: INVOICES }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "What it did" }).click();
      await row.getByRole("button", { name: "Take back" }).click();
      await row.getByRole("group").getByRole("button", { name: "Take back" }).click();
      await page.locator(".row.run", { hasText: "Consolidation undone" }).waitFor();
      expect(await readFile(file, "utf8")).toBe(before);
      expect(faults).toEqual([]);
    });

    inBrowser("a passage is forgotten after a preview, and put back", async () => {
      const { page, faults } = await signedIn();
      await page.getByLabel("Search memory").fill("sencha tea");
      await page
        .getByRole("button", { name: /2025-11-21\.md:/ })
        .first()
        .click();
      await page.getByRole("button", { name: "What would be forgotten…" }).click();
      await page.getByText("Would take").waitFor();
      await page.getByRole("button", { name: "Forget", exact: true }).click();
      await page.getByRole("group", { name: "Forget this?" }).getByRole("button", { name: "Forget", exact: true }).click();
      await page.getByText("Forgotten, and kept out from now on").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "What it did" }).click();
      const row = page.locator(".row.forgotten");
      await row.getByRole("button", { name: "Put back" }).click();
      await row.getByRole("group").getByRole("button", { name: "Put back" }).click();
      await row.waitFor({ state: "detached" });
      // The notes of a person were never touched.
      expect(await readFile(`${home.host.workspace}/memory/2025-11-21.md`, "utf8")).toBe(FILES["memory/2025-11-21.md"]);
      expect(faults).toEqual([]);
    });

    inBrowser("health shows the index, and every view passes axe in light and dark", async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8");
      for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        const { page, faults, asked } = await signedIn({ colorScheme });
        await page.evaluate(axe);
        await page.getByLabel("Search memory").fill("gate code");
        await page.locator(".card").first().waitFor();
        for (const view of ["Search", "Timeline", "Map", "What it did", "What it keeps", "Health"]) {
          await page.getByRole("link", { name: view }).click();
          await page.locator("a[aria-current=page]", { hasText: view }).waitFor();
          await page.getByText("Looking…").waitFor({ state: "detached" });
          const { violations } = /** @type {any} */ (await page.evaluate("axe.run()"));
          const told = violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`);
          expect(told, `${view}, ${colorScheme}`).toEqual([]);
        }
        await page
          .getByText(/\d files, [\d,.]+ passages/)
          .first()
          .waitFor();
        expect(faults).toEqual([]);
        // Its own files, and what docs/page.md names.
        const methods = (await readFile(new URL("../../docs/page.md", import.meta.url), "utf8")).matchAll(/`memoryCoreRs\.page\.(\w+)`/g);
        const known = ["/page/", "/page/page.js", "/page/page.css", ...[...methods].map(([, name]) => `/tab/call/${name}`)];
        const others = asked.map((url) => new URL(url).pathname.slice("/memory-core-rs".length)).filter((name) => !known.includes(name));
        expect([others, asked.length > 6]).toEqual([[], true]);
      }
    });

    test.skipIf(!BROWSER || !isTab)("as a tab of the host it looks, and changes nothing", async () => {
      const { page } = await watchedPage(browser, home.origin);
      await page.goto(`${home.origin}/#token=test-token`);
      await page.getByRole("link", { name: "Memory", exact: true }).click();
      const frame = page.frameLocator("iframe[title=Memory]");
      await frame.getByText("read only").waitFor();
      await frame.getByLabel("Search memory").fill("gate code");
      await frame.getByRole("button", { name: /MEMORY\.md:/ }).click();
      await frame.getByRole("dialog").getByText("opens with code 4711").waitFor();
      expect(await frame.getByText("What would be forgotten…").count()).toBe(0);
      await frame.getByRole("button", { name: "Close" }).click();
      await frame.getByRole("link", { name: "What it did" }).click();
      await frame.locator(".row").first().waitFor();
      expect(await frame.getByRole("button", { name: /Take out|Put back/ }).count()).toBe(0);
    });
  });
}
