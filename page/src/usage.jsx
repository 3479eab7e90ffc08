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

/** @param {{usage: {month?: Month} | undefined}} props */
export function Usage({ usage }) {
  const [prices, setPrices] = useState(/** @type {Record<string, string>} */ ({}));
  const { models = [], month, cost = null } = usage?.month ?? {};
  if (models.length === 0) return null;
  const tried = models.filter((model) => Number(prices[nameOf(model)]) > 0);
  const sum = tried.reduce((total, model) => total + (model.tokens / 1e6) * Number(prices[nameOf(model)]), 0);
  return (
    <section>
      <h2>Sent to providers in {month}</h2>
      <dl class="table">
        {models.map((model) => (
          <Entry
            key={nameOf(model)}
            name={nameOf(model)}
            value={`${counted(model.requests, "request")}, ${counted(model.texts, "text")}, ${counted(model.tokens, "token")}`}
          />
        ))}
        <Entry name="Cost" value={cost === null ? "no price is set" : money(cost)} />
      </dl>
      <details class="prices">
        <summary>At other prices</summary>
        {models.map((model) => (
          <label key={nameOf(model)}>
            {nameOf(model)}, per million tokens
            <input
              type="number"
              min="0"
              step="any"
              value={prices[nameOf(model)] ?? ""}
              onInput={(event) => setPrices({ ...prices, [nameOf(model)]: event.currentTarget.value })}
            />
          </label>
        ))}
        <p role="status">{tried.length > 0 ? `This month would have cost ${money(sum)}.` : "Nothing is kept of what you try here."}</p>
        <p class="quiet">
          What is booked goes by the setting <code>pricePerMillionTokens</code>.
        </p>
      </details>
    </section>
  );
}
