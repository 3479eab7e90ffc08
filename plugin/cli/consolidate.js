// `openclaw memory consolidate …`, and the commands of memory-core that are faces of it.

import { command } from "../command.js";
import { apply, consolidate, plan } from "../consolidation/run.js";
import { planText, runText, stateText } from "../consolidation/text.js";
import { forOneAgent } from "./agents.js";
import { refuseEmpty } from "./options.js";
import { paint, print, printJson, timeText } from "./output.js";
import { table } from "./table.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("../consolidation/run.js").Place} Place
 * @typedef {{agent?: string, json?: boolean}} Options
 */

/**
 * @param {PluginApi} api
 * @param {Host} host
 * @param {Options} options
 * @param {string} name
 * @param {(place: Place) => Promise<unknown>} work What is to be printed as JSON.
 * @param {(outcome: any, place: Place) => void} show The same for people.
 */
export async function runOnPlace(api, host, options, name, work, show) {
  await forOneAgent(host, options, { name: `memory ${name}`, doing: `Memory ${name}` }, async ({ cfg, agentId }) => {
    const place = { api, host, cfg, agentId };
    const outcome = await work(place);
    if (options.json) printJson(Array.isArray(outcome) ? outcome : { agentId, .../** @type {object} */ (outcome) });
    else show(outcome, place);
  });
}

/** @param {PluginApi} api @param {Host} host @param {Options} options */
export async function runPlan(api, host, options) {
  await runOnPlace(api, host, options, "consolidate plan", planOf, (planned, place) => {
    print(planText(planned));
    if (planned.add.length + planned.move.length > 0)
      print(`\nCarry it out: ${command(`consolidate apply --run ${planned.runId}`, place)}`);
  });
}

/** A plan without the question, which repeats it. @param {Place} place */
async function planOf(place) {
  const { question: _, ...planned } = await plan(place);
  return planned;
}

/** @param {PluginApi} api @param {Host} host @param {Options & {run?: string, only: string[]}} options */
export async function runApply(api, host, options) {
  await runOnPlace(api, host, options, "consolidate apply", (place) => apply(place, options), printApplied);
}

/** @param {{runId: string, path: string, added: number, moved: number}} applied @param {Place} place */
function printApplied({ runId, path, added, moved }, place) {
  if (added + moved === 0) return print("Nothing was to be changed.");
  print(`${path}: added ${added}, moved ${moved} to the archive. Take it back: ${command(`consolidate undo ${runId}`, place)}`);
}

/** @param {PluginApi} api @param {Host} host @param {string | undefined} runId @param {Options & {all?: boolean}} options */
export async function runUndo(api, host, runId, options) {
  // One that a script left empty is not the latest.
  const undo = async (/** @type {Place} */ place) => {
    refuseEmpty(runId, "the id of the run", "Leave it out for the latest; `openclaw memory consolidate runs` shows all");
    return await consolidate(place, { op: "undo", ...(runId ? { run: runId } : {}), all: options.all === true });
  };
  await runOnPlace(api, host, options, "consolidate undo", undo, ({ runs, kept }) => {
    print(runs.length === 0 ? "There was nothing to take back." : `Took back: ${runs.join(", ")}.`);
    for (const text of kept) print(paint("yellow", `Somebody has changed this entry; it stays as it is now. It was: ${text}`));
  });
}

/** @param {PluginApi} api @param {Host} host @param {string | undefined} runId @param {Options} options */
export async function runRuns(api, host, runId, options) {
  if (runId) {
    const one = async (/** @type {Place} */ place) => {
      const [listed, planned] = await consolidate(place, { op: "run", run: runId });
      return { ...listed, plan: planned };
    };
    await runOnPlace(api, host, options, "consolidate runs", one, (listed) =>
      print(`${runText(listed, timeText)}\n${planText(listed.plan)}`),
    );
    return;
  }
  await runOnPlace(
    api,
    host,
    options,
    "consolidate runs",
    (place) => consolidate(place, { op: "runs" }),
    (/** @type {any[]} */ runs) => {
      if (runs.length === 0) return print("There was no run yet.");
      const rows = runs.map(({ runId: id, startedAt, state, added, moved, inputTokens, outputTokens, refused }) => [
        id,
        timeText(startedAt),
        state,
        state === "failed" ? "–" : `+${added} →${moved}`,
        String(inputTokens + outputTokens),
        Object.entries(refused)
          .map(([code, n]) => `${code} ${n}`)
          .join(", "),
      ]);
      print(table(["RUN", "WHEN", "STATE", "ENTRIES", "TOKENS", "REFUSED"], rows));
    },
  );
}

/** What was met of something. @param {Place} place @param {string} what */
async function explained(place, what) {
  refuseEmpty(what, "what is to be explained", "Name words, a note, or the id of a claim");
  return await consolidate(place, { op: "explain", what });
}

/** @param {PluginApi} api @param {Host} host @param {string} what @param {Options} options */
export async function runExplain(api, host, what, options) {
  await runOnPlace(
    api,
    host,
    options,
    "consolidate explain",
    (place) => explained(place, what),
    (/** @type {any[]} */ claims) => {
      if (claims.length === 0) return print("Nothing of the kind was met.");
      const rows = claims.map(({ id, verdict, days, useCount, origin, path, line, text }) => [
        id.slice(0, 8),
        paint(verdict === "ok" ? "green" : "yellow", verdict),
        String(days),
        String(useCount),
        origin,
        path ? `${path}#L${line}` : "said",
        text,
      ]);
      print(table(["CLAIM", "VERDICT", "DAYS", "USES", "ORIGIN", "NOTE", "TEXT"], rows));
    },
  );
}

/** @param {PluginApi} api @param {Host} host @param {Options} options */
export async function runState(api, host, options) {
  await runOnPlace(
    api,
    host,
    options,
    "consolidate status",
    (place) => consolidate(place, { op: "status" }),
    (state) => print(stateText(state, timeText)),
  );
}

/** @param {PluginApi} api @param {Host} host @param {Options & {apply?: boolean, limit?: number}} options */
export async function runPromote(api, host, options) {
  await runOnPlace(
    api,
    host,
    options,
    "promote",
    (place) => promote(place, options),
    ({ planned, apply: applied }) => {
      print(planText(planned));
      if (applied) print(applied.memoryPath ? `${applied.memoryPath}: ${applied.applied} promoted.` : "Nothing was promoted.");
    },
  );
}

/**
 * Plan and outcome in the words of memory-core.
 * @param {Place} place
 * @param {{apply?: boolean, limit?: number}} options
 */
async function promote(place, { apply: wanted, limit }) {
  const planned = await planOf(place);
  const additions = planned.add.slice(0, limit ?? planned.add.length);
  const candidates = additions.map((/** @type {any} */ { id, text, sources, days, uses }) => ({
    key: id,
    snippet: text,
    path: sources[0]?.path ?? "",
    startLine: sources[0]?.line ?? 0,
    endLine: sources[0]?.line ?? 0,
    signalCount: uses,
    recallDays: days,
  }));
  const workspaceDir = place.host.workspaceDir(place.cfg, place.agentId);
  const outcome = { workspaceDir, audit: { refused: planned.refusedCounts }, candidates, planned };
  if (!wanted) return outcome;
  if (candidates.length === 0)
    return {
      ...outcome,
      apply: { applied: 0, appended: 0, reconciledExisting: 0, appliedCandidates: [], rejectedCandidates: planned.refused },
    };
  const applied = await apply(place, { run: planned.runId, only: additions.map((/** @type {any} */ { id }) => id) });
  return {
    ...outcome,
    apply: {
      applied: applied.added,
      appended: applied.added,
      reconciledExisting: planned.strengthen.length,
      memoryPath: applied.path,
      appliedCandidates: candidates,
      rejectedCandidates: planned.refused,
    },
  };
}

/** @param {PluginApi} api @param {Host} host @param {string} what @param {Options} options */
export async function runPromoteExplain(api, host, what, options) {
  const work = async (/** @type {Place} */ place) => {
    const [claims, { settings }] = await Promise.all([explained(place, what), consolidate(place, { op: "status" })]);
    const [candidate = null] = claims;
    const thresholds = { minDays: settings.minDays, minUses: settings.minUses, lookbackDays: settings.lookbackDays };
    const passes = candidate && {
      recallCount: candidate.useCount >= settings.minUses || candidate.requested,
      days: candidate.days >= settings.minDays || candidate.requested,
      verdict: candidate.verdict,
    };
    return { thresholds, candidate, passes };
  };
  await runOnPlace(api, host, options, "promote-explain", work, ({ candidate, passes }) =>
    print(
      candidate
        ? `${passes.verdict}: ${candidate.text} (${candidate.days} days, ${candidate.useCount} uses)`
        : "Nothing of the kind was met.",
    ),
  );
}
