// `openclaw memory search`

import path from "node:path";
import { searchOverview, userTimeZone } from "../../lib/config.js";
import { codedError } from "../../lib/errors.js";
import { marked } from "../../lib/marks.js";
import { forOneAgent, withManager } from "./agents.js";
import { namedSpan } from "./days.js";
import { explanation } from "./explain.js";
import { counted, inOneLine, isColourful, paint, plain, print, printError, printJson } from "./output.js";

/** Results where nobody names a number. */
const DEFAULT_RESULTS = 6;

/** Longest wait for notes that changed since the last command, in milliseconds. */
const CATCH_UP_MS = 1000;

/** What makes the index show them. */
const INDEX_FIRST = "`openclaw memory index` brings it up to date";

/** Results that are looked at, where only some origins are wanted: at first for each of them, and at most. */
const LOOKED_AT = 5;
const MOST_LOOKED_AT = 1000;

/**
 * @typedef {import("../provenance/paths.js").OriginClass} OriginClass
 * @typedef {{agent?: string, maxResults?: number, limit?: number, after?: number, minScore?: number, origin?: OriginClass[], since?: string, until?: string, path?: string[], explain?: boolean, open?: boolean, json?: boolean}} Options
 * @param {import("../host.js").Host} host
 * @param {string | undefined} query
 * @param {Options} options
 */
export async function runSearch(host, query, options) {
  await forOneAgent(host, options, { name: "memory search", doing: "Memory search" }, async ({ cfg, agentId }) => {
    if (!query?.trim()) throw codedError("MEM_ARGUMENT", "there is no query", { remedy: 'Give one: openclaw memory search "…"' });
    if (options.after && options.origin?.length) {
      const remedy = "Ask for more results instead, with --max-results";
      throw codedError("MEM_ARGUMENT", "--after does not go with --origin", { remedy });
    }
    // The engine reads them again, and does not know what they are called here.
    namedSpan(options, userTimeZone(cfg, agentId));
    // Whose words a result holds is in JSON only, and to ask the host loads some of its modules.
    const told = options.json || options.origin?.length ? {} : { describe: undefined };
    const search = async (/** @type {import("../../lib/manager.js").MemoryIndexManager | null} */ manager) => {
      if (!manager) return options.json ? printJson({ agentId, status: "disabled" }) : print("Memory search disabled.");
      // Why it failed is told by the search.
      const isCurrent = await manager.catchUp(CATCH_UP_MS).catch(() => true);
      const started = performance.now();
      const most = options.limit ?? options.maxResults;
      const request = {
        after: options.after,
        later: options.origin?.length ? undefined : true,
        minScore: options.minScore,
        // The words that matched are shown to people, and only the explanation names them.
        explain: options.explain || (!options.json && isColourful()) || undefined,
        sessionKey: `agent:${agentId}:cli:direct:memory-search`,
        since: options.since,
        until: options.until,
        paths: options.path?.length ? options.path : undefined,
      };
      const ask = (/** @type {number | undefined} */ maxResults) => manager.searchDetailed(query, { ...request, maxResults });
      const found = options.origin?.length
        ? await ofOrigins(ask, options.origin, most ?? searchOverview(cfg, agentId).maxResults ?? DEFAULT_RESULTS)
        : await ask(most);
      const answer = isCurrent ? found : ofOldIndex(found);
      if (options.json)
        printJson({
          results: answer.hits,
          // Of other results than these, where some were left out by their origin.
          more: options.origin?.length ? undefined : answer.more,
          later: answer.later,
          nearest: answer.nearest,
          mode: answer.mode,
          partial: answer.partial || undefined,
          warning: answer.warning,
          remedy: answer.remedy,
          code: answer.code,
          degraded: answer.degraded,
        });
      else printAnswer(answer, { ...options, query, workspace: manager.status().workspaceDir, tookMs: performance.now() - started });
      if (isFault(answer)) process.exitCode = 1;
    };
    await withManager(host, cfg, agentId, search, "cli", told);
  });
}

/**
 * The first results of some origins, which only the host knows: more are looked at until there are enough.
 * @param {(maxResults: number) => Promise<import("../../index.d.ts").MemoryAnswer>} search
 * @param {OriginClass[]} origins
 * @param {number} wanted
 */
export async function ofOrigins(search, origins, wanted) {
  for (let lookedAt = wanted * LOOKED_AT; ; lookedAt *= LOOKED_AT) {
    const found = await search(lookedAt);
    const hits = found.hits.filter(({ provenance }) => provenance !== undefined && origins.includes(provenance.originClass));
    const isAll = found.hits.length < lookedAt || lookedAt >= MOST_LOOKED_AT;
    if (isAll || hits.length >= wanted) return { ...found, hits: hits.slice(0, wanted) };
  }
}

/**
 * An answer that says that it may be of notes as they were.
 * @param {import("../../index.d.ts").MemoryAnswer} answer
 */
export function ofOldIndex(answer) {
  const told = `Notes have changed that are not all in the index yet: ${INDEX_FIRST}`;
  return { ...answer, warning: answer.warning ? `${answer.warning}. ${told}` : told, remedy: answer.remedy ?? INDEX_FIRST };
}

/**
 * Whether nothing was found and a fault may be the reason. Without the provider the words were searched all the same.
 * @param {import("../../index.d.ts").MemoryAnswer} answer
 */
function isFault({ hits, code }) {
  return hits.length === 0 && code !== undefined && !code.startsWith("MEM_PROVIDER");
}

/**
 * @param {import("../../index.d.ts").MemoryAnswer} answer
 * @param {Options & {query: string, workspace?: string, tookMs: number}} options
 */
function printAnswer(answer, { query, after, explain, open, origin, workspace, tookMs }) {
  const { hits, later, more, warning, code } = answer;
  if (warning) printError(isFault(answer) ? `${warning} [${code}]` : warning);
  if (hits.length === 0) return print(nothingText(answer, after));
  const block = (/** @type {import("../../index.d.ts").MemoryHit} */ hit) =>
    [
      `${paint("green", hit.score.toFixed(3))} ${placeText(hit, open ? workspace : undefined)}`,
      highlighted(plain(hit.snippet), matchedWords(hit), query),
      ...(explain ? explanation(hit.explain) : []),
    ].join("\n");
  print(hits.map(block).join("\n\n"));
  if (later) print(`\n${paint("yellow", "A later note tells of a change of the first:")}\n${block(later)}`);
  if (!process.stdout.isTTY) return;
  const files = new Set(hits.map((hit) => hit.path)).size;
  const next = more && !origin?.length ? ` · others are nearly as good: --after ${more.after}` : "";
  print(`\n${paint("gray", `${counted(hits.length, "result")} in ${counted(files, "note")} · ${Math.round(tookMs)} ms${next}`)}`);
}

/**
 * @param {import("../../index.d.ts").MemoryAnswer} answer
 * @param {number | undefined} after
 */
function nothingText(answer, after) {
  if (isFault(answer)) return "No matches in what could be searched.";
  if (after) return `No more matches after the first ${after}.`;
  return answer.nearest === undefined ? "No matches." : "No matches. Nothing is sure enough; --min-score 0 shows what is nearest.";
}

/**
 * Where a result is; with a workspace as an absolute `path:line`, which terminals open.
 * @param {import("../../index.d.ts").MemoryHit} hit
 * @param {string | undefined} workspace
 */
function placeText({ path: named, startLine, endLine, source }, workspace) {
  const file = inOneLine(named);
  if (!workspace || source === "sessions") return paint("cyan", `${file}:${startLine}-${endLine}`);
  return paint("cyan", `${path.resolve(workspace, file)}:${startLine}`);
}

/** The words of the notes and of the question that made a result one. @param {import("../../index.d.ts").MemoryHit} hit @returns {string[]} */
export function matchedWords({ explain }) {
  const matched = /** @type {{word?: string, as?: string}[]} */ (/** @type {any} */ (explain)?.matched ?? []);
  return matched.flatMap(({ word, as }) => [word ?? "", as ?? ""]).filter((word) => word !== "");
}

/**
 * A text with the places set off that were found.
 * @param {string} text
 * @param {string[]} words
 * @param {string} query
 */
function highlighted(text, words, query) {
  if (!isColourful()) return text;
  return marked(text, words, query)
    .map((piece, at) => (at % 2 === 1 ? paint("bold", piece) : piece))
    .join("");
}
