// What was sent to providers, and what that costs at prices that can be tried out.

import { useState } from "preact/hooks";
import { Entry } from "./parts.jsx";
import { counted } from "./words.js";

/**
 * @typedef {{provider: string, model: string, requests: number, texts: number, tokens: number}} Model
 * @typedef {{month: string, models: Model[], cost: number | null}} Month
 */

/** @param {Model} model */
const nameOf = ({ provider, model }) => (model ? `${provider}, ${model}` : provider);

/** @param {number} money */
const money = (money) => money.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/**
 * @param {{usage: {month?: Month, months?: Month[]} | undefined, consolidation: {month: string, inputTokens: number, outputTokens: number}[]}} props
 *   `consolidation`: the tokens of the model that words entries.
 */
export function Usage({ usage, consolidation }) {
  const [prices, setPrices] = useState(/** @type {Record<string, string>} */ ({}));
  const sent = usage?.months ?? (usage?.month ? [usage.month] : []);
  const worded = consolidation.map(({ month, inputTokens, outputTokens }) => ({
    month,
    provider: "Consolidation",
    tokens: inputTokens + outputTokens,
  }));
  const names = [...new Set([...sent.map(({ month }) => month), ...worded.map(({ month }) => month)])].toSorted().toReversed();
  const months = names.flatMap((name) => {
    const { models = [], cost = null } = sent.find(({ month }) => month === name) ?? {};
    const tokens = worded.filter(({ month, tokens: some }) => month === name && some > 0);
    return models.length + tokens.length > 0 ? [{ name, models, cost, tokens }] : [];
  });
  if (months.length === 0) return null;
  const [latest, ...earlier] = months.map((month) => <OfMonth key={month.name} {...month} prices={prices} />);
  const known = [...new Set(months.flatMap(({ models, tokens }) => [...models.map(nameOf), ...tokens.map(({ provider }) => provider)]))];
  return (
    <section>
      <h2>Sent to providers</h2>
      {latest}
      {earlier.length > 0 ? (
        <details>
          <summary>Earlier months</summary>
          {earlier}
        </details>
      ) : null}
      <details class="prices">
        <summary>At other prices</summary>
        {known.map((name) => (
          <label key={name}>
            {name}, per million tokens
            <input
              type="number"
              min="0"
              step="any"
              value={prices[name] ?? ""}
              onInput={(event) => setPrices({ ...prices, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <p class="quiet">
          Nothing is kept of what you try here. What is booked goes by the setting <code>pricePerMillionTokens</code>.
        </p>
      </details>
    </section>
  );
}

/**
 * @param {{name: string, models: Model[], cost: number | null, tokens: {provider: string, tokens: number}[], prices: Record<string, string>}} props
 */
function OfMonth({ name, models, cost, tokens, prices }) {
  const all = [
    ...models.map((model) => ({ of: nameOf(model), tokens: model.tokens })),
    ...tokens.map((one) => ({ of: one.provider, ...one })),
  ];
  const tried = all.filter(({ of }) => Number(prices[of]) > 0);
  const sum = tried.reduce((total, { of, tokens: some }) => total + (some / 1e6) * Number(prices[of]), 0);
  return (
    <>
      <h3>{name}</h3>
      <dl class="table">
        {models.map((model) => (
          <Entry
            key={nameOf(model)}
            name={nameOf(model)}
            value={`${counted(model.requests, "request")}, ${counted(model.texts, "text")}, ${counted(model.tokens, "token")}`}
          />
        ))}
        {tokens.map((one) => (
          <Entry key={one.provider} name={one.provider} value={counted(one.tokens, "token")} />
        ))}
        <Entry name="Cost" value={cost === null ? "no price is set" : money(cost)} />
        {tried.length > 0 ? <Entry name="Cost at these prices" value={money(sum)} /> : null}
      </dl>
    </>
  );
}
