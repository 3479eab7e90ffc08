// `openclaw memory consolidate replay`, and the commands of memory-core that are faces of it.

import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { codedError } from "../../lib/errors.js";
import { command } from "../command.js";
import { replay, replayAll } from "../consolidation/replay.js";
import { consolidate } from "../consolidation/run.js";
import { runOnPlace } from "./consolidate.js";
import { refuseTogether } from "./options.js";
import { counted, print } from "./output.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("../consolidation/run.js").Place} Place
 * @typedef {import("../consolidation/replay.js").Replayed} Replayed
 * @typedef {{agent?: string, json?: boolean}} Options
 * @typedef {{from?: string, to?: string, limitDays?: number}} Range
 */

/** Names of notes that memory-core reads as those of a day. */
const DATED = /^\d{4}-\d{2}-\d{2}(?:-[^/]+)?\.md$/i;
/** Days that are listed. */
const LISTED = 20;

/** @param {Place} place */
const rollBackText = (place) => `Take it back: ${command("consolidate replay --rollback", place)}`;

/**
 * @param {PluginApi} api
 * @param {Host} host
 * @param {Options & Range & {source?: "notes" | "sessions" | "all", path?: string, apply?: boolean, rollback?: boolean}} options
 */
export async function runReplay(api, host, options) {
  const work = async (/** @type {Place} */ place) => {
    if (options.rollback) return await consolidate(place, { op: "rollBack" });
    const below = options.path ? await belowWorkspace(place, options.path) : undefined;
    return await replay(place, { ...rangeOf(options), source: options.source, path: below, apply: options.apply === true });
  };
  await runOnPlace(api, host, options, "consolidate replay", work, (outcome, place) =>
    print(options.rollback ? rolledBackText(outcome) : replayedText(outcome, options.apply === true, place)),
  );
}

/** @param {Options & Range} options @returns {Range} */
function rangeOf({ from, to, limitDays }) {
  return { ...(from ? { from } : {}), ...(to ? { to } : {}), ...(limitDays ? { limitDays } : {}) };
}

/** @param {Replayed} replayed @param {boolean} isKept @param {Place} place */
function replayedText({ days, candidateCount, staged, hasMore }, isKept, place) {
  if (candidateCount === 0) return "These days say nothing that is not known.";
  return [
    ...days.slice(0, LISTED).map(({ day, candidateCount: count, topCandidates: [first] }) => `${day}  ${count}  ${first ?? ""}`),
    ...(days.length > LISTED ? [`… and ${counted(days.length - LISTED, "more day")}`] : []),
    isKept
      ? `Kept as evidence: ${counted(staged, "sentence")} of ${counted(days.length, "day")}. See: ${command("consolidate plan", place)}\n${rollBackText(place)}`
      : `${counted(candidateCount, "sentence")} of ${counted(days.length, "day")} would be evidence; no model is asked, and no file is changed. Keep them: --apply`,
    ...(hasMore ? ["Later days are left: run it again."] : []),
  ].join("\n");
}

/** @param {{batch: string | null, removed: number}} rolledBack */
function rolledBackText({ batch, removed }) {
  return batch ? `Took back the replay ${batch}: ${counted(removed, "use")}.` : "There was no replay to take back.";
}

/**
 * Where a file is, whose name may be stored with letters that are composed otherwise than they are typed.
 * @param {string} place Absolute.
 */
async function onDisk(place) {
  const { root } = path.parse(place);
  let found = root;
  for (const part of place.slice(root.length).split(path.sep).filter(Boolean)) {
    const names = await readdir(found).catch(() => /** @type {string[]} */ ([]));
    const isSame = (/** @type {string} */ name) => name.normalize() === part.normalize();
    found = path.join(found, names.includes(part) ? part : (names.find(isSame) ?? part));
  }
  return await realpath(found);
}

/**
 * A path as notes are named: relative to the workspace, which it must lie in.
 * @param {Place} place
 * @param {string} wanted
 */
async function belowWorkspace({ host, cfg, agentId }, wanted) {
  const workspace = await realpath(String(host.workspaceDir(cfg, agentId)));
  const found = await onDisk(path.resolve(wanted)).catch(() => onDisk(path.resolve(workspace, wanted)));
  const below = path.relative(workspace, found);
  if (below.startsWith("..") || path.isAbsolute(below))
    throw codedError("MEM_PATH", `${wanted} is not in the workspace ${workspace}: nobody can say whose words it holds`, {
      remedy: "Copy the notes below memory/",
    });
  return below.split(path.sep).join("/");
}

/**
 * @param {PluginApi} api
 * @param {Host} host
 * @param {Options & {path?: string, stageShortTerm?: boolean, rollback?: boolean, rollbackShortTerm?: boolean}} options
 */
export async function runRemBackfill(api, host, options) {
  const work = async (/** @type {Place} */ place) => {
    const workspaceDir = place.host.workspaceDir(place.cfg, place.agentId);
    if (options.rollback || options.rollbackShortTerm) {
      const { removed } = await consolidate(place, { op: "rollBack" });
      return {
        workspaceDir,
        rollback: options.rollback === true,
        rollbackShortTerm: options.rollbackShortTerm === true,
        ...(options.rollback ? { dreamsPath: dreamsOf(workspaceDir), removedEntries: 0 } : {}),
        removedShortTermEntries: removed,
      };
    }
    if (!options.path)
      throw codedError("MEM_ARGUMENT", "rem-backfill needs a place", {
        remedy: "Name it: --path <file or folder>, or take the latest back: --rollback",
      });
    const below = await belowWorkspace(place, options.path);
    const sourceFiles = await datedFiles(path.join(String(workspaceDir), below));
    if (sourceFiles.length === 0)
      throw codedError("MEM_NOT_FOUND", `there is no note of a day at ${options.path}`, {
        remedy: "Name one, such as memory/2026-11-20.md, or its folder",
      });
    const wanted = { source: /** @type {const} */ ("notes"), path: below, apply: options.stageShortTerm === true };
    const replayed = wanted.apply ? await replayAll(place, wanted) : [await replay(place, wanted)];
    return {
      workspaceDir,
      sourcePath: path.resolve(options.path),
      sourceFiles,
      groundedFiles: sourceFiles.length,
      // Nothing is written into the diary: a plan shows what would be learned, and a run reports what was.
      writtenEntries: 0,
      replacedEntries: 0,
      dreamsPath: dreamsOf(workspaceDir),
      candidateCount: total(replayed, "candidateCount"),
      ...(wanted.apply ? { stagedShortTermEntries: total(replayed, "staged"), replacedShortTermEntries: 0 } : {}),
    };
  };
  await runOnPlace(api, host, options, "rem-backfill", work, (outcome, place) => {
    if ("removedShortTermEntries" in outcome)
      return print(`Took back: ${counted(outcome.removedShortTermEntries, "use")} of the latest replay.`);
    const { sourceFiles, candidateCount, stagedShortTermEntries } = outcome;
    print(`${counted(sourceFiles.length, "note")}: ${counted(candidateCount, "sentence")} not known yet.`);
    print(stagedShortTermEntries === undefined ? "Keep them as evidence: --stage-short-term" : rollBackText(place));
  });
}

/** @param {string | undefined} workspaceDir */
const dreamsOf = (workspaceDir) => path.join(String(workspaceDir), "DREAMS.md");

/** @param {Replayed[]} replayed @param {"candidateCount" | "staged"} what */
const total = (replayed, what) => replayed.reduce((sum, one) => sum + one[what], 0);

/** The notes of days at a path. @param {string} at */
async function datedFiles(at) {
  if ((await stat(at)).isFile()) return DATED.test(path.basename(at)) ? [at] : [];
  const entries = await readdir(at, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && DATED.test(entry.name))
    .map((entry) => path.join(at, entry.name))
    .sort();
}

/**
 * @param {PluginApi} api
 * @param {Host} host
 * @param {Options & Range & {archiveFiles?: string[], rem?: boolean, apply?: boolean, rollback?: boolean}} options
 */
export async function runSessionBackfill(api, host, options) {
  const work = async (/** @type {Place} */ place) => {
    const { rem = false, apply = false, rollback = false } = options;
    refuseTogether([
      ["--rem", rem],
      ["--apply", apply],
    ]);
    const base = { agentId: place.agentId, workspaceDir: place.host.workspaceDir(place.cfg, place.agentId), applied: apply, rem };
    const none = { days: [], candidateCount: 0, stagedEntries: 0, writtenDiaryEntries: 0, replacedDiaryEntries: 0 };
    if (rollback) {
      const { removed } = await consolidate(place, { op: "rollBack" });
      return { ...base, applied: false, ...none, rollback: { removedDiaryEntries: 0, removedStagedEntries: removed } };
    }
    const wanted = { ...rangeOf(options), source: /** @type {const} */ ("sessions"), apply };
    const replayed = apply ? await replayAll(place, wanted) : [await replay(place, wanted)];
    return {
      ...base,
      ...none,
      days: replayed.flatMap(({ days }) => days),
      candidateCount: total(replayed, "candidateCount"),
      stagedEntries: total(replayed, "staged"),
      ...(apply
        ? {
            batchCount: replayed.length,
            batches: replayed.map(({ days, candidateCount, staged }, at) => ({
              batch: at + 1,
              days: days.length,
              candidates: candidateCount,
              stagedEntries: staged,
            })),
          }
        : {}),
    };
  };
  await runOnPlace(api, host, options, "session-backfill", work, ({ days, candidateCount, stagedEntries, rollback }, place) => {
    if (rollback) return print(`Took back: ${rollback.removedStagedEntries} uses of the latest replay.`);
    const hasMore = false;
    print(replayedText({ batch: null, days, candidateCount, staged: stagedEntries, hasMore }, options.apply === true, place));
    if (options.archiveFiles?.length) print("Of archive files nothing is kept: nobody can say whose words they hold.");
  });
}
