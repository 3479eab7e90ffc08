// What several views are made of. Texts of notes are only ever text: nothing here makes markup of them.

import { useEffect, useRef, useState } from "preact/hooks";
import { marked } from "../../lib/marks.js";
import { ask } from "./ask.js";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @param {number | string | null | undefined} at @param {Intl.DateTimeFormat} format */
function formatted(at, format) {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : format.format(date);
}

/** @param {number | string | null | undefined} at */
export const day = (at) => (at === 0 ? "" : formatted(at, DAY));
/** @param {number | string | null | undefined} at */
export const time = (at) => formatted(at, TIME);

/** @param {number | undefined} bytes */
export function size(bytes = 0) {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/**
 * Asks once, and again when `again` is called or a parameter changes.
 * @template {import("./ask.js").Look} Name
 * @param {Name} name
 * @param {import("./ask.js").Params<Name>} params
 */
export function useAnswer(name, params) {
  const [state, setState] = useState(/** @type {Partial<import("./ask.js").Answer<Name>> & {error?: unknown}} */ ({}));
  const [turn, setTurn] = useState(0);
  const asked = JSON.stringify(params);
  useEffect(() => {
    const stop = new AbortController();
    ask(name, JSON.parse(asked), stop.signal).then(setState, (error) => {
      if (!stop.signal.aborted) setState({ error });
    });
    return () => stop.abort();
  }, [name, asked, turn]);
  return { ...state, again: () => setTurn((n) => n + 1) };
}

/** @param {{error: unknown}} props */
export const Problem = ({ error }) => (
  <p class="problem" role="alert">
    {error instanceof Error ? error.message : String(error)}
  </p>
);

export const Waiting = () => (
  <p class="quiet" role="status">
    Looking…
  </p>
);

/** @param {{children: import("preact").ComponentChildren}} props */
export const Nothing = ({ children }) => <p class="nothing">{children}</p>;

/** @param {{name: string, value: string}} props */
export const Entry = ({ name, value }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/**
 * A field that filters or asks while one types.
 * @param {{label: string, hint?: string, value: string, set: (value: string) => void}} props
 */
export const SearchField = ({ label, hint = label, value, set }) => (
  <label class="search">
    <span class="hidden">{label}</span>
    <input
      type="search"
      placeholder={hint}
      value={value}
      onInput={(event) => set(event.currentTarget.value)}
      autocomplete="off"
      spellcheck={false}
      dir="auto"
    />
  </label>
);

/** Whose words something is. @param {{of: string | null | undefined}} props */
export function Origin({ of }) {
  const names = /** @type {Record<string, string>} */ ({
    owner: "yours",
    agent: "the assistant's",
    untrusted: "somebody else's",
    system: "the system's",
  });
  return of && names[of] ? <span class={`badge ${of}`}>{names[of]}</span> : null;
}

/**
 * A text with the places set off that a query has found.
 * @param {{text: string, words: string[], query: string}} props
 */
export function Marked({ text, words, query }) {
  return marked(text, words, query).map((piece, at) => (at % 2 === 1 ? <mark>{piece}</mark> : piece));
}

/**
 * Where something stands; a click opens it where somebody can be asked for it.
 * @param {{path?: string, line: number, open: ((place: import("./note.jsx").Place) => void) | null}} props
 */
export function Where({ path, line, open }) {
  if (!path) return null;
  const name = line > 1 ? `${path}:${line}` : path;
  if (!open) return <span class="place">{name}</span>;
  return (
    <button type="button" class="place" onClick={() => open({ path, startLine: line, endLine: line })}>
      {name}
    </button>
  );
}

/**
 * A button that asks before it does something.
 * @param {{label: string, question: string, run: () => Promise<unknown>}} props
 */
export function Confirmed({ label, question, run }) {
  const [state, setState] = useState(/** @type {"idle" | "asked" | "busy"} */ ("idle"));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const act = async () => {
    setState("busy");
    setError(null);
    await run().catch(setError);
    setState("idle");
  };
  if (state === "idle") {
    return (
      <>
        <button type="button" class="small" onClick={() => setState("asked")}>
          {label}
        </button>
        {error ? <Problem error={error} /> : null}
      </>
    );
  }
  return (
    <fieldset class="confirm" aria-label={question}>
      <span>{question}</span>
      <button type="button" class="small danger" disabled={state === "busy"} onClick={act}>
        {label}
      </button>
      <button type="button" class="small" disabled={state === "busy"} onClick={() => setState("idle")}>
        Keep
      </button>
    </fieldset>
  );
}

/**
 * A window over the page that Escape closes.
 * @param {{title: string, close: () => void, children: import("preact").ComponentChildren}} props
 */
export function Over({ title, close, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-label={title}>
      <header>
        <h2 dir="auto">{title}</h2>
        <button type="button" class="small" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}
