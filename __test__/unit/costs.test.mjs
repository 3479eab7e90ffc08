// What providers were sent, with its cost; nothing but numbers.

import { expect, onTestFinished, test } from "vitest";
import { costsOf } from "../../plugin/costs.js";
import { commandLine } from "../support/command-line.mjs";
import { startProvider } from "../support/provider.mjs";

const MONTH = "2026-11";
const EMBEDDED = [
  {
    month: MONTH,
    models: [
      { provider: "openai", model: "small", requests: 3, tokens: 2_000_000 },
      { provider: "openai", model: "large", requests: 1, tokens: 1_000_000 },
      { provider: "embedded", model: "minilm", requests: 9, tokens: 5_000_000 },
    ],
  },
  { month: "2026-10", models: [{ provider: "voyage", model: "v", requests: 1, tokens: 0 }] },
];
const NOTHING = { embedded: EMBEDDED, answers: [], consolidation: [], prices: undefined, kept: [] };

test("pricePerMillionTokens is of the embedding model in use, prices of the settings win over it, those of the page do not", () => {
  const current = { provider: "openai", booked: { provider: "openai", model: "small" }, price: 0.5 };
  const [alone] = costsOf({ ...NOTHING, current }).months;
  expect(alone.models.map(({ model, cost }) => [model, cost])).toEqual([
    ["small", 1],
    ["large", null],
    ["minilm", 0],
  ]);
  expect(alone.cost).toBe(null);
  const kept = [{ of: "openai", input: 4 }];
  const [said] = costsOf({ ...NOTHING, current, kept }).months;
  expect([said.models.map(({ cost }) => cost), said.cost]).toEqual([[1, 4, 0], 5]);
  const prices = { "openai/small": 2, openai: { input: 3, output: 9 } };
  const { months, configured } = costsOf({ ...NOTHING, current, kept, prices });
  expect(months[0].models.map(({ cost }) => cost)).toEqual([4, 3, 0]);
  expect(configured).toEqual([
    { of: "openai/small", input: 2 },
    { of: "openai", input: 3, output: 9 },
  ]);
  // Nothing was sent that would need a price.
  expect(months[1]).toMatchObject({ month: "2026-10", cost: 0 });
});

// The engine books it under the provider whose requests it understands, and the price of the settings was that of nobody.
test("the price of an OpenAI-compatible server is found under its own name", () => {
  const current = { provider: "openai-compatible", booked: { provider: "openai", model: "small" }, price: undefined };
  const cost = (/** @type {object} */ more) => costsOf({ ...NOTHING, current, ...more }).months[0].models[0].cost;
  expect(cost({ current: { ...current, price: 0.5 } })).toBe(1);
  for (const of of ["openai-compatible", "openai-compatible/small", "openai/small"]) expect(cost({ prices: { [of]: 2 } })).toBe(4);
  expect(cost({ prices: { "openai-compatible/large": 2 } })).toBe(null);
});

// What stayed on this machine was shown as sent to OpenAI, and had its price.
test("a server of one's own has not the price of the maker of what it speaks, and what was booked before stays readable", () => {
  const models = [{ provider: "openai-compatible", model: "small", requests: 1, tokens: 1_000_000 }];
  const booked = { provider: "openai-compatible", model: "small", formerly: "openai" };
  const current = { provider: "openai-compatible", booked, price: undefined };
  const costs = (/** @type {object} */ more) =>
    costsOf({ ...NOTHING, embedded: [{ month: MONTH, models: [...models, ...EMBEDDED[0].models] }], current, ...more }).months[0].models;
  const [own, before, large] = costs({ prices: { openai: 9, "openai-compatible": 2 } });
  expect([own.cost, before.cost, large.cost]).toEqual([2, 4, 9]);
  expect(costs({ prices: { openai: 9 } })[0].cost).toBe(null);
  // A price that was said on the page under the former name.
  expect(costs({ kept: [{ of: "openai/small", input: 3 }] })[0].cost).toBe(3);
});

// A table of ours said under which name the engine books one of them, and of LM Studio it said nothing.
test.each(["openai-compatible", "lmstudio"])("the engine says as whose %s is booked, and its price is found", async (provider) => {
  const server = await startProvider({ latencyMs: 0 });
  onTestFinished(server.stop);
  const plugins = { entries: { "memory-core-rs": { config: { prices: { openai: 9, [provider]: 2 } } } } };
  const search = { provider, model: "test-embed", remote: { baseUrl: server.baseUrl, apiKey: "sk-x" } };
  const { run, json } = await commandLine(search, { plugins });
  await run("index");
  const [{ costs, scan }] = await json("status");
  expect(scan.usage.current).toEqual({ provider, model: "test-embed", formerly: "openai" });
  const [{ input, cost, provider: shown }] = costs.months[0].models;
  expect(shown).toBe(provider);
  expect(input).toBeGreaterThan(0);
  expect(cost).toBeCloseTo((input * 2) / 1e6, 12);
});

test("tokens of consolidation of which no model is known are told apart, and no token twice", () => {
  const answer = { month: MONTH, purpose: "consolidation", provider: "a", model: "b", requests: 2, hostCost: 0.5, costed: 1 };
  const [month] = costsOf({
    ...NOTHING,
    embedded: [],
    current: { price: undefined },
    answers: [{ ...answer, inputTokens: 300, outputTokens: 40 }],
    consolidation: [{ month: MONTH, inputTokens: 1000, outputTokens: 40 }],
  }).months;
  // The host said what one of two cost: that is no cost of both.
  expect(month.models).toMatchObject([
    { provider: "a", requests: 2, input: 300, output: 40, cost: null },
    { provider: "", requests: 0, input: 700, output: 0, cost: null },
  ]);
});
