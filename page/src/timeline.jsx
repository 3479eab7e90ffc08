// All years as a picture: months, the days of one, and what a day holds.

import { useMemo, useState } from "preact/hooks";
import { daysIn, KINDS, level, rowsOf, said, weekday, weeksOf } from "./days.js";
import { day as dayName, Nothing, Problem, useAnswer, Waiting, Where } from "./parts.jsx";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
/** @typedef {import("./days.js").Day} Day */

const LETTERS = ["J", "F", "M", "A", "M", "J", "J", "A", "S", "O", "N", "D"];

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
  const { rows, later, earlier } = rowsOf(result.days, Date.now());
  const far = /** @type {Record<string, Day[]>} */ ({ later, earlier });
  const sum = (/** @type {Day[]} */ days) => days.reduce((total, day) => total + of(day), 0);
  const total = (/** @type {string} */ month) => sum(months.get(month) ?? []);
  // Of the months that are shown: what is far off has a row of its own.
  const isFar = new Set([...later, ...earlier].map((day) => day.day.slice(0, 7)));
  const most = Math.max(0, ...[...months.keys()].filter((month) => !isFar.has(month)).map(total));
  const farRow = (/** @type {string} */ name) =>
    far[name].length === 0 ? null : (
      <div class="beyond">
        <span>{name}</span>
        <button
          type="button"
          class={`cell l${level(sum(far[name]), most)}`}
          aria-pressed={chosen === name}
          aria-label={`${name}: ${said(far[name])}`}
          onClick={() => choose(name)}
        >
          {said(far[name])}
        </button>
      </div>
    );
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
        {farRow("later")}
        {rows.map(({ newest: year, oldest }) =>
          year > oldest ? (
            <p class="gap" key={year}>
              {oldest} to {year}: nothing
            </p>
          ) : (
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
          ),
        )}
        {farRow("earlier")}
      </div>
      {chosen !== null && chosen in far ? <Far name={chosen} days={far[chosen]} open={open} /> : null}
      {chosen !== null && !(chosen in far) ? (
        <Month key={chosen} month={chosen} days={months.get(chosen) ?? []} of={of} open={open} />
      ) : null}
    </>
  );
}

/**
 * Days that are in no row of a year, by their names: most of them are slips.
 * @param {{name: string, days: Day[], open: ((place: import("./note.jsx").Place) => void) | null}} props
 */
function Far({ name, days, open }) {
  return (
    <section>
      <h2>{name === "later" ? "Later" : "Earlier"}</h2>
      <ul class="rows">
        {days.map((day) => (
          <li class="row" key={day.day}>
            <p>
              {day.day}: {said([day])}
            </p>
            <Notes day={day} open={open} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The notes of a day. @param {{day: Day, open: ((place: import("./note.jsx").Place) => void) | null}} props */
function Notes({ day, open }) {
  return (
    <>
      {day.notes.map((path, at) => (
        <p key={path || `${day.day} ${at}`}>
          <Where path={path} line={1} open={open} />
        </p>
      ))}
    </>
  );
}

/** @param {{month: string, days: Day[], of: (day: Day) => number, open: ((place: import("./note.jsx").Place) => void) | null}} props */
function Month({ month, days, of, open }) {
  const [chosen, choose] = useState(/** @type {string[]} */ ([]));
  const byDay = new Map(days.map((day) => [day.day, day]));
  const some = (/** @type {string[]} */ names) => names.flatMap((name) => byDay.get(name) ?? []);
  const sum = (/** @type {string[]} */ names) => some(names).reduce((total, day) => total + of(day), 0);
  const weeks = weeksOf(daysIn(month));
  const [mostOfDay, mostOfWeek] = [Math.max(0, ...days.map(of)), Math.max(...weeks.map(sum))];
  const cell = (/** @type {string[]} */ names, /** @type {string} */ text, /** @type {number} */ most) => {
    const label = `${spanName(names)}: ${said(some(names))}`;
    return (
      <button
        type="button"
        key={text}
        class={`cell l${level(sum(names), most)}`}
        aria-pressed={chosen.join() === names.join()}
        aria-label={label}
        title={label}
        onClick={() => choose(names)}
      >
        {text}
      </button>
    );
  };
  return (
    <section>
      <h2>{monthName(month)}</h2>
      <div class="weeks">
        {weeks.map((week) => (
          <div class="week" key={week[0]}>
            {week.length > 1 ? cell(week, "week", mostOfWeek) : <span />}
            {Array.from({ length: weekday(week[0]) }, (_, at) => (
              <span key={`before ${at}`} />
            ))}
            {week.map((day) => cell([day], String(Number(day.slice(8))), mostOfDay))}
          </div>
        ))}
      </div>
      {chosen.length > 0 ? (
        <ul class="rows">
          <li class="row">
            <p>
              {spanName(chosen)}: {said(some(chosen))}
            </p>
            {some(chosen).map((day) => (
              <Notes key={day.day} day={day} open={open} />
            ))}
          </li>
        </ul>
      ) : null}
    </section>
  );
}

/** A day, or the first and the last of several. @param {string[]} days */
function spanName(days) {
  const [first, last] = [days[0], days[days.length - 1]].map((day) => dayName(`${day}T12:00:00`));
  return days.length > 1 ? `${first} to ${last}` : first;
}
