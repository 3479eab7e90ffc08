// What the page asks of the memory of an agent. Each is a method of the gateway, `memoryCoreRs.page.*`, and the page's own
// route answers with the same ones: what a person sees there is what any client of the gateway may see with the same rights.

import path from "node:path";
import { defaultAgentId, isRecord, listAgentIds, normalizeAgentId } from "../../lib/config.js";
import { codedError, errorCode, errorMessage } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PACKAGE_VERSION } from "../../lib/package-info.js";
import { withManager, withSearch } from "../cli/agents.js";
import { reasons } from "../cli/explain.js";
import { matchedWords } from "../cli/search.js";
import { agentStatus, automaticState } from "../cli/status.js";
import { chosen } from "../consolidation/agent.js";
import { consolidate } from "../consolidation/run.js";
import { forgetRequest } from "../forgetting/request.js";
import { nativeOnly } from "../hooks/agent.js";
import { timesOf } from "../hooks/shown.js";
import { shown } from "../intents/tool.js";
import { originLetters } from "../provenance/origins.js";
import { authorizeHits } from "../session-visibility.js";
import { lineFinder } from "./lines.js";
import { timelineOf } from "./timeline.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("../cli/agents.js").OneAgent} OneAgent
 * @typedef {{host: Host, cfg: import("../host.js").HostConfig, agentId: string}} Place
 * @typedef {Record<string, unknown>} Params
 * @typedef {import("../../lib/page.d.ts").PageMethods} Answers
 * @typedef {import("../../lib/page.d.ts").PageChange} Change
 */

/**
 * A method: whoever asks may have sent anything, and what is answered is what is documented.
 * @template {keyof Answers} [Name=keyof Answers]
 * @typedef {{scope: Name extends Change ? "operator.write" : "operator.read",
 *   work: (place: Place, params: Params, signal?: AbortSignal) => Promise<Answers[Name]["result"]> | Answers[Name]["result"]}} Method
 */

/** Most results of a search. */
const MOST_RESULTS = 50;
/** Captures and events of intents that are listed, unless more are asked for; and the most. */
const [LISTED, MOST_LISTED] = [200, 20_000];
/** Blocks of prompts at a time, for whoever asks for no more. */
const PROMPTS = 50;
/** Lines of a note at a time. */
const LINES = 400;

/** Those that change something ask for more than those that look. @type {{[Name in keyof Answers]: Method<Name>}} */
const METHODS = {
  overview: { scope: "operator.read", work: overview },
  search: { scope: "operator.read", work: search },
  note: { scope: "operator.read", work: note },
  activity: { scope: "operator.read", work: activity },
  prompts: { scope: "operator.read", work: prompts },
  run: { scope: "operator.read", work: run },
  timeline: { scope: "operator.read", work: async (place) => await timelineOf(place, await runsOf(place)) },
  map: { scope: "operator.read", work: map },
  kept: { scope: "operator.read", work: kept },
  health: { scope: "operator.read", work: health },
  undoCapture: { scope: "operator.write", work: undoCapture },
  // Less than applying one asks for: it puts back what was there, and what somebody has changed since stays.
  undoRun: { scope: "operator.write", work: undoRun },
  cancelIntent: { scope: "operator.write", work: cancelIntent },
  planForget: { scope: "operator.write", work: planForget },
  applyForget: { scope: "operator.write", work: applyForget },
  undoForget: { scope: "operator.write", work: undoForget },
  setPrices: { scope: "operator.write", work: setPrices },
};

/**
 * The method of a name; undefined when there is none.
 * @param {string} name
 * @returns {Method | undefined}
 */
export const pageMethod = (name) => (Object.hasOwn(METHODS, name) ? METHODS[/** @type {keyof Answers} */ (name)] : undefined);

/**
 * Answers one question of the page.
 * @param {Host} host
 * @param {Method} method
 * @param {Params} params
 * @param {AbortSignal} [signal] Ends what nobody waits for any more.
 */
export async function answer(host, method, params, signal) {
  const place = placeOf(host, params.agentId);
  return { agentId: place.agentId, ...(await method.work(place, params, signal)) };
}

/** What went wrong, for whoever asked. @param {unknown} error */
export const fault = (error) => ({ code: errorCode(error) ?? "UNAVAILABLE", message: errorMessage(error) });

/**
 * @param {PluginApi} api
 * @param {Host} host
 */
export function registerPageMethods(api, host) {
  for (const [name, method] of Object.entries(METHODS)) {
    api.registerGatewayMethod?.(
      `memoryCoreRs.page.${name}`,
      async (/** @type {{params?: Params, respond: (ok: boolean, payload?: unknown, error?: unknown) => void}} */ call) => {
        try {
          call.respond(true, await answer(host, method, call.params ?? {}));
        } catch (error) {
          call.respond(false, undefined, fault(error));
        }
      },
      { scope: method.scope },
    );
  }
}

/**
 * @param {Host} host
 * @param {unknown} wanted
 * @returns {Place}
 */
function placeOf(host, wanted) {
  const cfg = host.config();
  if (wanted !== undefined && wanted !== null && typeof wanted !== "string") throw codedError("MEM_ARGUMENT", "agentId must be a text");
  const agentId = wanted?.trim() ? normalizeAgentId(wanted) : defaultAgentId(cfg);
  if (!listAgentIds(cfg).includes(agentId)) throw codedError("MEM_ARGUMENT", `there is no agent "${agentId}"`);
  return { host, cfg, agentId };
}

/** @param {Params} params @param {string} name */
function text(params, name) {
  const value = params[name];
  if (typeof value === "string" && value.trim()) return value;
  throw codedError("MEM_ARGUMENT", `${name} must be a text that is not empty`);
}

/** @param {Params} params @param {string} name @param {number} most */
function count(params, name, most) {
  const value = params[name];
  if (Number.isSafeInteger(value) && Number(value) > 0) return Math.min(Number(value), most);
  throw codedError("MEM_ARGUMENT", `${name} must be a positive whole number`);
}

/** @param {Place} place */
function overview({ host, cfg }) {
  return { agents: listAgentIds(cfg), version: PACKAGE_VERSION, hostVersion: host.version() };
}

/**
 * Passages with why each is there. Of conversations those that a search at the command line shows, and the host allows.
 * @param {Place} place
 * @param {Params} params
 * @param {AbortSignal} [signal]
 */
async function search({ host, cfg, agentId }, params, signal) {
  const query = text(params, "query");
  // Where nobody names a number, they are as many and as long as an assistant gets.
  const maxResults = params.limit === undefined ? undefined : count(params, "limit", MOST_RESULTS);
  const sessionKey = `agent:${agentId}:cli:direct:memory-page`;
  const found = await withSearch(host, { cfg, agentId }, (manager) =>
    manager.searchDetailed(query, { maxResults, explain: true, sessionKey, signal }),
  );
  const hits = await authorizeHits(host, { cfg, agentId, requesterSessionKey: sessionKey, hits: found.hits });
  return {
    mode: found.mode,
    ...(found.warning ? { warning: found.warning } : {}),
    hits: hits.map((hit) => ({
      path: hit.path,
      startLine: hit.startLine,
      endLine: hit.endLine,
      source: hit.source,
      score: hit.score,
      snippet: hit.snippet,
      matched: matchedWords(hit),
      why: reasons(hit.explain).map(([name, said]) => ({ name, text: said })),
      origin: hit.provenance?.originClass ?? null,
    })),
  };
}

/**
 * A part of a note, as it is on the disk, and where that is for whoever wants to edit it.
 * @param {Place} place
 * @param {Params} params
 */
async function note({ host, cfg, agentId }, params) {
  const relPath = text(params, "path");
  const from = params.from === undefined ? 1 : count(params, "from", Number.MAX_SAFE_INTEGER);
  const lines = params.lines === undefined ? LINES : count(params, "lines", LINES);
  const excerpt = await withSearch(host, { cfg, agentId }, (manager) => manager.readFile({ relPath, from, lines }));
  const workspace = host.workspaceDir(cfg, agentId);
  return { ...excerpt, ...(workspace && excerpt.status === "ok" ? { file: path.resolve(workspace, excerpt.path) } : {}) };
}

/**
 * What memory did by itself, newest first.
 * @param {Place} place
 * @param {Params} params
 */
async function activity(place, params) {
  const most = params.most === undefined ? LISTED : count(params, "most", MOST_LISTED);
  const agent = nativeOnly(place.host, place.cfg, place.agentId);
  // Captures, intents and prompts are files, and shown also while the index cannot be read.
  const ofIndex = Promise.all([runsOf(place), forgottenOf(place)]).then(
    ([runs, forgotten]) => ({ runs, forgotten }),
    (error) => ({ runs: [], forgotten: [], problem: errorMessage(error) }),
  );
  const [{ captures, waiting }, intents, found, shownInPrompts] = await Promise.all([
    native().listCaptures(agent, most),
    native().listIntents(agent),
    ofIndex,
    native().listPrompts(agent, params.most === undefined ? PROMPTS : most),
  ]);
  const events = intents
    .flatMap(({ id, description, history }) => (history ?? []).map(({ what, at }) => ({ at, what, id, description })))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, most);
  return {
    waiting,
    // The fingerprint of the message is of no use to a person.
    captures: captures.map(({ message: _, ...capture }) => capture),
    intents: events,
    ...found,
    ...shownInPrompts,
  };
}

/**
 * What was put into prompts before what `activity` or this answered, newest first.
 * @param {Place} place
 * @param {Params} params
 */
async function prompts({ host, cfg, agentId }, params) {
  const most = params.most === undefined ? PROMPTS : count(params, "most", MOST_LISTED);
  return await native().listPrompts(nativeOnly(host, cfg, agentId), most, text(params, "before"));
}

/** @param {Place} place @returns {Promise<import("../../index.d.ts").ConsolidationRun[]>} */
const runsOf = async (place) => await unlessOff(place, async () => await consolidate(place, { op: "runs" }), []);

/** @param {Place} place */
const forgottenOf = async ({ host, cfg, agentId }) =>
  await withManager(host, cfg, agentId, async (manager) => (manager ? (await manager.forgotten()).toReversed() : []));

/**
 * What needs the index, or something else where memory search is switched off.
 * @template T
 * @param {Place} place
 * @param {() => Promise<T>} work
 * @param {T} otherwise
 * @returns {Promise<T>}
 */
async function unlessOff({ host, cfg, agentId }, work, otherwise) {
  return await withManager(host, cfg, agentId, async (manager) => (manager ? await work() : otherwise));
}

/**
 * One run of consolidation with what it added and moved.
 * @param {Place} place
 * @param {Params} params
 */
async function run(place, params) {
  const [listed, planned] = await consolidate(place, { op: "run", run: text(params, "runId") });
  // The question to a model repeats the plan.
  const { question: _, ...plan } = planned ?? {};
  return { ...listed, plan };
}

/**
 * What memory keeps beside the notes: stored facts, standing intents, lines with triggers, and learned entries.
 * @param {Place} place
 */
async function kept(place) {
  const { host, cfg, agentId } = place;
  const agent = nativeOnly(host, cfg, agentId);
  const lineOf = lineFinder(host.workspaceDir(cfg, agentId));
  const ofIndex = withManager(host, cfg, agentId, async (manager) => {
    if (!manager) return { facts: [], triggers: [] };
    const [facts, triggers] = await Promise.all([manager.run((engine) => engine.facts()), manager.listTriggerCandidates()]);
    return {
      facts: await Promise.all(facts.map(async (fact) => ({ ...fact, ...(await lineOf(fact.path, (line) => line.includes(fact.text))) }))),
      triggers: triggers.map(({ path, startLine, snippet, triggers: words }) => ({
        path,
        line: startLine,
        text: snippet,
        triggers: words,
      })),
    };
  });
  const [found, intents, learned] = await Promise.all([ofIndex, native().listIntents(agent), learnedOf(place)]);
  return { ...found, intents: intents.map(({ history: _, ...intent }) => shown(intent)), learned };
}

/**
 * The passages of the notes in the plane; see `MemoryMap`. Empty where memory search is off, or nothing is embedded.
 * @param {Place} place
 * @param {Params} params
 */
async function map({ host, cfg, agentId }, params) {
  const drawn = await withManager(host, cfg, agentId, async (manager) =>
    manager ? await manager.run((engine) => engine.map()) : { total: 0, paths: "", points: "", regions: [] },
  );
  if (params.origins !== true || drawn.total === 0) return drawn;
  return { ...drawn, origins: await originLetters(host.workspaceDir(cfg, agentId), drawn.paths.split("\0")) };
}

/**
 * Entries that applied runs have added, newest first, each with its line where it still stands as it was written.
 * @param {Place} place
 * @returns {Promise<import("../../lib/page.d.ts").PageKept["learned"]>}
 */
async function learnedOf(place) {
  const applied = (await runsOf(place)).filter(({ state, added }) => state === "applied" && added > 0);
  const lineOf = lineFinder(place.host.workspaceDir(place.cfg, place.agentId));
  const entries = await Promise.all(
    applied.map(async ({ runId, startedAt: at }) => {
      const [, planned] = await consolidate(place, { op: "run", run: runId });
      const { path: file = "", add = [] } = /** @type {Partial<import("../../index.d.ts").ConsolidationPlan>} */ (planned ?? {});
      return await Promise.all(
        add.map(async ({ id, text: said, line: written, sources }) => {
          const stands = await lineOf(file, (line) => line === written);
          return { id, text: said, path: file, ...stands, sources, runId, at };
        }),
      );
    }),
  );
  return entries.flat();
}

/**
 * The same as `openclaw memory status --json`, and how long recalls and searches took since the gateway has started. Of an index
 * that cannot be read, why, and what does not hang on it.
 * @param {Place} place
 */
async function health({ host, cfg, agentId }) {
  const times = timesOf({ stateDir: host.stateDir(), agentId });
  try {
    const status = await withManager(host, cfg, agentId, (manager) => agentStatus(host, { cfg, agentId }, manager, {}), "status");
    return { ...status, times };
  } catch (error) {
    return {
      status: /** @type {const} */ ("unreadable"),
      problem: errorMessage(error),
      automatic: automaticState(host, cfg, agentId),
      consolidation: { settings: { mode: chosen(cfg, agentId).mode } },
      times,
    };
  }
}

/** @param {Place} place @param {Params} params */
async function undoCapture({ host, cfg, agentId }, params) {
  const agent = nativeOnly(host, cfg, agentId);
  return await withSearch(host, { cfg, agentId }, (manager) => manager.undoCapture(agent, text(params, "id")));
}

/** @param {Place} place @param {Params} params */
async function undoRun(place, params) {
  return await consolidate(place, { op: "undo", run: text(params, "runId") });
}

/** @param {Place} place @param {Params} params */
async function cancelIntent({ host, cfg, agentId }, params) {
  const intent = await native().cancelIntent(nativeOnly(host, cfg, agentId), text(params, "id"));
  return { cancelled: intent !== null };
}

/**
 * What would be forgotten with some lines of a note, under an id that `applyForget` takes. No note is changed.
 * @param {Place} place
 * @param {Params} params
 */
async function planForget({ host, cfg, agentId }, params) {
  const lines = params.lines === undefined ? undefined : text(params, "lines");
  const { request, refusals } = await forgetRequest(host, { cfg, agentId }, { path: [text(params, "path")], lines });
  return { ...(await withSearch(host, { cfg, agentId }, (manager) => manager.planForget(request))), refusals };
}

/** @param {Place} place @param {Params} params */
async function applyForget({ host, cfg, agentId }, params) {
  return await withSearch(host, { cfg, agentId }, (manager) => manager.applyForget(text(params, "id")));
}

/** @param {Place} place @param {Params} params */
async function undoForget({ host, cfg, agentId }, params) {
  return await withSearch(host, { cfg, agentId }, (manager) => manager.undoForget(text(params, "id")));
}

/**
 * Keeps what a person says that tokens cost.
 * @param {Place} place
 * @param {Params} params
 */
async function setPrices({ host, cfg, agentId }, { prices }) {
  if (!isRecord(prices)) throw codedError("MEM_ARGUMENT", "prices must name models and what a million of their tokens costs");
  const said = Object.entries(prices).map(([of, price]) => ({ of, ...(isRecord(price) ? price : { input: price }) }));
  const kept = said.filter(({ of }) => prices[of] !== null);
  const without = Object.keys(prices).filter((of) => prices[of] === null);
  return { kept: await native().keepPrices(nativeOnly(host, cfg, agentId), /** @type {any} */ (kept), without) };
}
