// What was sent to providers, by model and month, and what it costs, at prices that a person says here.

import { useState } from "preact/hooks";
import { change, report } from "./ask.js";
import { Problem } from "./parts.jsx";
import { counted } from "./words.js";

/**
 * @typedef {import("../../lib/page.js").PageSpent} Spent
 * @typedef {import("../../lib/page.js").PageCosts} Costs
 * @typedef {{input: string, output: string}} Said What a person types.
 */

/** Months that are shown before somebody asks for more. */
const SHOWN = 3;

/** @type {Record<string, string>} */
const PURPOSES = {
  embeddings: "embeddings",
  "active-memory": "active memory",
  consolidation: "consolidation",
  "memory-capture": "what is worth keeping",
  "session-notes": "names of notes",
};

/** What a price is of. @param {Spent} spent */
const nameOf = ({ provider, model }) => (model ? `${provider}/${model}` : provider) || "not known";

/** @param {number} money */
const money = (money) => money.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** Dearest price that is kept, of a million tokens. */
const MOST = 1_000_000;

/** Whether a price would be kept. @param {string} typed */
const isPrice = (typed) => typed === "" || (Number(typed) >= 0 && Number(typed) <= MOST);

/** @param {Spent} spent @param {Record<string, Said>} said */
function costOf(spent, said) {
  const { input = "", output = "" } = said[nameOf(spent)] ?? {};
  if (input === "" || !isPrice(input) || !isPrice(output) || spent.price?.from === "settings") return spent.cost;
  return (spent.input * Number(input) + spent.output * Number(output === "" ? input : output)) / 1e6;
}

/** @param {{costs: Costs, mayChange: boolean, again: () => void}} props */
export function Usage({ costs: { months, kept }, mayChange, again }) {
  const [all, setAll] = useState(false);
  const [said, setSaid] = useState(/** @type {Record<string, Said>} */ ({}));
  if (months.length === 0) return null;
  const shown = all ? months : months.slice(0, SHOWN);
  const everything = months.flatMap(({ models }) => models);
  const rows = [...new Map(everything.map((one) => [`${nameOf(one)} ${one.purpose}`, one])).values()];
  return (
    <section>
      <h2>Sent to providers</h2>
      <section class="wide" tabindex={0} aria-label="Tokens and cost by model and month">
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              {shown.map(({ month }) => (
                <th scope="col" key={month}>
                  {month}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${nameOf(row)} ${row.purpose}`}>
                <th scope="row">
                  {nameOf(row)} <span class="quiet">{PURPOSES[row.purpose] ?? row.purpose}</span>
                </th>
                {shown.map(({ month, models }) => (
                  <OfMonth
                    key={month}
                    spent={models.find((one) => nameOf(one) === nameOf(row) && one.purpose === row.purpose)}
                    said={said}
                  />
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Cost</th>
              {shown.map(({ month, models }) => (
                <td key={month}>{total(models, said)}</td>
              ))}
            </tr>
          </tfoot>
        </table>
      </section>
      {months.length > SHOWN ? (
        <button type="button" class="small" onClick={() => setAll(!all)}>
          {all ? "Fewer months" : "Earlier months"}
        </button>
      ) : null}
      <Prices models={everything} kept={kept} said={said} set={setSaid} mayChange={mayChange} again={again} />
    </section>
  );
}

/** @param {{spent: Spent | undefined, said: Record<string, Said>}} props */
function OfMonth({ spent, said }) {
  if (!spent) return <td class="quiet">–</td>;
  const cost = costOf(spent, said);
  return (
    <td>
      {counted(spent.input + spent.output, "token")}
      <span class="quiet">
        {spent.requests > 0 ? counted(spent.requests, "request") : ""}
        {cost === null ? "" : `${spent.requests > 0 ? ", " : ""}${money(cost)}`}
      </span>
    </td>
  );
}

/** @param {Spent[]} models @param {Record<string, Said>} said */
function total(models, said) {
  const costs = models.map((one) => costOf(one, said));
  const known = costs.filter((cost) => cost !== null);
  const sum = money(known.reduce((all, cost) => all + cost, 0));
  if (known.length === costs.length) return sum;
  return known.length === 0 ? "no price is set" : `${sum}, and ${costs.length - known.length} without a price`;
}

/**
 * What a million tokens cost: to try, and to keep for who may change something.
 * @param {{models: Spent[], kept: Costs["kept"], said: Record<string, Said>, set: (said: Record<string, Said>) => void, mayChange: boolean, again: () => void}} props
 */
function Prices({ models, kept, said, set, mayChange, again }) {
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const priced = models.filter(({ provider }) => provider !== "" && provider !== "embedded");
  const rows = [...new Map(priced.map((one) => [nameOf(one), one])).values()];
  if (rows.length === 0) return null;
  const answers = new Set(priced.filter(({ output }) => output > 0).map(nameOf));
  const keep = async () => {
    setError(null);
    const prices = Object.fromEntries(Object.entries(said).map(([name, typed]) => [name, priceOf(typed)]));
    await change("setPrices", { prices });
    set({});
    again();
  };
  return (
    <details class="prices">
      <summary>Prices</summary>
      {rows.map((row) => {
        const name = nameOf(row);
        const before = row.price ?? kept.find(({ of }) => of === name);
        const typed = said[name] ?? { input: before ? String(before.input) : "", output: before?.output ? String(before.output) : "" };
        const isSet = row.price?.from === "settings";
        const field = (/** @type {"input" | "output"} */ which, /** @type {string} */ label) => (
          <label key={which}>
            {label}
            <input
              type="number"
              min="0"
              max={MOST}
              step="any"
              value={typed[which]}
              disabled={isSet}
              onInput={(event) => set({ ...said, [name]: { ...typed, [which]: event.currentTarget.value } })}
            />
          </label>
        );
        return (
          <fieldset key={name}>
            <legend class="hidden">{name}</legend>
            {field("input", `${name}, per million tokens${answers.has(name) ? " sent" : ""}`)}
            {answers.has(name) ? field("output", `${name}, per million tokens answered`) : null}
            {isSet ? <p class="quiet">Set in the configuration, which wins.</p> : null}
          </fieldset>
        );
      })}
      {error ? <Problem error={error} /> : null}
      {mayChange && !report ? (
        <button type="button" class="small" disabled={Object.keys(said).length === 0} onClick={() => keep().catch(setError)}>
          Keep these prices
        </button>
      ) : report ? null : (
        <p class="quiet">You can try prices here; they are kept from a window of this page's own.</p>
      )}
    </details>
  );
}

/** @param {Said} said What `setPrices` takes. */
function priceOf({ input, output }) {
  if (input === "") return null;
  return output === "" ? Number(input) : { input: Number(input), output: Number(output) };
}
