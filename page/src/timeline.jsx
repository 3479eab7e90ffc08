// All years as a picture: months, the days of one, and what a day holds.

import { useMemo, useState } from "preact/hooks";
import { counted, day as dayName, Nothing, Problem, useAnswer, Waiting, Where } from "./parts.jsx";

/** @typedef {{day: string, notes: string[], conversations: number, kept: number, learned: number}} Day */

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const LETTERS = ["J", "F", "M", "A", "M", "J", "J", "A", "S", "O", "N", "D"];

/** What is counted. @type {[string, string, (day: Day) => number][]} */
const KINDS = [
  ["all", "Everything", (day) => day.notes.length + day.conversations + day.kept + day.learned],
  ["notes", "Notes", (day) => day.notes.length],
  ["conversations", "Conversations", (day) => day.conversations],
  ["kept", "Captured", (day) => day.kept],
  ["learned", "Learned", (day) => day.learned],
];

/** @param {Day[]} days */
function said(days) {
  const sum = (/** @type {(day: Day) => number} */ of) => days.reduce((total, day) => total + of(day), 0);
  const parts = [
    [sum((day) => day.notes.length), "note"],
    [sum((day) => day.conversations), "conversation"],
    [sum((day) => day.kept), "captured fact"],
    [sum((day) => day.learned), "learned line"],
  ];
  const some = parts.filter(([n]) => n !== 0).map(([n, what]) => counted(Number(n), String(what)));
  return some.length > 0 ? some.join(", ") : "nothing";
}

/** How full a cell is beside the fullest. @param {number} n @param {number} most */
const level = (n, most) => (n === 0 ? 0 : Math.min(4, 1 + Math.floor((3 * Math.sqrt(n)) / Math.sqrt(Math.max(most, 1)))));

/** @param {string} month */
const monthName = (month) => MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** @param {{agentId: string, open: ((place: import("./note.jsx").Place) => void) | null}} props */
export function Timeline({ agentId, open }) {
  const { result, error } = useAnswer("timeline", { agentId });
  const [kind, setKind] = useState("all");
  const [chosen, choose] = useState(/** @type {string | null} */ (null));
  const months = useMemo(() => Map.groupBy(/** @type {Day[]} */ (result?.days ?? []), (day) => day.day.slice(0, 7)), [result]);
  if (error) return <Problem error={error} />;
  if (!result) return <Waiting />;
  if (months.size === 0) return <Nothing>There is no note that is named by its day, and no conversation yet.</Nothing>;
  const of = KINDS.find(([name]) => name === kind)?.[2] ?? KINDS[0][2];
  const total = (/** @type {string} */ month) => (months.get(month) ?? []).reduce((sum, day) => sum + of(day), 0);
  const most = Math.max(...[...months.keys()].map(total));
  const years = [...new Set([...months.keys()].map((month) => Number(month.slice(0, 4))))];
  // Years in which nothing was written are gaps that should be seen, unless a name is no real day.
  const [first, last] = [Math.max(Math.min(...years), Math.max(...years) - 99), Math.max(...years)];
  const all = Array.from({ length: last - first + 1 }, (_, at) => last - at);
  return (
    <>
      <fieldset class="chips">
        <legend class="hidden">What to count</legend>
        {KINDS.map(([name, label]) => (
          <button type="button" key={name} aria-pressed={kind === name} onClick={() => setKind(name)}>
            {label}
          </button>
        ))}
      </fieldset>
      <div class="years">
        {all.map((year) => (
          <div class="year" key={year}>
            <span>{year}</span>
            {LETTERS.map((letter, at) => {
              const month = `${year}-${String(at + 1).padStart(2, "0")}`;
              return (
                <button
                  type="button"
                  key={month}
                  class={`cell l${level(total(month), most)}`}
                  aria-pressed={chosen === month}
                  aria-label={`${monthName(month)}: ${said(months.get(month) ?? [])}`}
                  title={`${monthName(month)}: ${said(months.get(month) ?? [])}`}
                  onClick={() => choose(month)}
                >
                  {letter}
                </button>
              );
            })}
          </div>
        ))}
      </div>
      {chosen ? <Month key={chosen} month={chosen} days={months.get(chosen) ?? []} of={of} open={open} /> : null}
    </>
  );
}

/** @param {{month: string, days: Day[], of: (day: Day) => number, open: ((place: import("./note.jsx").Place) => void) | null}} props */
function Month({ month, days, of, open }) {
  const [chosen, choose] = useState(/** @type {string | null} */ (null));
  const byDay = new Map(days.map((day) => [day.day, day]));
  const most = Math.max(0, ...days.map(of));
  const length = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  const day = chosen === null ? undefined : byDay.get(chosen);
  return (
    <section>
      <h2>{monthName(month)}</h2>
      <div class="days">
        {Array.from({ length }, (_, at) => {
          const name = `${month}-${String(at + 1).padStart(2, "0")}`;
          const one = byDay.get(name);
          const label = `${dayName(`${name}T12:00:00`)}: ${said(one ? [one] : [])}`;
          return (
            <button
              type="button"
              key={name}
              class={`cell l${level(one ? of(one) : 0, most)}`}
              aria-pressed={chosen === name}
              aria-label={label}
              title={label}
              onClick={() => choose(name)}
            >
              {at + 1}
            </button>
          );
        })}
      </div>
      {chosen ? (
        <ul class="rows">
          <li class="row">
            <p>
              {dayName(`${chosen}T12:00:00`)}: {said(day ? [day] : [])}
            </p>
            {day?.notes.map((path, at) => (
              <p key={path || at}>
                <Where path={path} line={1} open={open} />
              </p>
            ))}
          </li>
        </ul>
      ) : null}
    </section>
  );
}
