// Plans, runs and the state of consolidation in plain words: for the command line and for `/dreaming`.

/** Refusals that are listed. */
const LISTED = 10;

/** @param {Record<string, number>} counts */
function countsText(counts) {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([code, n]) => `${code} ${n}`)
    .join(", ");
}

/** @param {any} planned */
export function planText({ add = [], move = [], strengthen = [], refused = [], refusedCounts = {}, notes = [], modelCalls = 0 }) {
  const lines = [];
  if (add.length + move.length === 0) lines.push("Nothing to learn.");
  for (const { id, text, sources, days, uses } of add) {
    const [source] = sources;
    const place = source?.path ? `${source.path}#L${source.line}` : "said";
    lines.push(`+ ${id} ${text} (${place}; ${days} days, ${uses} uses)`);
  }
  for (const { id, line, reason } of move)
    lines.push(`→ ${id} ${String(line).split(" <!--")[0].replace(/^- /, "")} (to the archive: ${reason})`);
  if (strengthen.length > 0) lines.push(`In use: ${strengthen.length}.`);
  if (Object.keys(refusedCounts).length > 0) lines.push(`Not kept: ${countsText(refusedCounts)}.`);
  for (const { text, code } of refused.slice(0, LISTED)) if (text) lines.push(`  ${code}: ${text}`);
  if (modelCalls > 0) lines.push(`To carry it out costs ${modelCalls} call of a model.`);
  return [...lines, ...notes].join("\n");
}

/** How a time is told. @typedef {(at: string) => string} When */

/**
 * What a run changed: the numbers that it has are of its plan, which may not be carried out.
 * @param {{state: string, added: number, moved: number}} run
 */
export function outcomeText({ state, added, moved }) {
  if (state === "failed") return "failed, nothing added or moved";
  if (state === "planned") return `planned, would add ${added}, move ${moved}`;
  if (state === "applying") return `begun, is to add ${added}, move ${moved}`;
  return `${state}, added ${added}, moved ${moved}`;
}

/** @param {any} run @param {When} when */
export function runText({ runId, state, startedAt, added, moved, inputTokens, outputTokens }, when) {
  const cost = inputTokens + outputTokens > 0 ? `, ${inputTokens} + ${outputTokens} tokens` : "";
  return `Run ${runId} of ${when(startedAt)}: ${outcomeText({ state, added, moved })}${cost}`;
}

/** @param {any} state @param {When} when */
export function stateText({ settings, problem, claims, uses, nextRunAt, lastRun, tokens, maxChars, chars }, when) {
  const { mode, schedule, writer } = settings;
  return [
    `Consolidation: ${mode}${mode === "off" ? "" : ` (${schedule}, ${writer})`}`,
    ...(problem ? [`Problem: ${problem.message}`] : []),
    `Known: ${claims} claims, ${uses} uses`,
    `MEMORY.md: ${chars} of ${maxChars} characters`,
    ...(mode !== "off" && nextRunAt ? [`Next run: ${when(nextRunAt)}`] : []),
    ...(lastRun
      ? [runText(lastRun, when), ...(Object.keys(lastRun.refused).length > 0 ? [`Not kept: ${countsText(lastRun.refused)}`] : [])]
      : []),
    ...tokens.map(
      (/** @type {any} */ { month, inputTokens, outputTokens }) => `Tokens ${month}: ${inputTokens} sent, ${outputTokens} answered`,
    ),
  ].join("\n");
}

/**
 * What stays of something that was taken back, a line each: nobody should believe that all of it is gone.
 * @param {import("../../index.d.ts").Unlearned} unlearned
 */
export function leftText({ left, failed, diary }) {
  const why = failed ?? "something else says the same, or the entry was changed";
  const remedy = (/** @type {string} */ run) =>
    failed ? "" : `. Edit the file, or take the whole run back: openclaw memory consolidate undo ${run}`;
  const lines = left.map((run) => `MEMORY.md still holds what consolidation made of it: ${why}${remedy(run)}`);
  return diary ? [...lines, `DREAMS.md still tells of it: ${diary}`] : lines;
}
