// Automatic recall on the turns of a chat: which notes would stand beside each message.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { MemoryIndexManager } from "../lib/manager.js";

/**
 * A turn. No evidence means that nothing should be shown. `half`: which part of the set it is of, of those that the set's
 * description names; `reply`: what the assistant answered to the message before; `pad`: so many characters stand before the words.
 * @typedef {{id: string, category: string, lang: string, half: string, query: string, before?: string, reply?: string, pad?: number, evidence: [string, number][]}} Turn
 * @typedef {{turn: Turn, shown: {path: string, startLine: number, endLine: number, score: number, snippet: string}[], ok: boolean}} Outcome
 */

/** What a set holds: `recall` for the turns of a chat, `answers` for questions with and without an answer. @param {string} root */
export function kindOf(root) {
  const meta = path.join(root, "meta.json");
  return fs.existsSync(meta) ? JSON.parse(fs.readFileSync(meta, "utf8")).kind : undefined;
}

/**
 * What a set says of itself: the halves of its turns; lines that nobody may be shown; files that are somebody else's.
 * @param {string} caseDir
 * @returns {{now: number, halves: string[], forbidden: [string, number][], withheld: string[]}}
 */
export function readMeta(caseDir) {
  const meta = JSON.parse(fs.readFileSync(path.join(caseDir, "meta.json"), "utf8"));
  return { halves: ["before", "after"], forbidden: [], withheld: [], ...meta };
}

/** @param {string} caseDir @param {string[]} [halves] @returns {Turn[]} */
export function readTurns(caseDir, halves) {
  const text = fs.readFileSync(path.join(caseDir, "queries.jsonl"), "utf8").trim();
  const turns = text.split("\n").map((line) => /** @type {Turn} */ (JSON.parse(line)));
  const padded = turns.map((turn) => (turn.pad ? { ...turn, query: `${"so and so, ".repeat(turn.pad / 11)}${turn.query}` } : turn));
  return halves ? padded.filter(({ half }) => halves.includes(half)) : padded;
}

/**
 * Opens a copy of the notes of a case, and hands over a manager that has read them, the day that the case says, and what a
 * message would be shown.
 * @template T
 * @param {string} caseDir
 * @param {string} provider
 * @param {(manager: MemoryIndexManager, nowMs: number, recall: (turn: {query: string, before?: string, reply?: string}) => Promise<any[]>) => Promise<T>} work
 * @param {Record<string, unknown>} [config] Settings of recall.
 * @returns {Promise<T>}
 */
export async function withNotes(caseDir, provider, work, config = {}) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "memory-core-rs-recall-"));
  const [workspace, stateDir] = [path.join(home, "workspace"), path.join(home, "state")];
  fs.cpSync(path.join(caseDir, "ws"), workspace, { recursive: true });
  const { now, withheld: without } = readMeta(caseDir);
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider } } };
  const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: {} });
  if (!manager) throw new Error("memory search is off");
  try {
    await manager.sync();
    // What is right, not how fast: a busy machine is given time.
    const agent = { config: { autoRecall: true, autoRecallTimeoutMs: 5000, ...config }, agentId: "main", isDefaultAgent: true, stateDir };
    const nowMs = now * 1000;
    return await work(manager, nowMs, ({ query, before, reply }) =>
      manager.recall(agent, { prompt: query, before, replied: reply, without, nowMs }),
    );
  } finally {
    await manager.close();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Whether what is shown is right: one of the lines that answer, or nothing where none does.
 * @param {[string, number][]} evidence @param {{path: string, startLine: number, endLine: number}[]} shown */
export function isRight(evidence, shown) {
  const holds = (/** @type {[string, number]} */ [file, line]) =>
    shown.some((hit) => hit.path === file && hit.startLine <= line && line <= hit.endLine);
  return evidence.length === 0 ? shown.length === 0 : evidence.some(holds);
}

/**
 * Runs the turns of a case.
 * @param {string} caseDir @param {string} provider @param {string[]} [halves] @param {Record<string, unknown>} [config] Settings of recall.
 * @returns {Promise<Outcome[]>}
 */
export function runRecall(caseDir, provider, halves, config) {
  const run = async (/** @type {(turn: Turn) => Promise<any[]>} */ recall) => {
    /** @type {Outcome[]} */
    const outcomes = [];
    for (const turn of readTurns(caseDir, halves)) {
      const shown = await recall(turn);
      outcomes.push({ turn, shown, ok: isRight(turn.evidence, shown) });
    }
    return outcomes;
  };
  return withNotes(caseDir, provider, (_manager, _nowMs, recall) => run(recall), config);
}

/**
 * Of the turns that have a note, the share that shows it; of those that have none, the share that shows something. Percent.
 * @param {Outcome[]} outcomes
 */
export function recallRates(outcomes) {
  const share = (/** @type {Outcome[]} */ of, /** @type {boolean} */ ok) =>
    of.length === 0 ? 0 : (100 * of.filter((outcome) => outcome.ok === ok).length) / of.length;
  const [some, none] = [true, false].map((has) => outcomes.filter(({ turn }) => turn.evidence.length > 0 === has));
  return { turns: outcomes.length, right: share(some, true), needless: share(none, false) };
}
