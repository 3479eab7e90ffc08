// A note, open at a line; with the right to change something, also what would be forgotten with these lines.

import { useEffect, useRef, useState } from "preact/hooks";
import { Forget } from "./forget.jsx";
import { Over, Problem, useAnswer, Waiting } from "./parts.jsx";

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
      {result?.file ? <File file={result.file} line={place.startLine} /> : null}
      {mayChange ? (
        <footer>
          <Forget path={place.path} lines={`${place.startLine}-${place.endLine}`} agentId={agentId} />
        </footer>
      ) : null}
    </Over>
  );
}

/**
 * Where the note is on the gateway's machine: a note is edited as any file, and memory follows within moments.
 * @param {{file: string, line: number}} props
 */
function File({ file, line }) {
  const [isCopied, setCopied] = useState(false);
  const place = `${file}:${line}`;
  // Where a browser gives no clipboard, as to a tab of the host, the text is still there to be chosen.
  const copy = () =>
    navigator.clipboard?.writeText(place).then(
      () => setCopied(true),
      () => getSelection()?.selectAllChildren(text.current ?? document.body),
    );
  const text = useRef(/** @type {HTMLElement | null} */ (null));
  return (
    <p class="quiet file">
      Edit it as a file: <code ref={text}>{place}</code>{" "}
      <button type="button" class="small" onClick={copy}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </p>
  );
}
