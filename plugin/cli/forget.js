// `openclaw memory forget`

import { codedError } from "../../lib/errors.js";
import { command } from "../command.js";
import { forgetRequest, namesOf } from "../forgetting/request.js";
import { forOneAgent, withSearch } from "./agents.js";
import { confirmed, isAnswered } from "./confirm.js";
import { refuseTogether } from "./options.js";
import { counted, paint, print, printJson, timeText } from "./output.js";

/**
 * @typedef {import("../forgetting/request.js").Wanted & {agent?: string, apply?: string, undo?: string, list?: boolean, dryRun?: boolean,
 *   yes?: boolean, final?: boolean, json?: boolean}} Options
 * @typedef {import("../../index.d.ts").MemoryForgetReport} Report
 * @typedef {import("../../index.d.ts").MemoryForgetUndone} Undone
 * @typedef {import("../../lib/manager.js").MemoryIndexManager} Manager
 * @typedef {import("../forgetting/request.js").Asked} Asked
 * @typedef {import("./agents.js").OneAgent} OneAgent
 */

/** The file that OpenClaw itself shows to agents, whatever memory does. */
const ROOT_FILES = /^(?:MEMORY|memory|USER)\.md$/;
/** Lines that a preview shows of each kind. */
const SHOWN_LINES = 20;

/**
 * @param {import("../host.js").Host} host
 * @param {string | undefined} words
 * @param {Options} options
 */
export async function runForget(host, words, options) {
  const wanted = { ...options, query: options.query ?? words };
  await forOneAgent(host, options, { name: "memory forget", doing: "Memory forget" }, async (agent) => {
    const named = namesOf(wanted);
    refuseTogether([
      ["--list", options.list === true],
      ["--undo", options.undo !== undefined],
      ["--apply", options.apply !== undefined],
      [named[0], named.length > 0],
    ]);
    refuseTogether([
      ["--undo", options.undo !== undefined],
      ["--final", options.final === true],
    ]);
    for (const id of /** @type {const} */ (["apply", "undo"]))
      refuseTogether([
        [`--${id}`, options[id] !== undefined],
        ["--dry-run", options.dryRun === true],
      ]);
    if (named.length === 0 && options.apply === undefined && options.undo === undefined && !options.list) {
      const remedy = 'Name words, --path, --session, --person, --hook-source, --since or --until: openclaw memory forget "…"';
      throw codedError("MEM_ARGUMENT", "nothing is named", { remedy });
    }
    for (const name of /** @type {const} */ (["apply", "undo"])) {
      if (options[name] === undefined || options[name].trim()) continue;
      const remedy = name === "undo" ? "`openclaw memory forget --list` names the ids" : "A preview ends with its id";
      throw codedError("MEM_ARGUMENT", `--${name} names no id`, { remedy });
    }
    await withSearch(host, agent, async (manager) => {
      const { agentId } = agent;
      if (options.list) return await list(manager, agentId, options);
      if (options.undo !== undefined) return await undo(manager, agentId, options.undo, options);
      if (options.apply !== undefined) return await apply(manager, agent, options.apply, options);
      await preview(manager, agent, await forgetRequest(host, agent, wanted), options);
    });
  });
}

/**
 * Shows what would be forgotten, and does it only when somebody says so.
 * @param {Manager} manager
 * @param {OneAgent} agent
 * @param {Asked} asked
 * @param {Options} options
 */
async function preview(manager, agent, { request, found, refusals }, { json, yes, dryRun, final }) {
  const plan = await manager.planForget(request);
  const told = (/** @type {Report} */ report) => ({ agentId: agent.agentId, ...report, ...hostFields(report, found, refusals) });
  if (!json) print([reportText(plan), ...refusals].join("\n"));
  const question = final ? "Forget this for good? [y/N] " : "Forget this? It can be undone for seven days. [y/N] ";
  const isAsked = !dryRun && !yes && !json && isAnswered();
  if (isAsked ? !(await confirmed(question, { fallback: false })) : !yes || dryRun) {
    if (isAsked) process.exitCode = 1;
    if (json) printJson(told(plan));
    else print(`Nothing was changed. To do it: ${command(`forget --apply ${plan.id}${final ? " --final" : ""}`, agent)}`);
    return;
  }
  const report = await manager.applyForget(plan.id, { final });
  if (json) printJson(told(report));
  else print(doneText(report, agent));
}

/**
 * @param {Manager} manager
 * @param {OneAgent} agent
 * @param {string} id
 * @param {Options} options
 */
async function apply(manager, agent, id, { final, json }) {
  const report = await manager.applyForget(id, { final });
  if (json) printJson({ agentId: agent.agentId, ...report, ...hostFields(report, [], []) });
  else print(`${reportText(report)}\n${doneText(report, agent)}`);
}

/**
 * What the host's own `forget` answers with, under its names. Of what it lists and we have no counterpart of, there is none.
 * @param {Report} report
 * @param {Asked["found"]} found
 * @param {string[]} refusals
 */
export function hostFields(report, found, refusals) {
  const names = (/** @type {string} */ person) => found.filter(({ participants }) => participants.includes(person));
  const people = [...new Set(found.flatMap(({ participants }) => participants))];
  const edited = new Set([...report.notes, ...report.lines.map(({ path }) => path)]);
  return {
    ...(report.dryRun ? { planId: report.id } : { undoId: report.final ? null : report.id }),
    sessionIds: found.map(({ sessionId }) => sessionId),
    participantMatches: people.map((participant) => ({ participant, sessions: names(participant).length })),
    sessionResolutions: found.map(({ sessionId, sessionKey, resolution }) => ({
      sessionId,
      ...(sessionKey === undefined ? {} : { sessionKey }),
      source: resolution,
    })),
    entryKeys: [],
    mixedLineageEntryKeys: report.mixed,
    untargetableEntryKeys: [],
    curatedWrites: report.quotes.map(({ path: relativePath }) => ({ relativePath, observedAt: null })),
    artifacts: {
      memoryFiles: edited.size,
      memoryEntries: report.entries + report.captures,
      memoryLines: report.lines.length,
      sessionCorpusFiles: 0,
      sessionCorpusLines: 0,
      indexChunks: report.chunks,
      indexSources: report.files.length,
      ftsRows: report.chunks,
      vectorRows: report.vectors,
      embeddingCacheRows: report.vectors,
      shortTermEntries: report.shortTerm,
      seenHashScopes: 0,
      backups: report.runs,
      originRows: report.claims,
    },
    refusals,
  };
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
  for (const { id, at, kind, name, lines, undoUntil, final } of forgotten) {
    const what = `${kind === "lines" ? `${counted(lines ?? 0, "line")} of ` : ""}${paint("cyan", name)}`;
    const undoable = final ? " (for good)" : undoUntil ? ` (all of it can be put back until ${timeText(undoUntil)})` : "";
    print(`${id} ${timeText(at)} ${what}${undoable}`);
  }
}

/**
 * @param {Manager} manager
 * @param {string} agentId
 * @param {string} id
 * @param {Options} options
 */
async function undo(manager, agentId, id, { json }) {
  const undone = await manager.undoForget(id);
  if (json) printJson({ agentId, undone: id, ...undone });
  else print(undoneText(undone));
}

/** @param {Undone} undone */
function undoneText({ id, complete, lines, notes, kept, words, intents, claims }) {
  const back = [
    lines > 0 ? counted(lines, "line") : null,
    notes > 0 ? counted(notes, "note") : null,
    words > 0 ? `${counted(words, "record")} of automatic memory` : null,
    intents > 0 ? counted(intents, "standing intent") : null,
    claims > 0 ? `${counted(claims, "claim")} of consolidation` : null,
  ].filter((text) => text !== null);
  return [
    `Took ${id} back; what it kept out is indexed again.`,
    back.length > 0 ? `Put back: ${back.join(", ")}.` : null,
    complete
      ? null
      : "Nothing that was taken out of files and of automatic memory is kept here any more: that is for seven days, by the gateway that forgot it.",
    ...kept.map((path) => `${path} is another file by now and was left alone.`),
  ]
    .filter((text) => text !== null)
    .join("\n");
}

/**
 * @param {Pick<Report, "id" | "final" | "undoUntil" | "pending" | "shared" | "embeddingError">} report What was done, after a preview.
 * @param {OneAgent} agent
 */
export function doneText({ id, final, undoUntil, pending, shared, embeddingError }, agent) {
  return [
    "Forgotten, and kept out from now on.",
    shared
      ? "Other gateways that share this memory erase with their next update, for good, what they can tell of it by the hashes of its lines and by the names of conversations. What automatic memory of theirs says in other words, or keeps of a person or a time, stays there: forget it on that gateway too."
      : null,
    pending ? paint("yellow", "Another process is indexing; it takes this out within a minute.") : null,
    final
      ? "It cannot be undone."
      : `Take it back${undoUntil ? ` until ${timeText(undoUntil)}` : ""}: ${command(`forget --undo ${id}`, agent)}`,
    embeddingError ? `The rest of these files could not be embedded yet: ${embeddingError.message}` : null,
  ]
    .filter((line) => line !== null)
    .join("\n");
}

/** Whether a path as in results is that of a conversation. @param {string} path */
const isTranscript = (path) => path.startsWith("sessions/");

/** @param {{path: string, startLine: number, endLine: number, text: string}} passage */
const passageText = ({ path, startLine, endLine, text }) =>
  `  ${paint("cyan", `${path}:${startLine}${endLine === startLine ? "" : `-${endLine}`}`)} ${text}`;

/** @param {Report["lines"]} passages */
function passageTexts(passages) {
  const more = passages.length - SHOWN_LINES;
  return [...passages.slice(0, SHOWN_LINES).map(passageText), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** @param {Report} report */
function reportText(report) {
  const lines = inventory(report);
  if (lines.length === 0) return "Memory has nothing of it now; what comes of it later is kept out.";
  return [report.dryRun ? "Would take out of memory and keep out:" : "Taken out of memory:", ...lines].join("\n");
}

/**
 * The blocks that were put into prompts: which are of it, and that all go, because any may quote it.
 * @param {Report} report
 * @param {boolean} goes
 */
function promptsText({ prompts, promptsOfIt }, goes) {
  if (goes) return prompts > 0 ? `the whole log of prompts (${counted(prompts, "block")}, any of which may quote it), for good` : null;
  return promptsOfIt > 0 ? `${counted(promptsOfIt, "block")} in prompts` : null;
}

/**
 * That the words stand in more than what a search of them shows, and how these go as well.
 * @param {number} more
 * @param {number} shown
 */
function moreText(more, shown) {
  const passages = more === 1 ? "One more passage holds these words and stays" : `${more} more passages hold these words and stay`;
  return paint("yellow", `${passages}: ask again with --max-results ${shown + more} to take what holds them along`);
}

/**
 * What memory has, in lines; none when that is nothing.
 * @param {Report} report
 * @param {{goes?: boolean}} [options] Whether to tell what becomes of it where it is forgotten.
 */
export function inventory(report, { goes = true } = {}) {
  const forGood = goes ? ", for good" : "";
  const { files, passages, notes, lines, quotes, mixed, chunks, vectors, more = 0 } = report;
  const also = [
    report.facts > 0 ? counted(report.facts, "stored fact") : null,
    report.captures > 0 ? counted(report.captures, "capture") : null,
    report.waiting > 0 ? counted(report.waiting, "waiting turn") : null,
    report.shortTerm > 0 ? counted(report.shortTerm, "short-term record") : null,
    promptsText(report, goes),
    report.intents > 0 ? counted(report.intents, "standing intent") : null,
    report.claims > 0 ? `${counted(report.claims, "claim")} of consolidation` : null,
    report.runs > 0 ? `what undoes ${counted(report.runs, "run")} of consolidation` : null,
    report.damaged > 0 ? `${counted(report.damaged, "damaged file")} of automatic memory${forGood}` : null,
  ].filter((text) => text !== null);
  const isNothing = [files, passages, notes, lines, quotes, also].every(({ length }) => length === 0) && chunks + vectors === 0;
  if (isNothing) return [];
  const what = [
    ...(chunks + vectors > 0 ? [`${counted(chunks, "chunk")} with words and vectors (${counted(vectors, "vector")})`] : []),
    ...also,
  ];
  const kept = files.filter((path) => !notes.includes(path));
  const left = [...new Set([...kept, ...passages.map(({ path }) => path)])];
  const shown = left.filter((path) => ROOT_FILES.test(path));
  return [
    ...kept.map((path) => `  ${paint("cyan", path)}`),
    ...passageTexts(passages),
    goes && more > 0 ? moreText(more, passages.length) : null,
    what.length > 0 ? `  ${what.join(", ")}` : null,
    notes.length > 0 ? `Notes of conversations${goes ? ", which go as a whole" : ""}:` : null,
    ...notes.map((path) => `  ${paint("cyan", path)}`),
    lines.length > 0
      ? `Lines in your files that memory has written${goes ? " (with --quotes also those that repeat it), which go" : ""}:`
      : null,
    ...passageTexts(lines),
    mixed.length > 0 ? `Of these lines, ${mixed.length} came of other conversations as well.` : null,
    quotes.length > 0 ? `Lines of yours that repeat it${goes ? " (--quotes takes them out too)" : ""}:` : null,
    ...passageTexts(quotes),
    goes && left.some((path) => !isTranscript(path)) ? "Your files are not changed there and still hold it; edit them to remove it." : null,
    goes && left.some(isTranscript) ? "The transcripts are the host's own; they are not changed and still hold it." : null,
    goes && left.length > 0 ? "Longer lines of it stay out of every other file that has them, too." : null,
    shown.length > 0 ? `OpenClaw itself shows ${shown.join(", ")} to the agent, whatever memory knows.` : null,
  ].filter((line) => line !== null);
}
