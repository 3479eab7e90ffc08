// `openclaw memory forget`

import { automaticAgent } from "../hooks/agent.js";
import { forOneAgent, withSearch } from "./agents.js";
import { counted, paint, print, printJson } from "./output.js";

/**
 * @typedef {{agent?: string, path?: string[], lines?: string, session?: string[], query?: string, maxResults?: number, minScore?: number,
 *   undo?: string, list?: boolean, dryRun?: boolean, json?: boolean}} Options
 * @typedef {import("../../index.d.ts").MemoryForgetReport} Report
 * @typedef {import("../../lib/manager.js").MemoryIndexManager} Manager
 */

/** The file that OpenClaw itself shows to agents, whatever memory does. */
const ROOT_FILES = /^(?:MEMORY|memory|USER)\.md$/;

/**
 * @param {import("../host.js").Host} host
 * @param {string | undefined} words
 * @param {Options} options
 */
export async function runForget(host, words, options) {
  const query = options.query ?? words;
  const hasTarget = query?.trim() || options.path?.length || options.session?.length;
  if (!hasTarget && !options.undo && !options.list)
    throw new Error('Nothing to forget. Name words, --path or --session: openclaw memory forget "…" --dry-run');
  await forOneAgent(host, options, { name: "memory forget", doing: "Memory forget" }, async (agent) => {
    await withSearch(host, agent, async (manager) => {
      const { cfg, agentId } = agent;
      if (options.list) return await list(manager, agentId, options);
      if (options.undo) return await undo(manager, agentId, options.undo, options);
      const lines = lineRange(options.lines);
      const report = await manager.forget({
        ...(options.path?.length ? { paths: options.path } : {}),
        ...(lines ? { fromLine: lines[0], toLine: lines[1] } : {}),
        ...(options.session?.length ? { sessions: options.session } : {}),
        ...(query?.trim() ? { query, search: { maxResults: options.maxResults, minScore: options.minScore } } : {}),
        dryRun: options.dryRun === true,
        agent: automaticAgent(host, cfg, agentId).native,
      });
      if (options.json) printJson({ agentId, ...report });
      else print(reportText(report));
    });
  });
}

/**
 * @param {Manager} manager
 * @param {string} agentId
 * @param {Options} options
 */
async function list(manager, agentId, { json }) {
  const forgotten = await manager.forgotten();
  if (json) return printJson({ agentId, forgotten });
  if (forgotten.length === 0) print("Nothing is forgotten.");
  for (const { id, at, kind, name, lines } of forgotten)
    print(
      `${id} ${at.slice(0, 16).replace("T", " ")} ${kind === "lines" ? `${counted(lines ?? 0, "line")} of ` : ""}${paint("cyan", name)}`,
    );
}

/**
 * @param {Manager} manager
 * @param {string} agentId
 * @param {string} id
 * @param {Options} options
 */
async function undo(manager, agentId, id, { json }) {
  await manager.undoForget(id);
  if (json) printJson({ agentId, undone: id });
  else print(`Took ${id} back; what it kept out is indexed again.`);
}

/**
 * `7` or `7-9`.
 * @param {string | undefined} written
 */
function lineRange(written) {
  if (written === undefined) return undefined;
  const match = /^(\d+)(?:-(\d+))?$/.exec(written.trim());
  const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (!(from >= 1 && to >= from)) throw new Error(`--lines takes a line or a range such as 7-9, not "${written}".`);
  return [from, to];
}

/** @param {Report} report */
export function reportText({
  dryRun,
  ids,
  files,
  passages,
  chunks,
  vectors,
  facts,
  captures,
  waiting,
  shortTerm,
  pending,
  embeddingError,
}) {
  const also = [
    facts > 0 ? counted(facts, "stored fact") : null,
    captures > 0 ? counted(captures, "capture") : null,
    waiting > 0 ? counted(waiting, "waiting turn") : null,
    shortTerm > 0 ? counted(shortTerm, "short-term record") : null,
  ].filter((text) => text !== null);
  const markdown = [...new Set([...files, ...passages.map(({ path }) => path)])];
  const shown = markdown.filter((path) => ROOT_FILES.test(path));
  const lines = [
    dryRun ? "Nothing done. Would take out of memory and keep out:" : "Taken out of memory, and kept out from now on:",
    ...files.map((path) => `  ${paint("cyan", path)}`),
    ...passages.map(({ path, startLine, endLine, text }) => `  ${paint("cyan", `${path}:${startLine}-${endLine}`)} ${text}`),
    `  ${counted(chunks, "chunk")} with words and vectors (${counted(vectors, "vector")})${also.length > 0 ? `, ${also.join(", ")}` : ""}`,
    pending ? paint("yellow", "Another process is indexing; it takes this out within a minute.") : null,
    markdown.length > 0 ? "Your files were not changed and still hold it; edit them to remove it there." : null,
    shown.length > 0 ? `OpenClaw itself shows ${shown.join(", ")} to the agent, whatever memory knows.` : null,
    !dryRun && ids.length > 0 ? `Take it back: openclaw memory forget --undo ${ids.join(" | ")}` : null,
    embeddingError ? `The rest of these files could not be embedded yet: ${embeddingError.message}` : null,
  ];
  return lines.filter((line) => line !== null).join("\n");
}
