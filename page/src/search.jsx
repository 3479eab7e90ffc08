// Search as you type.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask } from "./ask.js";
import { Marked, Nothing, Origin, Problem, SearchField, Waiting } from "./parts.jsx";
import { counted } from "./words.js";

/** While a question is under way, a key that follows within this time asks instead, in milliseconds. */
const PAUSE_MS = 40;

/** @param {{agentId: string, open: (place: import("./note.jsx").Place) => void}} props */
export function Search({ agentId, open }) {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const underWay = useRef(0);
  // Before the key is painted: whoever types waits for what is found, not for the letter.
  useLayoutEffect(() => {
    const stop = new AbortController();
    setError(null);
    if (!query.trim()) {
      setFound(null);
      return;
    }
    const search = () => {
      underWay.current += 1;
      ask("search", { agentId, query }, stop.signal)
        .then(
          ({ result }) => setFound({ ...result, query }),
          (failure) => {
            if (stop.signal.aborted) return;
            // Hits of other words would pass for those of these.
            setFound(null);
            setError(failure);
          },
        )
        .finally(() => {
          underWay.current -= 1;
        });
    };
    // The first key is answered at once. Others ask so often only as answers come.
    const timer = underWay.current > 0 ? setTimeout(search, PAUSE_MS) : undefined;
    if (timer === undefined) search();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query, agentId]);
  return (
    <>
      <SearchField label="Search memory" hint="Search memory: words, a question, a day…" value={query} set={setQuery} />
      {error ? <Problem error={error} /> : null}
      {found?.warning ? <p class="quiet">{found.warning}</p> : null}
      <p class="hidden" role="status">
        {found ? counted(found.hits.length, "result") : ""}
      </p>
      {query.trim() && !found && !error ? <Waiting /> : null}
      {query.trim() || found ? null : (
        <Nothing>
          Type what you want to know. You see what the assistant would find, where it stands, whose words it is, and why it is there.
        </Nothing>
      )}
      {found && found.hits.length === 0 ? <Nothing>Memory has nothing about this.</Nothing> : null}
      <ol class="hits" data-query={found?.query}>
        {found?.hits.map((/** @type {any} */ hit) => (
          <Hit key={`${hit.path}:${hit.startLine}`} hit={hit} query={found.query} open={open} />
        ))}
      </ol>
    </>
  );
}

/** @param {{hit: any, query: string, open: (place: import("./note.jsx").Place) => void}} props */
function Hit({ hit, query, open }) {
  const percent = Math.round(100 * Math.min(1, Math.max(0, hit.score)));
  const place = `${hit.path}:${hit.startLine}`;
  return (
    <li class="card">
      <header class="about">
        {hit.source === "sessions" ? (
          <span class="place">{place}</span>
        ) : (
          <button type="button" class="place" onClick={() => open(hit)}>
            {place}
          </button>
        )}
        <Origin of={hit.origin} />
        <span class="score" title={`Confidence ${percent} %`}>
          <meter min={0} max={100} value={percent} aria-label="Confidence" />
          {percent} %
        </span>
      </header>
      <p class="text" dir="auto">
        <Marked text={hit.snippet} words={hit.matched} query={query} />
      </p>
      {hit.why.length > 0 ? (
        <details>
          <summary>Why it is here</summary>
          <dl>
            {hit.why.map((/** @type {{name: string, text: string}} */ { name, text }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
    </li>
  );
}
