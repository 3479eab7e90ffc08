// From what a person types to what the engine is asked to forget.

import { userTimeZone } from "../../lib/config.js";
import { codedError } from "../../lib/errors.js";
import { namedSpan } from "../cli/days.js";
import { automaticAgent } from "../hooks/agent.js";
import { findConversations } from "./conversations.js";

/**
 * @typedef {{path?: string[], lines?: string, session?: string[], person?: string[], participant?: string[], hookSource?: string[],
 *   since?: string, until?: string, quotes?: boolean, query?: string, maxResults?: number, minScore?: number}} Wanted
 * @typedef {import("./conversations.js").Found} Found
 * @typedef {{request: import("../../index.d.ts").ForgetRequest, found: Found[], refusals: string[]}} Asked
 */

/** What is named, as it is typed. A day that is empty names none, and is refused where it is read. @param {Wanted} wanted */
export function namesOf({ query, path, session, person, participant, hookSource, since, until, lines }) {
  const named = {
    words: query?.trim(),
    "--path": path?.length,
    "--lines": lines !== undefined,
    "--session": session?.length,
    "--person": person?.length,
    "--participant": participant?.length,
    "--hook-source": hookSource?.length,
    "--since": since !== undefined,
    "--until": until !== undefined,
  };
  return Object.entries(named).flatMap(([name, isNamed]) => (isNamed ? [name] : []));
}

/**
 * @param {import("../host.js").Host} host
 * @param {import("../cli/agents.js").OneAgent} agent
 * @param {Wanted} wanted
 * @returns {Promise<Asked>}
 */
export async function forgetRequest(host, { cfg, agentId }, wanted) {
  const { path = [], session: sessions = [], hookSource: hookSources = [], query } = wanted;
  const people = [...(wanted.person ?? []), ...(wanted.participant ?? [])];
  const words = query?.trim() ? query : undefined;
  const lines = lineRange(wanted.lines);
  if (lines && (path.length !== 1 || words !== undefined)) {
    const remedy = "Name the one file: openclaw memory forget --path memory/diary.md --lines 7-9";
    throw codedError("MEM_ARGUMENT", "--lines are lines of the file that --path names, and of nothing else", { remedy });
  }
  const { sinceMs: since, untilMs: until } = namedSpan(wanted, userTimeZone(cfg, agentId));
  const isDated = since !== undefined || until !== undefined;
  const named = sessions.length + people.length + hookSources.length;
  if (isDated && named === 0 && path.length > 0 && words === undefined) {
    const remedy = "Name words as well, which are looked for in the path and the time, or leave the days out";
    throw codedError("MEM_ARGUMENT", "a path is forgotten with all that it holds, whatever its day", { remedy });
  }
  const { found, refusals } =
    named > 0 || (isDated && words === undefined)
      ? await findConversations(host, cfg, agentId, { sessions, people, hookSources, sinceMs: since, untilMs: until })
      : { found: [], refusals: [] };
  const conversations = found.filter(({ resolution }) => resolution !== "unresolved");
  const request = {
    ...(path.length > 0 && words === undefined ? { paths: path } : {}),
    ...(lines ? { fromLine: lines[0], toLine: lines[1] } : {}),
    // With a date only what the host knows to lie in it.
    ...(sessions.length > 0 && !isDated ? { sessions } : {}),
    ...(people.length > 0 && !isDated ? { people } : {}),
    ...(conversations.length > 0
      ? { conversations: conversations.map(({ participants: _, resolution: __, ...conversation }) => conversation) }
      : {}),
    ...(named === 0 && isDated && words === undefined ? { sinceMs: since, untilMs: until } : {}),
    ...(words === undefined ? {} : { query: words, search: searchOf(wanted) }),
    ...(wanted.quotes ? { quotes: true } : {}),
    agent: automaticAgent(host, cfg, agentId).native,
  };
  return { request, found, refusals };
}

/**
 * The search for words: within paths and days, as `memory search` means them.
 * @param {Wanted} wanted
 */
function searchOf({ path, since, until, maxResults, minScore }) {
  return { maxResults, minScore, since, until, ...(path?.length ? { paths: path } : {}) };
}

/**
 * `7` or `7-9`.
 * @param {string | undefined} written
 */
function lineRange(written) {
  if (written === undefined) return undefined;
  const match = /^(\d+)(?:-(\d+))?$/.exec(written.trim());
  const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (!(from >= 1 && to >= from)) {
    const remedy = "Name the first line, then the last: --lines 7-9";
    throw codedError("MEM_ARGUMENT", `--lines takes a line or a range such as 7-9, not "${written}"`, { remedy });
  }
  return [from, to];
}
