// A model that is swapped behind its name, and a provider that fails, over a real connection: what is sent, what searches
// answer meanwhile, and what the commands and the tool say.

import { expect, onTestFinished, test } from "vitest";
import { commandLine } from "../support/command-line.mjs";
import { startProvider } from "../support/provider.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n\nThe favourite tea is sencha.\n",
  "memory/a.md": "The boat lies in Porto until spring.\n",
  "memory/b.md": "Mara has the key of the shed.\n",
  "memory/c.md": "The dentist is in the second house on the left.\n",
};

async function provided() {
  const provider = await startProvider({ latencyMs: 0 });
  onTestFinished(provider.stop);
  return provider;
}

/** @param {Awaited<ReturnType<typeof provided>>} provider @param {Record<string, unknown>} [more] */
const search = ({ baseUrl }, more) => ({ provider: "openai", model: "m", remote: { baseUrl, apiKey: "k" }, ...more });

/** Texts that a provider was sent since it was asked last. @param {Awaited<ReturnType<typeof provided>>} provider */
function sent({ counts }) {
  const texts = [...counts.keys()];
  counts.clear();
  return texts;
}

/** @param {number[]} vector */
const ofAnother = (vector) => vector.toReversed().map((number, at) => number * (at % 2 ? -1 : 1));

test("a server that moved costs three texts and no vector", async () => {
  const [before, after] = [await provided(), await provided()];
  const { json, written, write } = await commandLine(search(before), { files: FILES });
  expect((await json("index")).agents?.[0] ?? true).toBeTruthy();
  expect(sent(before)).toHaveLength(4);
  write({ ...written(), memory: { search: search(after) } });
  await json("index");
  expect(sent(after)).toHaveLength(3);
  expect((await json("search", "favourite tea")).degraded).toBeUndefined();
  sent(after);
  await json("index");
  expect([...sent(after), ...sent(before)]).toEqual([]);
});

test("another model under the same name is told with what it costs, and rebuilt when the user says so", async () => {
  const [before, after] = [await provided(), await provided()];
  const { json, run, written, write } = await commandLine(search(before), { files: FILES });
  await run("index");
  after.answer = ofAnother;
  write({ ...written(), memory: { search: search(after) } });
  const { output, code } = await run("index");
  expect(output).toContain("the embedding model answers otherwise than when the notes were embedded (cosine ");
  expect(output).toContain("openclaw memory index --rebuild --dry-run");
  expect(code).toBe(1);
  expect(sent(after)).toHaveLength(3);
  const answer = await json("search", "favourite tea");
  expect(answer.results[0].path).toBe("MEMORY.md");
  expect(answer).toMatchObject({ partial: true, degraded: { provider: "openai", since: expect.any(String), action: expect.any(String) } });
  expect((await run("status")).output).toMatch(/keywords – the embedding model answers otherwise/);
  expect((await run("index", "--rebuild", "--dry-run")).output).toMatch(/4 texts, about \d+ tokens/);
  expect(sent(after)).toEqual([]);
  const rebuilt = await run("index", "--rebuild");
  expect(rebuilt.code).toBe(0);
  expect(sent(after)).toHaveLength(4);
  expect((await json("search", "favourite tea")).degraded).toBeUndefined();
});

test("vectors of another length are another model, and rebuild: auto needs no word", async () => {
  const [before, after] = [await provided(), await provided()];
  const { run, json, written, write } = await commandLine(search(before), { files: FILES });
  await run("index");
  after.answer = (vector) => vector.slice(2);
  write({ ...written(), memory: { search: search(after) }, plugins: { entries: { "memory-core-rs": { config: { rebuild: "auto" } } } } });
  expect((await run("index")).code).toBe(0);
  expect((await json("search", "favourite tea")).degraded).toBeUndefined();
});

test("a rebuild that fails is gone on with by the next update, and pays once", async () => {
  const provider = await provided();
  const { run, json } = await commandLine(search(provider), { files: FILES });
  await run("index");
  sent(provider);
  provider.fault = () => 401;
  expect((await run("index", "--rebuild")).code).toBe(1);
  expect(await json("search", "favourite tea")).toMatchObject({ partial: true, results: [{ path: "MEMORY.md" }] });
  provider.fault = null;
  expect((await run("index")).code).toBe(0);
  expect([...provider.counts.values()]).toEqual([1, 1, 1, 1]);
  await run("index");
  expect([...provider.counts.values()]).toEqual([1, 1, 1, 1]);
});

test("onOutage: fail answers no question by words alone", async () => {
  const provider = await provided();
  const plugins = { entries: { "memory-core-rs": { config: { onOutage: "fail" } } } };
  const { run, json, written, write } = await commandLine(search(provider), { files: FILES, plugins });
  await run("index");
  provider.fault = () => 401;
  const { output, code } = await run("search", "the favourite tea of mine");
  expect(output).toContain("MEM_PROVIDER_AUTH");
  expect(code).toBe(1);
  write({ ...written(), plugins: { entries: { "memory-core-rs": { config: { onOutage: "keywords" } } } } });
  const answer = await json("search", "my favourite tea");
  expect(answer.results[0].path).toBe("MEMORY.md");
  expect(answer.degraded).toMatchObject({ provider: "openai", reason: expect.any(String), action: expect.any(String) });
  // It was said twice.
  expect(answer.degraded.reason).not.toContain(answer.degraded.action);
});
