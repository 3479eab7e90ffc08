// Consolidation for clients of the gateway, and behind `/dreaming`.

import { defaultAgentId, listAgentIds, normalizeAgentId, sessionAgentId, userTimeZone } from "../../lib/config.js";
import { codedError, errorCode, errorMessage } from "../../lib/errors.js";
import { knownTimeZone, timeIn } from "../../lib/time.js";
import { addDreamingAction } from "../commands/dreaming.js";
import { replay } from "./replay.js";
import { apply, consolidate, plan } from "./run.js";
import { planText, runText } from "./text.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("./run.js").Place} Place
 * @typedef {Record<string, any>} Params
 * @typedef {{params?: Params, respond: (ok: boolean, payload?: unknown, error?: unknown) => void}} Call
 */

/** Those that change a file ask for more than those that look. */
const METHODS = {
  status: { scope: "operator.read", work: (/** @type {Place} */ place) => consolidate(place, { op: "status" }) },
  plan: { scope: "operator.read", work: (/** @type {Place} */ place) => plan(place) },
  runs: { scope: "operator.read", work: async (/** @type {Place} */ place) => ({ runs: await consolidate(place, { op: "runs" }) }) },
  apply: {
    scope: "operator.admin",
    work: (/** @type {Place} */ place, /** @type {Params} */ params) => apply(place, { run: text(params.runId), only: texts(params.only) }),
  },
  undo: {
    scope: "operator.admin",
    work: (/** @type {Place} */ place, /** @type {Params} */ params) => {
      const run = text(params.runId);
      return consolidate(place, { op: "undo", ...(run ? { run } : {}), all: params.all === true });
    },
  },
};

/** @param {unknown} value */
const text = (value) => (typeof value === "string" && value ? value : undefined);

/** @param {unknown} value */
const texts = (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : []);

/**
 * @param {PluginApi} api
 * @param {Host} host
 */
export function registerConsolidation(api, host) {
  for (const [name, { scope, work }] of Object.entries(METHODS)) {
    api.registerGatewayMethod?.(
      `memoryCoreRs.consolidation.${name}`,
      async (/** @type {Call} */ { params = {}, respond }) => {
        try {
          const place = placeOf(api, host, params.agentId);
          const outcome = await work(place, params);
          respond(true, { agentId: place.agentId, .../** @type {object} */ (outcome) });
        } catch (error) {
          respond(false, undefined, { code: errorCode(error) ?? "UNAVAILABLE", message: errorMessage(error) });
        }
      },
      { scope },
    );
  }
  registerBackfill(api, host);
  registerActions(api, host);
}

/**
 * The methods by which clients of memory-core have conversations read that were held before: one batch of days a call.
 * @param {PluginApi} api
 * @param {Host} host
 */
function registerBackfill(api, host) {
  /** @type {Record<string, {scope: string, keys: string[], work: (place: Place, params: Params) => Promise<unknown>}>} */
  const methods = {
    preview: { scope: "operator.read", keys: RANGE, work: (place, params) => backfill(place, params, false) },
    apply: { scope: "operator.admin", keys: RANGE, work: (place, params) => backfill(place, params, true) },
    rollback: {
      scope: "operator.admin",
      keys: [],
      work: async (place) => ({ removedDiaryEntries: 0, removedStagedEntries: (await consolidate(place, { op: "rollBack" })).removed }),
    },
  };
  for (const [name, { scope, keys, work }] of Object.entries(methods)) {
    const answer = async (/** @type {Call} */ { params = {}, respond }) => {
      const wrong = Object.keys(params).find((key) => key !== "agentId" && !keys.includes(key));
      if (wrong || !text(params.agentId)) {
        const message = wrong ? `unexpected parameter: ${wrong}` : "agentId is required";
        return respond(false, undefined, { code: "INVALID_REQUEST", message });
      }
      try {
        respond(true, await work(placeOf(api, host, params.agentId), params));
      } catch (error) {
        const code = errorCode(error) === "MEM_ARGUMENT" ? "INVALID_REQUEST" : "UNAVAILABLE";
        respond(false, undefined, { code, message: errorMessage(error) });
      }
    };
    api.registerGatewayMethod?.(`memory.sessionBackfill.${name}`, answer, { scope });
  }
}

/** What narrows a backfill. */
const RANGE = ["from", "to", "limitDays"];
/** Sentences of a day that are shown. */
const SAMPLE = 3;

/**
 * One batch: the oldest days that are not known yet.
 * @param {Place} place
 * @param {Params} params
 * @param {boolean} isKept
 */
async function backfill(place, { from, to, limitDays }, isKept) {
  if (limitDays !== undefined && !(Number.isInteger(limitDays) && limitDays > 0))
    throw Object.assign(new Error("limitDays must be a positive integer"), { code: "MEM_ARGUMENT" });
  const range = { ...(text(from) ? { from } : {}), ...(text(to) ? { to } : {}), ...(limitDays ? { limitDays } : {}) };
  const { days, candidateCount, staged, hasMore } = await replay(place, { ...range, source: "sessions", apply: isKept });
  return {
    days: days.length,
    candidates: candidateCount,
    perDay: days.map(({ day, candidateCount: count, topCandidates }) => ({
      day,
      candidateCount: count,
      sample: topCandidates.slice(0, SAMPLE),
    })),
    staged,
    ...(isKept
      ? { cursor: { advanced: candidateCount > 0, exhausted: candidateCount === 0 && !hasMore, hasMore } }
      : { truncated: hasMore }),
  };
}

/**
 * @param {PluginApi} api
 * @param {Host} host
 * @param {unknown} wanted
 * @returns {Place}
 */
function placeOf(api, host, wanted) {
  const cfg = host.config();
  const agentId = typeof wanted === "string" && wanted.trim() ? normalizeAgentId(wanted) : defaultAgentId(cfg);
  if (!listAgentIds(cfg).includes(agentId)) throw codedError("MEM_NOT_FOUND", `there is no agent "${agentId}"`);
  return { api, host, cfg, agentId };
}

/** The agent that is spoken with. @param {PluginApi} api @param {Host} host @param {Record<string, any>} ctx */
const placeOfChat = (api, host, ctx) => placeOf(api, host, sessionAgentId(host.config(), ctx));

/**
 * The words after `/dreaming` that work on runs.
 * @param {PluginApi} api
 * @param {Host} host
 */
function registerActions(api, host) {
  addDreamingAction("plan", {
    help: "say what a run would do; no file is changed",
    changes: true,
    run: async (_host, ctx) => planText(await plan(placeOfChat(api, host, ctx))),
  });
  addDreamingAction("apply", {
    help: "carry out a plan: `apply <run>`, or a new one",
    changes: true,
    run: async (_host, ctx, [run]) => {
      const { runId, path, added, moved } = await apply(placeOfChat(api, host, ctx), { run });
      if (added + moved === 0) return "Nothing was to be changed.";
      return `${path}: added ${added}, moved ${moved} to the archive. Take it back: /dreaming undo ${runId}`;
    },
  });
  addDreamingAction("undo", {
    help: "take a run back: `undo <run>`, or the latest",
    changes: true,
    run: async (_host, ctx, [run]) => {
      const { runs, kept } = await consolidate(placeOfChat(api, host, ctx), { op: "undo", ...(run ? { run } : {}) });
      return [
        `Took back: ${runs.join(", ") || "nothing"}.`,
        ...kept.map((/** @type {string} */ entry) => `Changed since, so it stays: ${entry}`),
      ].join("\n");
    },
  });
  addDreamingAction("runs", {
    help: "the latest runs",
    changes: true,
    run: async (_host, ctx) => {
      const place = placeOfChat(api, host, ctx);
      const runs = await consolidate(place, { op: "runs" });
      const zone = knownTimeZone(userTimeZone(place.cfg, place.agentId));
      const told = runs.slice(0, 5).map((/** @type {any} */ run) => runText(run, (at) => timeIn(at, zone)));
      return told.join("\n") || "There was no run yet.";
    },
  });
}
