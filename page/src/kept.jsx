// What memory keeps beside the notes: facts, intents, lines with triggers, learned entries.

import { useState } from "preact/hooks";
import { change } from "./ask.js";
import { Forget } from "./forget.jsx";
import { Confirmed, day, Nothing, Problem, SearchField, useAnswer, Waiting, Where } from "./parts.jsx";

/** Rows of a section that are shown before somebody asks for more. */
const SHOWN = 50;

/** @typedef {((place: import("./note.jsx").Place) => void) | null} Open */

/** @param {{agentId: string, mayChange: boolean, open: Open}} props */
export function Kept({ agentId, mayChange, open }) {
  const { result, error, again } = useAnswer("kept", { agentId });
  const [words, setWords] = useState("");
  if (error) return <Problem error={error} />;
  if (!result) return <Waiting />;
  const rights = { agentId, mayChange };
  const wanted = words.trim().toLowerCase();
  const has = (/** @type {unknown[]} */ ...texts) => texts.join("\n").toLowerCase().includes(wanted);
  const facts = result.facts.filter((/** @type {any} */ one) => has(one.text, one.category));
  const intents = result.intents.filter((/** @type {any} */ one) => has(one.description, ...one.triggerKeywords));
  const triggers = result.triggers.filter((/** @type {any} */ one) => has(one.text, one.triggers));
  const learned = result.learned.filter((/** @type {any} */ one) => has(one.text));
  return (
    <>
      <SearchField label="Only those with these words" value={words} set={setWords} />
      <Section title="Facts" all={facts} empty="No fact is stored.">
        {(one) => (
          <>
            <p class="text" dir="auto">
              {one.text}
            </p>
            <p class="quiet">
              {one.category} · weight {one.importance.toFixed(1)} {day(one.createdAt) ? `· ${day(one.createdAt)}` : ""}
            </p>
            <Where path={one.path} line={one.line ?? 1} open={open} />
            <ForgetLine one={one} {...rights} />
          </>
        )}
      </Section>
      <Section title="Standing intents" all={intents} empty="Nothing waits for a word of yours.">
        {(one) => (
          <>
            <p class="text" dir="auto">
              {one.description}
            </p>
            <p class="quiet" dir="auto">
              {one.status} · {one.triggerKeywords.length > 0 ? `on ${one.triggerKeywords.join(", ")}` : ""} · came up {one.fireCount} of{" "}
              {one.maxFires} times · until {day(one.expiresAt)}
            </p>
            {mayChange && (one.status === "armed" || one.status === "fired") ? (
              <Confirmed
                label="Cancel it"
                question="Never again?"
                run={async () => {
                  await change("cancelIntent", { agentId, id: one.id });
                  again();
                }}
              />
            ) : null}
          </>
        )}
      </Section>
      <Section title="Lines with triggers" all={triggers} empty="No line of MEMORY.md or USER.md has a trigger.">
        {(one) => (
          <>
            <p class="text" dir="auto">
              {one.text}
            </p>
            <p class="quiet" dir="auto">
              {one.triggers ? `brought back by ${one.triggers}` : "brought back by its triggers"}
            </p>
            <Where path={one.path} line={one.line} open={open} />
            <ForgetLine one={one} {...rights} />
          </>
        )}
      </Section>
      <Section title="Learned entries" all={learned} empty="Consolidation has written nothing yet.">
        {(one) => (
          <>
            <p class="text" dir="auto">
              {one.text}
            </p>
            <p class="quiet">{day(one.at)}</p>
            <Where path={one.line ? one.path : undefined} line={one.line ?? 1} open={open} />
            {one.sources?.[0]?.path ? (
              <p class="quiet">
                learned from <Where path={one.sources[0].path} line={one.sources[0].line} open={open} />
              </p>
            ) : null}
            <ForgetLine one={one} {...rights} />
          </>
        )}
      </Section>
    </>
  );
}

/** A preview of what would be forgotten with the line of something, where it still has one. @param {{one: {path?: string, line?: number}, agentId: string, mayChange: boolean}} props */
const ForgetLine = ({ one: { path, line }, agentId, mayChange }) =>
  mayChange && path && line ? (
    <div class="forget">
      <Forget path={path} lines={`${line}-${line}`} agentId={agentId} />
    </div>
  ) : null;

/** @param {{title: string, all: any[], empty: string, children: (one: any) => import("preact").ComponentChildren}} props */
function Section({ title, all, empty, children }) {
  const [most, setMost] = useState(SHOWN);
  return (
    <section>
      <h2>
        {title} <span class="count">{all.length.toLocaleString()}</span>
      </h2>
      {all.length === 0 ? <Nothing>{empty}</Nothing> : null}
      <ul class="rows">
        {all.slice(0, most).map((one, at) => (
          <li class="row" key={one.id ?? at}>
            {children(one)}
          </li>
        ))}
      </ul>
      {all.length > most ? (
        <button type="button" onClick={() => setMost(most + SHOWN)}>
          Show more
        </button>
      ) : null}
    </section>
  );
}
