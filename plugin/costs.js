// What providers were sent, month by month, and what that costs. A price comes from the settings (`prices`, and
// `pricePerMillionTokens` of the embedding model in use), else from what a person said on the page, else from the host.

/**
 * @typedef {{input: number, output: number, from: "settings" | "page"}} Price Of a million tokens.
 * @typedef {import("../lib/page.d.ts").PageCosts} Costs
 * @typedef {import("../lib/page.d.ts").PageSpent} Spent
 * @typedef {import("../lib/engine.d.ts").ModelPrice} ModelPrice
 * @typedef {import("../lib/engine.d.ts").Answers} Answers
 * @typedef {{month: string, models: {provider: string, model: string, requests: number, tokens: number}[]}} Embedded
 * @typedef {{provider?: string, booked?: {provider: string, model: string, formerly?: string} | null, price: unknown}} Current The
 *   embedding model in use: the provider's name in the settings, as whose the engine books it, and did formerly, and
 *   `pricePerMillionTokens`.
 */

/** What runs in this process costs nothing. */
const FREE = "embedded";

/**
 * @param {object} from
 * @param {Embedded[]} from.embedded What was embedded, by month.
 * @param {Answers[]} from.answers What models have answered.
 * @param {{month: string, inputTokens: number, outputTokens: number}[]} from.consolidation All tokens of consolidation by month,
 *   also those of a time or host whose model is not known.
 * @param {unknown} from.prices The setting.
 * @param {Current} from.current
 * @param {ModelPrice[]} from.kept Prices of the page.
 * @returns {Costs}
 */
export function costsOf({ embedded, answers, consolidation, prices, current, kept }) {
  const configured = configuredPrices(prices);
  const rows = [
    ...embedded.flatMap(({ month, models }) =>
      models.map(({ provider, model, requests, tokens }) => ({
        month,
        purpose: "embeddings",
        provider,
        model,
        requests,
        input: tokens,
        output: 0,
      })),
    ),
    ...answers.map(({ inputTokens: input, outputTokens: output, ...row }) => ({ ...row, input, output })),
    ...unnamed(consolidation, answers),
  ];
  const spent = rows.map(({ month, ...row }) => ({ month, ...pricedRow(row, priceOf(row, configured, current, kept)) }));
  const names = [...new Set(spent.map(({ month }) => month))].toSorted().toReversed();
  const months = names.map((month) => {
    const models = spent.filter((row) => row.month === month).map(({ month: _, ...row }) => row);
    return { month, cost: sumOf(models), models };
  });
  return { months, configured, kept };
}

/**
 * Tokens of consolidation of which nobody knows the model.
 * @param {{month: string, inputTokens: number, outputTokens: number}[]} all
 * @param {Answers[]} answers
 */
function unnamed(all, answers) {
  return all.flatMap(({ month, inputTokens, outputTokens }) => {
    const known = answers.filter((row) => row.month === month && row.purpose === "consolidation");
    const rest = (/** @type {number} */ total, /** @type {"inputTokens" | "outputTokens"} */ name) =>
      Math.max(0, total - known.reduce((sum, row) => sum + row[name], 0));
    const [input, output] = [rest(inputTokens, "inputTokens"), rest(outputTokens, "outputTokens")];
    return input + output > 0 ? [{ month, purpose: "consolidation", provider: "", model: "", requests: 0, input, output }] : [];
  });
}

/**
 * @param {Omit<Spent, "cost" | "price"> & {hostCost?: number, costed?: number}} row
 * @param {Price | null} price
 * @returns {Spent}
 */
function pricedRow({ hostCost = 0, costed = 0, ...row }, price) {
  if (price) return { ...row, price, cost: (row.input * price.input + row.output * price.output) / 1e6 };
  // What the host says counts where it says it of everything.
  return { ...row, price: null, cost: costed > 0 && costed === row.requests ? hostCost : null };
}

/**
 * @param {{purpose: string, provider: string, model: string}} row
 * @param {ModelPrice[]} configured
 * @param {Current} current
 * @param {ModelPrice[]} kept
 * @returns {Price | null}
 */
function priceOf({ purpose, provider, model }, configured, current, kept) {
  if (purpose === "embeddings" && provider === FREE) return { input: 0, output: 0, from: "settings" };
  const { booked } = current;
  const isCurrent = purpose === "embeddings" && model === booked?.model && [booked.provider, booked.formerly].includes(provider);
  // A server of one's own was booked as the maker of what it speaks: its own name says first what it costs.
  const names = new Set([...(isCurrent ? [current.provider, booked?.provider] : []), provider].filter((name) => name !== undefined));
  const ofNames = (/** @type {ModelPrice[]} */ prices) =>
    [...names].map((name) => entryOf(prices, name, model)).find((price) => price !== undefined);
  const named = ofNames(configured);
  if (named) return { ...bothOf(named), from: "settings" };
  if (isCurrent && typeof current.price === "number") return { input: current.price, output: current.price, from: "settings" };
  const said = ofNames(kept) ?? (isCurrent && booked?.formerly ? entryOf(kept, booked.formerly, model) : undefined);
  return said ? { ...bothOf(said), from: "page" } : null;
}

/** @param {ModelPrice} price */
const bothOf = ({ input, output }) => ({ input, output: output ?? input });

/**
 * The price of a model, else that of its provider.
 * @param {ModelPrice[]} prices
 * @param {string} provider
 * @param {string} model
 */
function entryOf(prices, provider, model) {
  const named = (/** @type {string} */ name) => prices.find(({ of }) => of.toLowerCase() === name.toLowerCase());
  return named(`${provider}/${model}`) ?? named(provider);
}

/**
 * The setting `prices` as a list; what is no price is passed over, the host's schema has said so.
 * @param {unknown} prices
 * @returns {ModelPrice[]}
 */
function configuredPrices(prices) {
  const isPrice = (/** @type {unknown} */ price) => typeof price === "number" && price >= 0;
  return Object.entries(typeof prices === "object" && prices !== null ? prices : {}).flatMap(([of, said]) => {
    const { input, output } = typeof said === "number" ? { input: said, output: undefined } : (said ?? {});
    return isPrice(input) ? [{ of, input, ...(isPrice(output) ? { output } : {}) }] : [];
  });
}

/** What all cost together; null where one of them has tokens and no price. @param {Spent[]} models */
function sumOf(models) {
  const paid = models.filter(({ input, output, cost }) => input + output > 0 || cost !== null);
  if (paid.some(({ cost }) => cost === null)) return null;
  return paid.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}
