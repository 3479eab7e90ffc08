// What each view shows, and that a person gets there with a pointer, a keyboard or a screen reader.

import { appendFile, readFile } from "node:fs/promises";
import { expect } from "vitest";
import { eventually } from "./memory-host.mjs";
import { PROPELLER, SLIP } from "./page-home.mjs";

/**
 * @param {() => Awaited<ReturnType<typeof import("./page-home.mjs").gatewayWithPage>>} home
 * @param {(options?: import("playwright-core").BrowserContextOptions) => Promise<Awaited<ReturnType<typeof import("../support/browser.mjs").watchedPage>>>} signedIn
 * @param {(name: string, run: () => Promise<void>) => void} inBrowser
 */
export function viewTests(home, signedIn, inBrowser) {
  inBrowser("a result says why it is there: words, meaning, day and file, and whose words it holds", async () => {
    const { page, faults } = await signedIn();
    const reasons = async (/** @type {string} */ query, /** @type {string} */ words) => {
      await page.getByLabel("Search memory").fill(query);
      await page.locator(`.hits[data-query=${JSON.stringify(query)}]`).waitFor();
      const hit = page.locator(".card", { hasText: words }).first();
      await hit.getByText("Why it is here").click();
      const rows = await hit.locator("dl > div").allTextContents();
      const isOf = async () => await hit.locator(".badge").textContent();
      return { rows: rows.join("\n"), origin: await isOf(), score: await hit.locator("meter").getAttribute("value") };
    };
    const isEmbedded = async () => (await reasons("sencha tea in November 2025", "Mara likes")).rows.includes("Meaning");
    expect(await eventually(isEmbedded)).toBe(true);
    const { rows, origin, score } = await reasons("sencha tea in November 2025", "Mara likes");
    for (const part of ["Matched", "Words", "Meaning", "written on the asked days"]) expect(rows).toContain(part);
    expect([origin, Number(score) > 0]).toEqual(["the assistant's", true]);
    expect((await reasons("gate code 4711", "opens with code")).rows).toContain("curated file");
    expect(faults).toEqual([]);
  });

  inBrowser("a click opens the note at the line and says where its file is, which is edited as any file", async () => {
    const { page, faults } = await signedIn();
    const { host } = home();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Search memory").fill(PROPELLER);
    await page.locator(`.hits[data-query=${JSON.stringify(PROPELLER)}]`).waitFor();
    const hit = page.locator(".card", { hasText: PROPELLER }).first();
    await hit.getByRole("button", { name: /long-list\.md:\d+/ }).click();
    const line = page.getByRole("dialog").locator("li.hit", { hasText: PROPELLER });
    await line.waitFor();
    const isInSight = `(() => {
      const line = document.querySelector("dialog li.hit").getBoundingClientRect();
      const lines = document.querySelector("dialog .lines").getBoundingClientRect();
      return line.bottom > lines.top && line.top < lines.bottom && line.bottom > 0 && line.top < innerHeight;
    })()`;
    expect(await page.evaluate(isInSight)).toBe(true);
    const place = (await page.getByRole("dialog").locator(".file code").textContent()) ?? "";
    const [, file, at] = /^(.*):(\d+)$/.exec(place) ?? [];
    expect(
      (await readFile(file, "utf8"))
        .split("\n")
        .slice(Number(at) - 1)
        .join("\n"),
    ).toContain(PROPELLER);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(place);
    expect(file.startsWith(host.workspace)).toBe(true);
    await page.keyboard.press("Escape");
    await appendFile(file, "- The spare rudder hangs behind the stairs.\n");
    let round = 0;
    const isFound = async () => {
      round += 1;
      await page.getByLabel("Search memory").fill(`spare rudder${" ".repeat(round % 2)}`);
      await page.locator(".hits .card").first().waitFor();
      return (await page.locator(".card", { hasText: "behind the stairs" }).count()) > 0;
    };
    expect(await eventually(isFound)).toBe(true);
    expect(faults).toEqual([]);
  });

  inBrowser("the keyboard alone signs in, searches, opens a note, comes back and goes on, and roles say what is what", async () => {
    const { page, faults } = await signedIn();
    const isFocused = async (/** @type {import("playwright-core").Locator} */ wanted) =>
      await wanted.evaluate((/** @type {any} */ element) => element === element.ownerDocument.activeElement);
    const tabTo = async (/** @type {import("playwright-core").Locator} */ wanted, key = "Tab") => {
      for (let pressed = 0; pressed < 60; pressed++) {
        if (await isFocused(wanted)) return;
        await page.keyboard.press(key);
      }
      throw new Error(`no way with ${key} to ${wanted}`);
    };
    await tabTo(page.getByRole("searchbox", { name: "Search memory" }));
    await page.keyboard.type("sencha tea");
    await page.locator('.hits[data-query="sencha tea"]').waitFor();
    const opener = page.locator(".card", { hasText: "Mara likes" }).getByRole("button", { name: /2025-11-21\.md:/ });
    await opener.waitFor();
    expect(await page.getByRole("status").textContent()).toMatch(/^[1-9]\d* results?$/);
    await tabTo(opener);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /2025-11-21\.md:/ });
    await dialog.getByText("Mara likes").waitFor();
    expect(await page.evaluate("document.querySelector('dialog').contains(document.activeElement)")).toBe(true);
    await tabTo(dialog.getByRole("region", { name: "Lines of the note" }));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await isFocused(opener)).toBe(true);
    const why = page.locator(".card", { hasText: "Mara likes" }).locator("summary");
    await tabTo(why);
    await page.keyboard.press("Enter");
    await page.locator(".card[open], .card details[open]").first().waitFor();
    await tabTo(page.getByRole("link", { name: "Timeline" }), "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Timeline", exact: true }).and(page.locator("[aria-current=page]")).waitFor();
    await tabTo(page.getByRole("button", { name: /^November 2025: / }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "November 2025" }).waitFor();
    const told = await page.locator("body").ariaSnapshot();
    for (const part of ["navigation", 'heading "Memory"', 'link "Timeline"', 'button "Notes"', 'button "November 2025: ']) {
      expect(told).toContain(part);
    }
    expect(faults).toEqual([]);
  });

  inBrowser("the timeline of ten years shows its gaps and its fullest days, and a week leads to its notes", async () => {
    const { page, faults } = await signedIn();
    await page.getByRole("link", { name: "Timeline" }).click();
    const years = page.locator(".year");
    await years.first().waitFor();
    expect(await years.count()).toBe(new Date().getFullYear() - 2016 + 1);
    const gap = years.filter({ hasText: "2019" });
    expect([await gap.locator(".cell.l0").count(), await gap.locator(".cell:not(.l0)").count()]).toEqual([12, 0]);
    expect(await page.locator(".year .cell.l4").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Notes", exact: true }).click();
    await page.getByRole("button", { name: /^November 2025: / }).click();
    await page.getByRole("button", { name: /17.* to .*23.*: 2 notes/ }).click();
    for (const day of ["20", "21"]) await page.getByRole("button", { name: `memory/2025-11-${day}.md` }).waitFor();
    await page.getByRole("button", { name: /^March 2016: 1 note/ }).click();
    expect(await page.locator(".week .cell:not(.l0)", { hasText: "4" }).count()).toBe(1);
    expect(faults).toEqual([]);
  });

  inBrowser("a note of another century has a row of its own, and its long name leaves the dialog's button readable", async () => {
    const { page, faults } = await signedIn();
    await page.getByRole("link", { name: "Timeline" }).click();
    expect(await page.locator(".year", { hasText: "2126" }).count()).toBe(0);
    await page.getByRole("button", { name: "later: 1 note", exact: true }).click();
    await page.getByText("2126-11-30: 1 note").waitFor();
    await page.getByRole("button", { name: SLIP }).click();
    await page.getByRole("dialog").getByText("The lamp in the cellar is green.").waitFor();
    const { width, height } = (await page.getByRole("dialog").getByRole("button", { name: "Close" }).boundingBox()) ?? {};
    expect([Number(width) > Number(height), Number(height) < 60]).toEqual([true, true]);
    expect(faults).toEqual([]);
  });

  inBrowser("a fact and a line with a trigger lead to their lines, and a fact is forgotten after a preview, and put back", async () => {
    const { page, faults } = await signedIn();
    const facts = `${home().host.workspace}/memory/facts.md`;
    const before = await readFile(facts, "utf8");
    await page.getByRole("link", { name: "What it keeps" }).click();
    await page.getByRole("button", { name: "MEMORY.md:2" }).click();
    await page.getByRole("dialog").locator("li.hit", { hasText: "The yard gate opens" }).waitFor();
    await page.keyboard.press("Escape");
    const row = page.locator(".row", { hasText: "window seat" });
    await row.getByRole("button", { name: "memory/facts.md:3" }).click();
    await page.getByRole("dialog").locator("li.hit", { hasText: "window seat" }).waitFor();
    await page.keyboard.press("Escape");
    await row.getByRole("button", { name: "What would be forgotten…" }).click();
    await row.getByText(/^Would take 1 passage out of memory/).waitFor();
    await row.getByRole("button", { name: "Forget", exact: true }).click();
    await row.getByRole("group", { name: "Forget this?" }).getByRole("button", { name: "Forget", exact: true }).click();
    await row.getByText("Forgotten, and kept out from now on").waitFor();
    const isKnown = async () => {
      await page.reload();
      await page.getByRole("button", { name: "MEMORY.md:2" }).waitFor();
      return (await row.count()) > 0;
    };
    expect(await eventually(async () => !(await isKnown()))).toBe(true);
    await page.getByRole("link", { name: "What it did" }).click();
    const forgotten = page.locator(".row.forgotten").first();
    await forgotten.getByRole("button", { name: "Put back" }).click();
    await forgotten.getByRole("group").getByRole("button", { name: "Put back" }).click();
    await forgotten.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "What it keeps" }).click();
    expect(await eventually(isKnown)).toBe(true);
    // The line is a person's own: it was kept out of memory, and never changed.
    expect(await readFile(facts, "utf8")).toBe(before);
    expect(faults).toEqual([]);
  });
}
