// What memory did by itself, and how to take it back.

import { useEffect, useState } from "preact/hooks";
import { ask, change, report } from "./ask.js";
import { Confirmed, Nothing, Problem, time, useAnswer, Waiting } from "./parts.jsx";
import { counted } from "./words.js";

/** Rows that are shown before somebody asks for more, and those that are asked for at first. */
const [SHOWN, ASKED] = [60, 200];

const KINDS = /** @type {const} */ ([
  ["all", "Everything"],
  ["prompt", "In prompts"],
  ["kept", "Kept"],
  ["refused", "Refused"],
  ["run", "Consolidation"],
  ["intent", "Intents"],
  ["forgotten", "Forgotten"],
]);

/**
 * @typedef {{at: number, kind: string, key: string, title: string, text?: string, place?: string, undo?: {label: string, run: (agentId: string) => Promise<unknown>},
 *   runId?: string, block?: string}} Row
 */

/** @type {Record<string, string>} */
const PARTS = {
  recall: "Recall",
  "short-term-memory": "Short-term memory",
  "active-memory": "Active memory",
  intents: "Standing intents",
};

/** @param {import("../../lib/page.js").PageActivity} result @returns {Row[]} */
function rowsOf({ captures, intents, runs, forgotten, prompts }) {
  const rows = [
    ...prompts.map((one) => ({
      at: one.at,
      kind: "prompt",
      key: `prompt ${one.id}`,
      title: `${PARTS[one.part] ?? one.part} put ${one.text ? counted(one.text.length, "character") : "something"} into a prompt`,
      place: one.sessionKey,
      block: one.text,
    })),
    ...captures.map((one) => ({
      at: Date.parse(one.ts),
      kind: one.status === "skipped" ? "refused" : "kept",
      key: `capture ${one.id}`,
      title: captureTitle(one),
      text: one.text,
      place: one.path,
      undo:
        one.status === "stored"
          ? { label: "Take out", run: (/** @type {string} */ agentId) => change("undoCapture", { agentId, id: one.id }) }
          : undefined,
    })),
    ...intents.map((one) => ({
      at: one.at,
      kind: "intent",
      key: `intent ${one.id} ${one.at} ${one.what}`,
      title: `Intent ${one.what}`,
      text: one.description,
    })),
    ...runs.map((one) => ({
      at: Date.parse(one.startedAt),
      kind: "run",
      key: `run ${one.runId} ${one.startedAt}`,
      title: `Consolidation ${one.state}: ${one.added} added, ${one.moved} moved`,
      runId: one.runId,
      undo:
        one.state === "applied"
          ? { label: "Take back", run: (/** @type {string} */ agentId) => change("undoRun", { agentId, runId: one.runId }) }
          : undefined,
    })),
    ...forgotten.map((one) => ({
      at: Date.parse(one.at),
      kind: "forgotten",
      key: `forgotten ${one.id}`,
      title: one.kind === "lines" ? `Forgot ${counted(one.lines ?? 0, "line")}` : "Forgot",
      place: one.name,
      undo: one.final
        ? undefined
        : { label: "Put back", run: (/** @type {string} */ agentId) => change("undoForget", { agentId, id: one.id }) },
    })),
  ];
  return rows.toSorted((a, b) => b.at - a.at);
}

/** @param {{status: string, reason?: string, category?: string}} capture */
function captureTitle({ status, reason, category }) {
  if (status === "skipped") return `Not kept: ${reason ?? "no reason was written down"}`;
  return status === "undone" ? "Kept, and taken out again" : `Kept${category ? ` as ${category}` : ""}`;
}

/** @param {{agentId: string, mayChange: boolean}} props */
export function Activity({ agentId, mayChange }) {
  const [kind, setKind] = useState("all");
  const [most, setMost] = useState(SHOWN);
  // Ten times as many each time: whoever goes back goes far.
  const [asked, setAsked] = useState(ASKED);
  const { result, error, again } = useAnswer("activity", { agentId, most: asked });
  const { prompts, next, more, problem } = useOlderPrompts(agentId, result);
  if (error ?? problem) return <Problem error={error ?? problem} />;
  if (!result) return <Waiting />;
  const isMore = !report && (result.captures.length >= asked || result.intents.length >= asked || next !== null);
  // Nothing is shown below blocks that are still to be asked for.
  const since = next === null || !(kind === "all" || kind === "prompt") ? 0 : (prompts.at(-1)?.at ?? 0);
  const rows = rowsOf({ ...result, prompts }).filter((row) => (kind === "all" || row.kind === kind) && !(row.at < since));
  return (
    <>
      <fieldset class="chips">
        <legend class="hidden">What to show</legend>
        {KINDS.map(([name, label]) => (
          <button type="button" key={name} aria-pressed={kind === name} onClick={() => setKind(name)}>
            {label}
          </button>
        ))}
      </fieldset>
      {result.problem ? <Problem error={`Runs of consolidation and what was forgotten are missing here: ${result.problem}`} /> : null}
      {result.waiting > 0 ? <p class="quiet">{counted(result.waiting, "turn")} still to be judged.</p> : null}
      {rows.length === 0 ? (
        <Nothing>
          {kind === "forgotten"
            ? "Nothing is forgotten now."
            : "Nothing of this kind yet. Health says what acts by itself, and docs/automatic-memory.md how to switch it on."}
        </Nothing>
      ) : null}
      <ol class="rows">
        {rows.slice(0, most).map((row) => (
          <li key={row.key} class={`row ${row.kind}`}>
            <div class="head">
              <strong>{row.title}</strong>
              <time dateTime={Number.isFinite(row.at) ? new Date(row.at).toISOString() : undefined}>{time(row.at)}</time>
            </div>
            {row.text ? (
              <p class="text" dir="auto">
                {row.text}
              </p>
            ) : null}
            {row.place ? <p class="place">{row.place}</p> : null}
            {row.block ? (
              <details>
                <summary>As the model saw it</summary>
                <pre dir="auto">{row.block}</pre>
              </details>
            ) : null}
            {row.runId !== undefined ? <Run agentId={agentId} runId={row.runId} /> : null}
            {mayChange && row.undo ? <Undo agentId={agentId} undo={row.undo} again={again} /> : null}
          </li>
        ))}
      </ol>
      {rows.length > most || isMore ? (
        <button
          type="button"
          onClick={() => {
            setMost(most + SHOWN);
            if (most + SHOWN <= rows.length || !isMore) return;
            if (next === null) setAsked(10 * asked);
            else more();
          }}
        >
          Show older ones
        </button>
      ) : null}
    </>
  );
}

/**
 * The blocks of prompts: those of an answer, and older ones when they are asked for.
 * @param {string} agentId
 * @param {import("../../lib/page.js").PageActivity | undefined} result
 */
function useOlderPrompts(agentId, result) {
  const [older, setOlder] = useState(/** @type {import("../../lib/engine.js").PromptPage | null} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  useEffect(() => setOlder(null), [result]);
  const next = older ? older.next : (result?.next ?? null);
  const more = () => {
    if (next === null) return;
    ask("prompts", { agentId, before: next, most: ASKED }).then(({ result: page }) => {
      setOlder({ prompts: [...(older?.prompts ?? []), ...page.prompts], next: page.next });
    }, setProblem);
  };
  return { prompts: [...(result?.prompts ?? []), ...(older?.prompts ?? [])], next, more, problem };
}

/** @param {{agentId: string, undo: NonNullable<Row["undo"]>, again: () => void}} props */
const Undo = ({ agentId, undo: { label, run }, again }) => (
  <Confirmed
    label={label}
    question={`${label}?`}
    // Also when it failed: it may have been done in another tab.
    run={() => run(agentId).finally(again)}
  />
);

/** A run as what it added and moved, looked up when somebody opens it. @param {{agentId: string, runId: string}} props */
function Run({ agentId, runId }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What it changed</summary>
      {isOpen ? <Diff agentId={agentId} runId={runId} /> : null}
    </details>
  );
}

/** @param {{agentId: string, runId: string}} props */
function Diff({ agentId, runId }) {
  const { result, error } = useAnswer("run", { agentId, runId });
  if (error) return <Problem error={error} />;
  if (!result) return <Waiting />;
  const { add = [], move = [] } = result.plan ?? {};
  return (
    <ul class="diff">
      {add.map((one) => (
        <li key={one.id} class="add" dir="auto">
          <span class="hidden">added </span>
          {one.text}
        </li>
      ))}
      {move.map((one) => (
        <li key={one.id} class="move" dir="auto">
          <span class="hidden">moved to the archive </span>
          {one.line}
        </li>
      ))}
    </ul>
  );
}
