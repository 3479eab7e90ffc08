// The page as one file that needs no gateway: everything but the search, as it is now. And what its pictures are made of.

import { createHash } from "node:crypto";
import { pageFile } from "./files.js";
import { answer, pageMethod } from "./methods.js";

/** @typedef {import("../host.js").Host} Host */

/** Runs of consolidation that are shown with what they changed. */
const RUNS = 200;

/** Questions of the page without parameters of their own. */
const VIEWS = ["timeline", "map", "activity", "kept", "health"];

/** A report can be asked nothing more: its map says whose words the notes hold, and what memory did goes far back. @type {Record<string, Record<string, unknown>>} */
const PARAMS = { map: { origins: true }, activity: { most: 2000 } };

/**
 * What a report tells: the answers to the questions of the page.
 * @param {Host} host
 * @param {string} agentId
 * @param {{isPrivate: boolean, madeAt: string}} how Whether the texts of notes, their names and places are in it.
 * @returns {Promise<Record<string, any>>}
 */
export async function snapshotOf(host, agentId, { isPrivate, madeAt }) {
  const ask = async (/** @type {string} */ name, /** @type {Record<string, unknown>} */ params = {}) => {
    const method = pageMethod(name);
    if (!method) throw new Error(`the page has no "${name}"`);
    return /** @type {Record<string, any>} */ (await answer(host, method, { agentId, ...params }));
  };
  const answers = Object.fromEntries(await Promise.all(VIEWS.map(async (name) => [name, await ask(name, PARAMS[name])])));
  /** @type {Record<string, any>} */
  const runs = {};
  for (const { runId } of answers.activity.runs.slice(0, RUNS)) runs[runId] = await ask("run", { runId });
  const snapshot = { madeAt, isPrivate, overview: { ...(await ask("overview")), agents: [agentId] }, ...answers, runs };
  return isPrivate ? snapshot : withoutTexts(snapshot);
}

/**
 * Numbers, days and kinds, and nothing that a person or an assistant wrote or named. What is to be shown is named here one by
 * one, so that nothing new gets in by itself.
 * @param {Record<string, any>} snapshot
 */
function withoutTexts({ madeAt, isPrivate, overview, timeline, map, activity, kept, health }) {
  const { status = {}, scan, costs, disk, automatic, consolidation, times } = health;
  const { agentId } = overview;
  return {
    madeAt,
    isPrivate,
    overview: { ...overview, agentId: "", agents: [""] },
    timeline: { days: timeline.days.map((/** @type {any} */ day) => ({ ...day, notes: day.notes.map(() => "") })) },
    map: { total: map.total, paths: "", points: map.points, regions: [], origins: map.origins },
    activity: {
      waiting: activity.waiting,
      captures: activity.captures.map((/** @type {any} */ { id, ts, status: state, reason, category }) => ({
        id,
        ts,
        status: state,
        reason,
        category,
      })),
      intents: activity.intents.map((/** @type {any} */ { at, what }) => ({ at, what })),
      runs: activity.runs.map((/** @type {any} */ { startedAt, state, added, moved }) => ({ startedAt, state, added, moved })),
      forgotten: activity.forgotten.map((/** @type {any} */ { id, at, kind, lines }) => ({ id, at, kind, lines })),
      prompts: activity.prompts.map((/** @type {any} */ { at, id, part }) => ({ at, id, part, text: "" })),
      next: null,
    },
    kept: {
      facts: kept.facts.map((/** @type {any} */ { category, importance, createdAt }) => ({ category, importance, createdAt })),
      intents: kept.intents.map((/** @type {any} */ { status: state, fireCount, maxFires, expiresAt }) => ({
        status: state,
        fireCount,
        maxFires,
        expiresAt,
        triggerKeywords: [],
      })),
      triggers: kept.triggers.map(() => ({})),
      learned: kept.learned.map((/** @type {any} */ { at }) => ({ at })),
    },
    health:
      agentId === undefined || health.status === "disabled"
        ? { status: "disabled" }
        : figures({ status, scan, costs, disk, automatic, consolidation, times }),
    runs: {},
  };
}

/** @param {Record<string, any>} health */
function figures({ status, scan, costs, disk, automatic, consolidation, times }) {
  const { files, chunks, provider, sourceCounts, custom } = status;
  // A model's name may be a folder of this machine.
  const named = [...new Set(costs.months.flatMap((/** @type {any} */ { models }) => models.map((/** @type {any} */ one) => one.model)))];
  return {
    status: {
      files,
      chunks,
      provider,
      sourceCounts: (sourceCounts ?? []).map((/** @type {any} */ one) => ({ source: one.source, files: one.files, chunks: one.chunks })),
      custom: { sizes: custom?.sizes, pendingEmbeddings: custom?.pendingEmbeddings },
    },
    scan: {
      skipped: scan.skipped.map((/** @type {any} */ _, /** @type {number} */ at) => ({ path: `File ${at + 1}`, reason: "" })),
      moreSkipped: scan.moreSkipped,
    },
    costs: {
      months: costs.months.map((/** @type {any} */ { month, cost, models }) => ({
        month,
        cost,
        models: models.map((/** @type {any} */ one) => ({ ...one, model: `model ${named.indexOf(one.model) + 1}` })),
      })),
      configured: [],
      kept: [],
    },
    disk,
    automatic,
    times,
    ...(consolidation?.settings
      ? { consolidation: { settings: { mode: consolidation.settings.mode }, tokens: consolidation.tokens } }
      : {}),
  };
}

/**
 * The built page with its style, its script and the answers inside. Nothing else may run in it, and it may ask nobody.
 * @param {Record<string, any>} snapshot
 */
export async function markup(snapshot) {
  const [shell, script, style] = await Promise.all(["", "page.js", "page.css"].map(async (name) => (await pageFile(name))?.body ?? ""));
  const hash = (/** @type {string} */ text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
  // No text of a note can end the element it is in.
  const data = JSON.stringify(snapshot).replaceAll("<", "\\u003c");
  const parts = {
    '<meta name="memory-ticket" content="">': `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<link rel="stylesheet" href="../page/page.css">': `<style>${style}</style>`,
    '<script src="../page/page.js" defer></script>': "",
    "</body>": `<script type="application/json" id="memory-report">${data}</script>\n<script>${script}</script>\n</body>`,
  };
  return Object.entries(parts).reduce((text, [mark, part]) => {
    const at = text.indexOf(mark);
    if (at < 0) throw new Error(`the page has no ${mark}`);
    return text.slice(0, at) + part + text.slice(at + mark.length);
  }, shell);
}
