// How long the page takes, as a person would see it.

/** When the page first showed something, in milliseconds after it was asked for. @param {import("playwright-core").Page} page */
export async function paintedAfter(page) {
  const painted = `new Promise((resolve) => {
    const seen = (list) => list.getEntries().find(({ name }) => name === "first-contentful-paint");
    new PerformanceObserver((list) => seen(list) && resolve(Math.round(seen(list).startTime))).observe({ type: "paint", buffered: true });
  })`;
  return /** @type {number} */ (await page.evaluate(painted));
}

/**
 * Types a query and measures, for each key, how long it takes until its results are on the page. Each key waits for the one
 * before. The first one, which opens the engine, is not among them.
 * @param {import("playwright-core").Page} page
 * @param {string} query
 * @returns {Promise<number[]>} In milliseconds.
 */
export async function keyToResults(page, query) {
  const field = page.getByLabel("Search memory");
  await field.fill(query[0]);
  await page.locator(".hits[data-query]").waitFor({ state: "attached" });
  await page.evaluate(`window.searched = [];
    const input = document.querySelector("input[type=search]");
    let [asked, typed] = [0, ""];
    input.addEventListener("input", () => { asked = performance.now(); typed = input.value; }, true);
    const hits = document.querySelector(".hits");
    new MutationObserver(() => {
      if (asked === 0 || hits.dataset.query !== typed) return;
      window.searched.push(performance.now() - asked);
      asked = 0;
    }).observe(hits, { attributes: true, attributeFilter: ["data-query"] });`);
  for (let at = 1; at < query.length; at++) {
    await field.press(query[at] === " " ? "Space" : query[at]);
    await page.locator(`.hits[data-query=${JSON.stringify(query.slice(0, at + 1))}]`).waitFor({ state: "attached" });
  }
  return /** @type {number[]} */ (await page.evaluate("window.searched"));
}

/** Measures how long each frame takes, from then on. @param {import("playwright-core").Page} page */
export async function timeFrames(page) {
  await page.evaluate(`
    window.took = [];
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      window.took.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);`);
}

/** What was measured so far, in milliseconds, shortest first. @param {import("playwright-core").Page} page */
export async function frameTimes(page) {
  const took = /** @type {number[]} */ (await page.evaluate("window.took"));
  return took.toSorted((a, b) => a - b);
}
