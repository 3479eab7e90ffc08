// What the page shows where something does not answer, or was done elsewhere: its methods on the real addon, and its views in a
// real browser with answers that a test makes up.

import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { native } from "../../lib/native.js";
import { automaticAgent } from "../../plugin/hooks/agent.js";
import { noteShown } from "../../plugin/hooks/shown.js";
import { writePage } from "../../scripts/ship/page.mjs";
import { BROWSER, openBrowser } from "../support/browser.mjs";
import { ID, registered, served } from "../support/page.mjs";

beforeAll(async () => await writePage(fileURLToPath(new URL("../..", import.meta.url))));

// Captures and prompts are files, and "What it did" and "Health" failed whole.
test("what does not hang on the index is told while a database is down", async () => {
  const { host, cfg, call } = await registered();
  const own = cfg.plugins.entries[ID].config;
  own.autoRecall = true;
  noteShown(host, automaticAgent(host, cfg, "main"), { sessionKey: "agent:main:main" }, { ms: 3, part: "recall", text: "<memory>" });
  expect(native().settleTurns()).toBe(true);
  // No program may listen there.
  own.store = { driver: "postgres", postgres: { url: "postgresql://ana@127.0.0.1:1/memory" } };
  const activity = await call("activity");
  expect(activity).toMatchObject({
    prompts: [{ text: "<memory>" }],
    runs: [],
    forgotten: [],
    problem: expect.stringContaining("the database cannot be reached"),
  });
  const health = await call("health");
  expect(health).toMatchObject({
    status: "unreadable",
    problem: expect.stringContaining("the database cannot be reached"),
    automatic: { recall: true, capture: false },
    consolidation: { settings: { mode: "plan" } },
  });
});

/**
 * The page in a browser; `answers` gives the result of a method, an error to refuse with, or null where nobody answers.
 * @param {(name: string) => Promise<unknown> | unknown} answers
 */
async function shown(answers) {
  const [base, browser] = await Promise.all([registered().then(({ routes }) => served(routes)), openBrowser()]);
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  await page.route("**/tab/call/**", async (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
    const answer = name === "overview" ? { agents: ["main"], version: "1", hostVersion: "1", agentId: "main" } : await answers(name);
    if (answer === null) return await route.abort("connectionrefused");
    if (answer instanceof Error) return await route.fulfill({ status: 400, json: { error: { message: answer.message } } });
    await route.fulfill({ json: { result: answer, mayChange: true } });
  });
  await page.goto(`${base}/page/#token=any`);
  await page.getByText("Type what you want to know").waitFor();
  return page;
}

const NOTHING_DONE = { agentId: "main", waiting: 0, captures: [], intents: [], runs: [], forgotten: [], prompts: [], next: null };

test.skipIf(!BROWSER)("a gateway that does not answer is said, with what to do, and a search under way too", async () => {
  const asked = new EventTarget();
  const page = await shown(async (name) => {
    if (name === "search") await once(asked, "answer");
    return null;
  });
  await page.getByRole("searchbox").fill("gate");
  await page.getByText("Looking…").waitFor();
  expect(await page.getByText("Type what you want to know").count()).toBe(0);
  asked.dispatchEvent(new Event("answer"));
  await page.getByText("The gateway does not answer. See whether it runs (openclaw gateway status)").waitFor();
  expect(await page.getByText("Looking…").count()).toBe(0);
  for (const view of ["Timeline", "What it did", "Health"]) {
    await page.getByRole("link", { name: view }).click();
    await page.locator("a[aria-current=page]", { hasText: view }).waitFor();
    await page.getByText("The gateway does not answer.").waitFor();
  }
  expect(await page.getByText("Failed to fetch").count()).toBe(0);
});

test.skipIf(!BROWSER)("what keeps the index from being ready is said", async () => {
  const { call } = await registered();
  const cleared = await call("health");
  const page = await shown(() => cleared);
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByText("outdated: the index was cleared or never made; the next search or sync reads the notes").waitFor();
});

test.skipIf(!BROWSER)("what was put back in another tab goes from the list", async () => {
  let forgotten = [{ id: "f1", at: "2026-11-20T10:00:00Z", kind: "lines", lines: 2, name: "memory/a.md" }];
  const page = await shown((name) => {
    if (name === "undoForget") return new Error('nothing is planned or forgotten under "f1"');
    return { ...NOTHING_DONE, forgotten };
  });
  await page.getByRole("link", { name: "What it did" }).click();
  const row = page.locator(".row", { hasText: "Forgot 2 lines" });
  await row.getByRole("button", { name: "Put back" }).click();
  forgotten = [];
  await row.getByRole("group").getByRole("button", { name: "Put back" }).click();
  await row.waitFor({ state: "detached" });
  // Much may be on, and nothing have happened yet: it said that all was off.
  await page.getByText("Nothing of this kind yet. Health says what acts by itself").waitFor();
});

test.skipIf(!BROWSER)("what can be read is shown beside why the rest is missing", async () => {
  const problem = "the database does not answer [MEM_STORE]";
  const capture = { id: "c1", ts: "2026-11-20T10:00:00Z", status: "stored", text: "I prefer oolong.", path: "memory/a.md" };
  const times = { recalls: [], searches: [] };
  const page = await shown((name) =>
    name === "health"
      ? {
          agentId: "main",
          status: "unreadable",
          problem,
          automatic: { recall: true },
          consolidation: { settings: { mode: "plan" } },
          times,
        }
      : { ...NOTHING_DONE, captures: [capture], problem },
  );
  await page.getByRole("link", { name: "What it did" }).click();
  await page.getByText(`what was forgotten are missing here: ${problem}`).waitFor();
  await page.getByText("I prefer oolong.").waitFor();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByText(`The index cannot be read: ${problem}`).waitFor();
  await page.getByText("What acts by itself").waitFor();
});

// The hits of the words before stood under the failure, and passed for those of the words that were typed.
test.skipIf(!BROWSER)("a search that fails shows no hits of other words, and one hit is one result", async () => {
  let answer = /** @type {unknown} */ ({
    agentId: "main",
    mode: "hybrid",
    hits: [
      {
        path: "memory/a.md",
        startLine: 1,
        endLine: 1,
        score: 0.9,
        snippet: "The tea is sencha.",
        matched: ["tea"],
        why: [],
        source: "memory",
      },
    ],
  });
  const page = await shown(() => answer);
  await page.getByRole("searchbox").fill("tea");
  await page.getByText("The tea is sencha.").waitFor();
  expect(await page.locator("p.hidden[role=status]").textContent()).toBe("1 result");
  answer = new Error("the index is damaged");
  await page.getByRole("searchbox").fill("kettle");
  await page.getByText("the index is damaged").waitFor();
  expect(await page.getByText("The tea is sencha.").count()).toBe(0);
  expect(await page.locator("p.hidden[role=status]").textContent()).toBe("");
});

// It said how to switch forgetting on.
test.skipIf(!BROWSER)("where nothing is forgotten any more, that is said", async () => {
  let forgotten = [{ id: "f1", at: "2026-11-20T10:00:00Z", kind: "lines", lines: 2, name: "memory/a.md" }];
  const page = await shown((name) => {
    if (name !== "undoForget") return { ...NOTHING_DONE, forgotten };
    forgotten = [];
    return { agentId: "main" };
  });
  await page.getByRole("link", { name: "What it did" }).click();
  await page.getByRole("button", { name: "Forgotten" }).click();
  const row = page.locator(".row", { hasText: "Forgot 2 lines" });
  await row.getByRole("button", { name: "Put back" }).click();
  await row.getByRole("group").getByRole("button", { name: "Put back" }).click();
  await page.getByText("Nothing is forgotten now.").waitFor();
  expect(await page.getByText("how to switch it on").count()).toBe(0);
});
