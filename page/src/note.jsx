// A note, open at a line; with the right to change something, also what would be forgotten with these lines.

import { useEffect, useRef, useState } from "preact/hooks";
import { change } from "./ask.js";
import { Confirmed, counted, Over, Problem, useAnswer, Waiting } from "./parts.jsx";

/** Lines that are shown before a passage. */
const BEFORE = 20;

/** @typedef {{path: string, startLine: number, endLine: number}} Place */

/** @param {{place: Place, agentId: string, mayChange: boolean, close: () => void}} props */
export function Note({ place, agentId, mayChange, close }) {
  const from = Math.max(1, place.startLine - BEFORE);
  const { result, error } = useAnswer("note", { agentId, path: place.path, from });
  const first = useRef(/** @type {HTMLLIElement | null} */ (null));
  useEffect(() => first.current?.scrollIntoView({ block: "center" }), [result]);
  const lines = String(result?.text ?? "").split("\n");
  return (
    <Over title={`${place.path}:${place.startLine}`} close={close}>
      {error ? <Problem error={error} /> : null}
      {result ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section class="lines" tabIndex={0} aria-label="Lines of the note">
          <ol start={from}>
            {lines.map((line, at) => {
              const number = from + at;
              const isHit = number >= place.startLine && number <= place.endLine;
              return (
                <li key={number} value={number} ref={number === place.startLine ? first : null} class={isHit ? "hit" : ""} dir="auto">
                  {line || "\u00a0"}
                </li>
              );
            })}
          </ol>
        </section>
      ) : error ? null : (
        <Waiting />
      )}
      {mayChange ? <Forget place={place} agentId={agentId} /> : null}
    </Over>
  );
}

/** @param {{place: Place, agentId: string}} props */
function Forget({ place, agentId }) {
  const [plan, setPlan] = useState(/** @type {any} */ (null));
  const [isDone, setDone] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const lines = `${place.startLine}-${place.endLine}`;
  const preview = () => change("planForget", { agentId, path: place.path, lines }).then(setPlan, setError);
  if (isDone) return <p role="status">Forgotten, and kept out from now on. “What it did” takes it back.</p>;
  return (
    <footer>
      {error ? <Problem error={error} /> : null}
      {plan ? (
        <>
          <p>
            Would take {counted(plan.chunks, "passage")} out of memory
            {plan.lines.length > 0 ? `, and ${counted(plan.lines.length, "line")} that memory wrote itself out of your notes` : ""}. Your
            own lines stay in your files, and it can be put back for seven days.
          </p>
          <Confirmed
            label="Forget"
            question="Forget this?"
            run={async () => {
              await change("applyForget", { agentId, id: plan.id });
              setDone(true);
            }}
          />
        </>
      ) : (
        <button type="button" class="small" onClick={preview}>
          What would be forgotten…
        </button>
      )}
    </footer>
  );
}
