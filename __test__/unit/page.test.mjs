// The page's questions on the real addon, and its addresses without a host.

import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { MemoryIndexManager } from "../../lib/manager.js";
import { native } from "../../lib/native.js";
import { decoded, legend } from "../../page/src/points.js";
import { apply } from "../../plugin/consolidation/run.js";
import { automaticAgent } from "../../plugin/hooks/agent.js";
import { noteSearchTime, noteShown } from "../../plugin/hooks/shown.js";
import { noteAnswer } from "../../plugin/hooks/spending.js";
import { Host } from "../../plugin/host.js";
import { giveTicket, takeTicket } from "../../plugin/page/tickets.js";
import { writePage } from "../../scripts/ship/page.mjs";
import { PAGE_FILES } from "../../scripts/ship/stale.mjs";
import { BROWSER, openBrowser, watchedPage } from "../support/browser.mjs";
import { commandLine } from "../support/command-line.mjs";
import { day, FILES, ID, INVOICES, registered, served } from "../support/page.mjs";
import { startProvider } from "../support/provider.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The hook of a turn in the agent's own conversation. */
const MAIN = { sessionKey: "agent:main:main" };

beforeAll(async () => await writePage(root));

test("what looks needs operator.read, what changes something operator.write", async () => {
  const { methods, routes, tabs } = await registered();
  const names = (/** @type {string} */ scope) => [...methods].filter(([, one]) => one.scope === scope).map(([name]) => name.split(".")[2]);
  expect(names("operator.read")).toEqual(["overview", "search", "note", "activity", "prompts", "run", "timeline", "map", "kept", "health"]);
  expect(names("operator.write")).toEqual([
    "undoCapture",
    "undoRun",
    "cancelIntent",
    "planForget",
    "applyForget",
    "undoForget",
    "setPrices",
  ]);
  expect(routes.map(({ path: base, auth, match }) => [base, auth, match])).toEqual([
    [`/${ID}/tab`, "gateway", "prefix"],
    [`/${ID}/page`, "plugin", "prefix"],
  ]);
  expect(tabs).toMatchObject([{ surface: "tab", path: `/${ID}/tab/`, requiredScopes: ["operator.read"] }]);
});

test("a host that knows no tabs of plugins is offered none: 2026.6.11 took it for a fault", async () => {
  const { routes, tabs } = await registered({}, "2026.6.11");
  expect([routes.length, tabs]).toEqual([2, []]);
});

test("questions are answered with what the commands say", async () => {
  const { api, host, cfg, workspace, call } = await registered();
  const { hits } = await call("search", { query: "gate 4711" });
  expect(hits[0]).toMatchObject({ path: "MEMORY.md", startLine: 1, matched: expect.arrayContaining(["gate"]) });
  expect(hits[0].why.map((/** @type {any} */ { name }) => name)).toContain("Words");
  expect(await call("note", { path: "MEMORY.md", from: 3 })).toMatchObject({ text: expect.stringContaining("4711") });
  const { runId } = await apply({ api, host, cfg, agentId: "main" });
  const { learned, triggers, facts, intents } = await call("kept");
  expect([learned.map((/** @type {any} */ one) => one.text), facts, intents]).toEqual([[INVOICES], [], []]);
  expect(triggers).toMatchObject([{ path: "MEMORY.md", line: 3, triggers: "gate" }]);
  expect((await call("activity")).runs).toMatchObject([{ runId, state: "applied", added: 1 }]);
  const { days } = await call("timeline");
  expect(days.flatMap((/** @type {any} */ one) => one.notes)).toEqual([3, 2, 1].map((ago) => `memory/${day(ago)}.md`));
  expect(days.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.learned, 0)).toBe(1);
  const { plan } = await call("run", { runId });
  expect([plan.add[0].text, plan.question]).toEqual([INVOICES, undefined]);
  expect((await call("health")).status.files).toBe(4);
  expect(await readFile(path.join(workspace, "MEMORY.md"), "utf8")).toContain(INVOICES);
  expect(await call("undoRun", { runId })).toMatchObject({ runs: [runId] });
  expect(await readFile(path.join(workspace, "MEMORY.md"), "utf8")).toBe(FILES["MEMORY.md"]);
  expect((await call("activity")).runs).toMatchObject([{ runId, state: "undone" }]);
  await expect(call("undoRun", {})).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
});

test("what the methods answer has the types that are shipped, and nothing besides", async () => {
  const { api, host, cfg, call } = await registered({
    "memory/facts.md": "# Facts\n\n- [preference] The window seat is the best one.\n",
  });
  noteShown(host, automaticAgent(host, cfg, "main"), MAIN, { ms: 3, part: "recall", text: "<memory>" });
  noteSearchTime({ stateDir: host.stateDir(), agentId: "main" }, 7);
  expect(native().settleTurns()).toBe(true);
  const agent = automaticAgent(host, cfg, "main").native;
  const wish = { description: "Ask about the anchor", triggerKeywords: ["boat"], scope: /** @type {const} */ ("anywhere") };
  const { id: intent } = await native().createIntent(agent, wish, { sessionKey: "agent:main:main" });
  const { runId } = await apply({ api, host, cfg, agentId: "main" });
  /** @type {[string, unknown][]} */
  const answers = [];
  const ask = async (/** @type {string} */ name, /** @type {Record<string, unknown>} */ params = {}) => {
    const { agentId, ...answer } = await call(name, params);
    expect(agentId).toBe("main");
    answers.push([name, answer]);
    return answer;
  };
  await ask("search", { query: "gate 4711" });
  await ask("note", { path: "MEMORY.md" });
  for (const name of ["overview", "activity", "timeline", "health"]) await ask(name);
  const { facts, learned, intents, triggers } = await ask("kept");
  expect([facts.length, learned.length, intents.length, triggers.length]).toEqual([1, 1, 1, 1]);
  expect([facts[0].line, learned[0].line > 1, learned[0].path]).toEqual([3, true, "MEMORY.md"]);
  await ask("map", { origins: true });
  await ask("run", { runId });
  await ask("prompts", { before: "none" });
  const { id } = await ask("planForget", { path: "memory/facts.md", lines: "3" });
  await ask("applyForget", { id });
  await ask("activity", { most: 5000 });
  await ask("undoForget", { id });
  await ask("cancelIntent", { id: intent });
  expect((await ask("setPrices", { prices: { openai: 2, "anthropic/claude": { input: 3, output: 15 } } })).kept).toHaveLength(2);
  await ask("undoRun", { runId });
  // All but taking a capture out, which is one yes or no: captures are made by turns of a host.
  expect(new Set(answers.map(([name]) => name)).size).toBe(16);
  const lines = answers.map(([name, answer], at) => `export const a${at}: PageMethods["${name}"]["result"] = ${JSON.stringify(answer)}`);
  const folder = await mkdtemp(path.join(root, "dist/answers-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "answers.ts");
  await writeFile(file, `import type { PageMethods } from "../../lib/page.js"\n${lines.join("\n")}\n`);
  const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const compile = async () =>
    await promisify(execFile)(process.execPath, [tsc, "--ignoreConfig", ...options, file]).catch((error) => error);
  expect((await compile()).stdout).toBe("");
  // That it would say so.
  await appendFile(file, `export const wrong: PageMethods["overview"]["result"] = { agents: [], version: "", hostVersion: "", more: 1 }\n`);
  expect((await compile()).stdout).toContain("'more' does not exist");
});

/** What the log of prompts of an agent holds on the disk. @param {Host} host @param {string} [agentId] */
const logOf = async (host, agentId = "main") =>
  await readFile(path.join(host.stateDir(), ID, agentId, "prompts.jsonl"), "utf8").catch(() => "");

test("what was put into prompts is kept on the disk, shown newest first and page by page", async () => {
  const { host, cfg, call } = await registered();
  const agent = automaticAgent(host, cfg, "main");
  const recall = { ms: 3, part: /** @type {const} */ ("recall") };
  for (let n = 0; n < 120; n++) {
    noteShown(host, agent, MAIN, { ...recall, text: `<memory>${n}</memory>` });
    expect(native().settleTurns()).toBe(true);
  }
  noteShown(host, agent, MAIN, { ...recall, text: "" });
  // Neither where others take part, nor in incognito conversations, whose log this would be.
  for (const sessionKey of ["agent:main:telegram:group:7", "agent:main:dashboard:incognito-7", ""])
    noteShown(host, agent, { sessionKey }, { ...recall, text: "for others to see" });
  noteShown(host, automaticAgent(host, cfg, "other"), MAIN, { ...recall, text: "of another agent" });
  noteSearchTime({ stateDir: host.stateDir(), agentId: "main" }, 7);
  expect(native().settleTurns()).toBe(true);
  expect(await logOf(host)).not.toMatch(/for others|of another/);
  expect((await stat(path.join(host.stateDir(), ID, "main", "prompts.jsonl"))).mode & 0o777).toBe(0o600);
  const first = await call("activity");
  expect(first.prompts[0]).toMatchObject({ part: "recall", text: "<memory>119</memory>", sessionKey: MAIN.sessionKey, ms: 3 });
  const second = await call("prompts", { before: first.next });
  const third = await call("prompts", { before: second.next });
  const texts = [first, second, third].flatMap(({ prompts }) => prompts.map((/** @type {any} */ one) => one.text));
  expect(texts).toEqual(Array.from({ length: 120 }, (_, n) => `<memory>${119 - n}</memory>`));
  expect([first.prompts.length, third.next]).toEqual([50, null]);
  await expect(call("prompts", {})).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
  const { times } = await call("health");
  expect([times.recalls.length, times.searches.map((/** @type {any} */ one) => one.ms)]).toEqual([100, [7]]);
  expect(JSON.stringify(times)).not.toContain("memory");
});

test("what was put into prompts goes from the disk with whatever is forgotten, and is not kept where it is off", async () => {
  const { host, cfg, call } = await registered();
  const agent = automaticAgent(host, cfg, "main");
  const shown = (/** @type {string} */ text) => {
    noteShown(host, automaticAgent(host, cfg, "main"), MAIN, { ms: 3, part: "recall", text });
    expect(native().settleTurns()).toBe(true);
  };
  shown("the gate opens with 4711");
  expect(await logOf(host)).toContain("4711");
  await call("search", { query: "gate" });
  const plan = await call("planForget", { path: "MEMORY.md", lines: "3" });
  expect(plan.prompts).toBe(1);
  await call("applyForget", { id: plan.id });
  // The turn may have looked before it was gone.
  shown("the gate still opens with 4711");
  expect(await logOf(host)).not.toContain("4711");
  expect(await call("activity")).toMatchObject({ prompts: [], next: null });
  await call("undoForget", { id: plan.id });
  expect((await call("activity")).prompts).toEqual([]);
  Object.assign(cfg.plugins.entries[ID].config, { promptHistory: { days: 0 } });
  const off = { ...agent.native, config: { promptHistory: { days: 0 } } };
  await native().tendPrompts(off);
  await native().keepPrompt(off, "recall", 3, MAIN.sessionKey, "nothing of it");
  expect(await logOf(host)).toBe("");
});

test("the map says whose words each note holds when it is asked, in the order of its paths", async () => {
  const notes = { "memory/dreaming/deep.md": "# Deep\n\nThe host wrote this.\n", "vault/letter.md": "# Letter\n\nSomebody else wrote.\n" };
  const { host, cfg, workspace, call } = await registered(notes);
  Object.assign(cfg.plugins.entries[ID].config, { provider: "embedded", extraPaths: [path.join(workspace, "vault")] });
  const manager = await MemoryIndexManager.get(host.managerRequest({ cfg, agentId: "main", purpose: "cli" }));
  await manager?.sync();
  await manager?.close();
  // MEMORY.md, three days, the letter, and what the host wrote.
  expect(await call("map")).toMatchObject({ total: 6 });
  expect((await call("map")).origins).toBe(undefined);
  const { paths, origins } = await call("map", { origins: true });
  const byPath = Object.fromEntries(paths.split("\0").map((/** @type {string} */ name, /** @type {number} */ at) => [name, origins[at]]));
  expect([origins.length, byPath["MEMORY.md"], byPath[`memory/${day(1)}.md`]]).toEqual([paths.split("\0").length, "a", "a"]);
  const others = Object.entries(byPath).filter(([, letter]) => letter !== "a");
  expect(others.toSorted()).toEqual([
    ["memory/dreaming/deep.md", "s"],
    ["vault/letter.md", "u"],
  ]);
  const decodedMap = decoded(await call("map", { origins: true }));
  expect(legend(decodedMap, "origin").map(({ name, count }) => [name, count])).toEqual([
    ["your assistant's", decodedMap.count - 2],
    ["somebody else's", 1],
    ["the system's", 1],
  ]);
});

test("what providers were sent has a cost at prices of the settings, of the page and of the host, in this order", async () => {
  const { host, cfg, call } = await registered();
  const agent = automaticAgent(host, cfg, "main");
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
  noteAnswer(host, agent, "active-memory", { provider: "anthropic", model: "claude", usage: { ...usage, costUsd: 7 } });
  // As an agent run of 2026.4.12 tells it, and one that tells nothing.
  noteAnswer(host, agent, "memory-capture", {
    meta: { agentMeta: { provider: "x", model: "y", usage: { input: 10, output: 2, cacheRead: 5 } } },
  });
  noteAnswer(host, agent, "memory-capture", { text: "no usage" });
  expect(native().settleTurns()).toBe(true);
  const costs = async () => (await call("health")).costs;
  const of = async (/** @type {string} */ provider) =>
    (await costs()).months[0].models.find((/** @type {any} */ one) => one.provider === provider);
  expect(await of("anthropic")).toMatchObject({ requests: 1, input: 1_000_000, output: 100_000, cost: 7, price: null });
  expect(await of("x")).toMatchObject({ purpose: "memory-capture", input: 15, output: 2, cost: null });
  expect((await costs()).months).toMatchObject([{ month: expect.stringMatching(/^\d{4}-\d\d$/), cost: null }]);
  await call("setPrices", { prices: { "anthropic/claude": { input: 3, output: 15 }, x: 1 } });
  expect(await of("anthropic")).toMatchObject({ cost: 4.5, price: { input: 3, output: 15, from: "page" } });
  expect((await costs()).months[0].cost).toBeCloseTo(4.5 + 17e-6, 9);
  Object.assign(cfg.plugins.entries[ID].config, { prices: { Anthropic: 10, broken: "no" } });
  expect(await of("anthropic")).toMatchObject({ cost: 11, price: { input: 10, output: 10, from: "settings" } });
  expect((await call("setPrices", { prices: { x: null } })).kept).toEqual([{ of: "anthropic/claude", input: 3, output: 15 }]);
  for (const prices of [undefined, { x: -1 }, { x: "1" }, { "": 1 }, { x: { output: 1 } }])
    await expect(call("setPrices", { prices }), JSON.stringify(prices)).rejects.toMatchObject({
      code: "MEM_ARGUMENT",
      // The words of the parser came up where a price was none.
      message: expect.not.stringMatching(/invalid type|missing field/),
    });
});

test("a question that is wrong says what is wrong with it", async () => {
  const { call } = await registered();
  await expect(call("search", {})).rejects.toMatchObject({ code: "MEM_ARGUMENT", message: expect.stringContaining("query") });
  await expect(call("activity", { most: 0 })).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
  await expect(call("search", { query: "gate", limit: -1 })).rejects.toMatchObject({ code: "MEM_ARGUMENT" });
  await expect(call("note", { path: "../../etc/passwd" })).rejects.toMatchObject({ code: expect.stringMatching(/^MEM_/) });
  await expect(call("kept", { agentId: "nobody" })).rejects.toMatchObject({ message: expect.stringContaining("nobody") });
});

test("where the host does not say what somebody may, nothing is answered", async () => {
  const base = await served((await registered()).routes);
  expect((await fetch(`${base}/tab/call/overview`)).status).toBe(403);
  const change = { method: "PUT", headers: { "x-memory-page": "1" }, body: "{}" };
  expect((await fetch(`${base}/tab/call/undoForget`, change)).status).toBe(403);
  expect((await fetch(`${base}/tab/call/constructor`)).status).toBe(404);
});

test("a tab asks with its ticket, and only looks", async () => {
  const base = await served((await registered()).routes);
  const ticket = /name="memory-ticket" content="([^"]+)"/.exec(await (await fetch(`${base}/tab/`)).text())?.[1];
  const ask = async (/** @type {string} */ name, /** @type {unknown} */ body) =>
    await fetch(`${base}/page/call/${name}`, { method: "POST", body: JSON.stringify(body) });
  const found = await ask("search", { ticket, params: { query: "gate" } });
  expect(await found.json()).toMatchObject({ mayChange: false, result: { agentId: "main" } });
  expect((await ask("applyForget", { ticket, params: { id: "x" } })).status).toBe(403);
  for (const body of [{}, { ticket: "" }, { ticket: null }, { ticket: [ticket] }]) expect((await ask("search", body)).status).toBe(401);
  expect((await fetch(`${base}/page/call/search?ticket=${ticket}`)).status).toBe(401);
});

// Each key's search ran to its end, and the search of the whole word waited behind it.
test("a search that nobody waits for any more is ended", async () => {
  const provider = await startProvider({ latencyMs: 0 });
  onTestFinished(() => provider.stop());
  const { cfg, host, routes } = await registered();
  const remote = { baseUrl: provider.baseUrl, apiKey: "sk-left" };
  Object.assign(cfg.plugins.entries[ID].config, { provider: "openai", model: "fake", remote });
  const manager = await MemoryIndexManager.get(host.managerRequest({ cfg, agentId: "main", purpose: "cli" }));
  await manager?.sync();
  await manager?.close();
  const base = await served(routes);
  const ticket = /name="memory-ticket" content="([^"]+)"/.exec(await (await fetch(`${base}/tab/`)).text())?.[1];
  const searches = vi.spyOn(MemoryIndexManager.prototype, "searchDetailed");
  onTestFinished(() => searches.mockRestore());
  const ask = async (/** @type {string} */ query, /** @type {AbortSignal} */ signal) =>
    await fetch(`${base}/page/call/search`, { method: "POST", body: JSON.stringify({ ticket, params: { query } }), signal });
  provider.hold = () => new Promise(() => {});
  const left = new AbortController();
  const asked = ask("what opens the g", left.signal).catch((error) => error.name);
  await expect.poll(() => searches.mock.calls.length).toBe(1);
  expect(searches.mock.calls[0][1]?.signal?.aborted).toBe(false);
  left.abort();
  expect(await asked).toBe("AbortError");
  await expect.poll(() => searches.mock.calls[0][1]?.signal?.aborted).toBe(true);
  await expect(searches.mock.results[0].value).rejects.toMatchObject({ name: "AbortError" });
  provider.hold = null;
  expect(await (await ask("what opens the gate", new AbortController().signal)).json()).toMatchObject({ result: { mode: "hybrid" } });
});

test("a ticket ends when it is not used, after an hour, and when there are many others", () => {
  const minutes = (/** @type {number} */ n) => n * 60_000;
  const idle = giveTicket(0);
  expect([takeTicket(idle, minutes(14)), takeTicket(idle, minutes(28)), takeTicket(idle, minutes(44))]).toEqual([true, true, false]);
  expect(takeTicket(idle, minutes(44))).toBe(false);
  const old = giveTicket(0);
  for (let at = 10; at <= 60; at += 10) expect(takeTicket(old, minutes(at))).toBe(true);
  expect(takeTicket(old, minutes(61))).toBe(false);
  const first = giveTicket(0);
  for (let others = 0; others < 64; others++) giveTicket(0);
  expect(takeTicket(first, 0)).toBe(false);
});

test("the built page is small, and makes no markup of texts", async () => {
  const files = await Promise.all(PAGE_FILES.map(async (file) => await readFile(path.join(root, file))));
  expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(200_000);
  const sources = (await readdir(path.join(root, "page/src"))).map((name) => `page/src/${name}`);
  for (const source of sources) {
    expect(await readFile(path.join(root, source), "utf8"), source).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|eval\(|https?:\/\//,
    );
  }
});

/** Both reports of a memory with a learned line, as a person makes them. */
async function reports() {
  const plugins = { slots: { memory: ID }, entries: { [ID]: { config: { consolidation: { mode: "plan", timeZone: "UTC" } } } } };
  const { run, workspace, stateDir } = await commandLine({ provider: "none" }, { plugins, files: FILES });
  await run("index");
  await run("consolidate", "apply");
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir };
  await native().keepPrompt(agent, "recall", 3, "agent:main:telegram:direct:4712", "a prompt was told of the lighthouse");
  // Somebody else's may stand there, and be readable by all.
  await writeFile(path.join(workspace, "..", "whole.html"), "", { mode: 0o644 });
  const [whole, bare] = ["whole.html", "bare.html"].map((name) => path.join(workspace, "..", name));
  const { stdout } = await run("report", whole, "--json");
  expect(JSON.parse(stdout)).toEqual({ agentId: "main", file: whole, private: true });
  await run("report", bare, "--no-text");
  return { whole, bare, workspace };
}

test("a report takes the place of an earlier one, and of no other file", async () => {
  const { run, dir } = await commandLine({ provider: "none" });
  await run("index");
  const file = path.join(dir, "report.html");
  for (const _ of [1, 2]) expect(await run("report", file, "--png")).toMatchObject({ code: 0 });
  const written = await readFile(file, "utf8");
  for (const other of ["# my notes\n", "<!doctype html>\n<p>mine</p>\n"]) {
    await writeFile(file, other);
    const refused = await run("report", file);
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/exists already and is no report.*\[MEM_ARGUMENT\]/s) });
    expect(await readFile(file, "utf8")).toBe(other);
  }
  await writeFile(file, "");
  await run("report", file);
  expect((await readFile(file, "utf8")).length).toBeGreaterThan(written.length / 2);
  // All pictures begin alike: anybody's was taken for one of ours.
  const [fresh, holiday] = [path.join(dir, "holiday.html"), path.join(dir, "holiday-map.png")];
  const png = await readFile(path.join(dir, "report-map.png"));
  const foreign = Buffer.concat([png.subarray(0, 33), png.subarray(33 + 12 + 30)]);
  expect(foreign.includes("memory-core-rs")).toBe(false);
  await writeFile(holiday, foreign);
  const refused = await run("report", fresh, "--png");
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/holiday-map\.png exists already and is no report/) });
  expect((await readFile(holiday)).equals(foreign)).toBe(true);
  await expect(stat(fresh)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a report is one file that asks nobody, and without texts holds no word, name or path of the memory", async () => {
  const { whole, bare, workspace } = await reports();
  const [full, empty] = await Promise.all([readFile(whole, "utf8"), readFile(bare, "utf8")]);
  expect((await stat(whole)).mode & 0o777).toBe(0o600);
  expect(full).toContain(INVOICES);
  expect(full).toContain("told of the lighthouse");
  expect(full).toContain("default-src 'none'; script-src 'sha256-");
  expect(full).not.toMatch(/<(?:script|link|img)[^>]* (?:src|href)="(?!data:)/);
  for (const word of [
    "Invoices",
    "4711",
    "4712",
    "lighthouse",
    "gate",
    "MEMORY.md",
    "memory/",
    ".md",
    workspace,
    path.dirname(workspace),
  ]) {
    const data = /id="memory-report">(.*?)<\/script>/s.exec(empty)?.[1];
    expect(data?.length).toBeGreaterThan(100);
    expect(data, word).not.toContain(word);
  }
});

test.skipIf(!BROWSER)(
  "both reports open in a browser without a gateway",
  async () => {
    const browser = await openBrowser();
    onTestFinished(async () => await browser.close());
    for (const [name, file] of Object.entries(await reports()).filter(([key]) => key !== "workspace")) {
      const { page, faults } = await watchedPage(browser, "null");
      await page.goto(`file://${file}`);
      for (const view of ["Timeline", "Map", "What it did", "What it keeps", "Health"]) {
        await page.getByRole("link", { name: view }).click();
        await page.locator("a[aria-current=page]", { hasText: view }).waitFor();
        await page.getByText("Looking…").waitFor({ state: "detached" });
      }
      await page.getByText("4 files,").waitFor();
      await page.getByRole("link", { name: "What it keeps" }).click();
      await page.getByText("Learned entries").waitFor();
      expect([name, await page.getByText(INVOICES).count()]).toEqual([name, name === "whole" ? 1 : 0]);
      expect(await page.getByRole("link", { name: "Search" }).count()).toBe(0);
      expect(faults).toEqual([]);
    }
  },
  400_000,
);

test.skipIf(!BROWSER)(
  "what providers were sent is told by month and provider, and what it costs at prices that one tries out",
  async () => {
    const provider = await startProvider({ latencyMs: 0 });
    const browser = await openBrowser();
    onTestFinished(async () => {
      provider.stop();
      await browser.close();
    });
    const remote = { baseUrl: provider.baseUrl, apiKey: "sk-prices" };
    const { run, dir } = await commandLine({ provider: "openai", model: "fake", remote }, { files: FILES });
    await run("index");
    const file = path.join(dir, "prices.html");
    await run("report", file);
    const { page, faults } = await watchedPage(browser, "null");
    await page.goto(`file://${file}#health`);
    const section = page.locator("section", { hasText: "Sent to providers" }).first();
    await section.getByRole("columnheader", { name: new Date().toISOString().slice(0, 7) }).waitFor();
    const row = section.getByRole("row", { name: /openai\/fake embeddings/ });
    const tokens = Number(/([\d,]+) tokens/.exec((await row.textContent()) ?? "")?.[1].replaceAll(",", ""));
    expect(tokens).toBeGreaterThan(0);
    const cost = section.getByRole("row", { name: /^Cost/ });
    await cost.getByText("no price is set").waitFor();
    await section.getByText("Prices", { exact: true }).click();
    await section.getByLabel("openai/fake, per million tokens").fill("500000");
    const shown = (await cost.getByRole("cell").first().textContent()) ?? "";
    expect(Number(shown.replaceAll(",", ""))).toBeCloseTo(tokens / 2, 2);
    expect(await section.getByRole("button", { name: "Keep these prices" }).count()).toBe(0);
    // What is no price has no cost either.
    for (const typed of ["-5", "1000001"]) {
      await section.getByLabel("openai/fake, per million tokens").fill(typed);
      await cost.getByText("no price is set").waitFor();
    }
    expect(faults).toEqual([]);
  },
  400_000,
);
