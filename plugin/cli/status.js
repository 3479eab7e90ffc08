// `openclaw memory status`

import { agentSettings, pluginSettings } from "../../lib/config.js";
import { explainSettings } from "../../lib/explain-settings.js";
import { native } from "../../lib/native.js";
import { chosen, nativeAgent } from "../consolidation/agent.js";
import { costsOf } from "../costs.js";
import { lastPutBack } from "../dreaming-switch.js";
import { agentNow, automaticAgent, nativeOnly } from "../hooks/agent.js";
import { olderSettings } from "../hooks/written.js";
import { missingRequirements } from "../requirements.js";
import { outcomesOfAgents } from "./agents.js";
import { diskUse } from "./disk.js";
import { embeddingText } from "./index-command.js";
import { counted, errorJson, fail, failWith, printJson } from "./output.js";
import { withProgress } from "./progress.js";
import { printStatus } from "./status-text.js";

/**
 * @typedef {{agent?: string, json?: boolean, deep?: boolean, index?: boolean, fix?: boolean, verbose?: boolean, all?: boolean}} Options
 * @typedef {{agentId: string, status: import("../../index.d.ts").MemoryStatus, scan: Record<string, any>, costs: import("../../lib/page.d.ts").PageCosts, disk: Awaited<ReturnType<typeof diskUse>>, automatic: ReturnType<typeof automaticState>, consolidation?: any, embeddingProbe?: {ok: boolean, error?: string, latencyMs?: number, dims?: number, limits?: Record<string, number>},
 *   repair?: {changed: boolean, checks: import("../../index.d.ts").DoctorCheck[]},
 *   indexError?: {code?: string, message: string, remedy?: string}, requirements?: {key: string, value: unknown, reason: string}[], settings?: Record<string, any>}} AgentStatus
 * @typedef {import("../host.js").Host} Host
 */

/**
 * @param {Host} host
 * @param {Options} options
 */
export async function runStatus(host, options) {
  const requirements = missingRequirements(host, await host.sourceConfig()).map(({ key, value, reason }) => ({ key, value, reason }));
  const dreamsSwitchPutBackAtMs = await lastPutBack(host);
  const missing = {
    ...(requirements.length > 0 ? { requirements } : {}),
    ...(dreamsSwitchPutBackAtMs === undefined ? {} : { dreamsSwitchPutBackAtMs }),
  };
  const purpose = options.index || options.fix ? "cli" : "status";
  const results = await outcomesOfAgents(host, options, { name: "status", all: true, purpose }, async (manager, agent) => ({
    ...(await agentStatus(host, agent, manager, options)),
    ...missing,
  }));
  if (options.json) printJson(results);
  else printStatus(results, requirements, { putBackAtMs: dreamsSwitchPutBackAtMs, all: options.all, verbose: options.verbose });
}

/**
 * The state of one agent's memory.
 * @param {Host} host
 * @param {import("./agents.js").OneAgent} agent
 * @param {import("../../lib/manager.js").MemoryIndexManager | null} manager
 * @param {Options} options
 * @returns {Promise<AgentStatus | {agentId: string, status: "disabled"}>}
 */
export async function agentStatus(host, { cfg, agentId }, manager, { deep, index, fix, verbose, all }) {
  if (!manager) return { agentId, status: "disabled" };
  const repair = fix ? await repaired(manager) : undefined;
  const indexError = index ? await indexFirst(manager, agentId) : undefined;
  const embeddingProbe = deep || index ? await manager.probeEmbeddingAvailability() : undefined;
  if (deep || index) await manager.probeVectorAvailability();
  // Looking at the disk is what makes the answer true, so it is part of every status.
  const scan = scanOf(await manager.inspect(), setAside(host, cfg, agentId));
  const settings = verbose || all ? await explainSettings(host.managerRequest({ cfg, agentId, purpose: "status" })) : undefined;
  const current = manager.status();
  const consolidation = await consolidationState(host, cfg, agentId, manager);
  return {
    agentId,
    status: current,
    scan,
    costs: await costs(host, { cfg, agentId }, current, scan, consolidation),
    disk: await diskUse(host.stateDir(), agentId, current.dbPath),
    automatic: await withWaiting(host, cfg, agentId, automaticState(host, cfg, agentId)),
    ...consolidation,
    ...(embeddingProbe ? { embeddingProbe } : {}),
    ...(repair ? { repair } : {}),
    ...(indexError ? { indexError } : {}),
    ...(settings ? { settings } : {}),
  };
}

/**
 * What providers were sent and what it costs.
 * @param {Host} host
 * @param {import("./agents.js").OneAgent} agent
 * @param {import("../../index.d.ts").MemoryStatus} current
 * @param {Record<string, any>} scan
 * @param {{consolidation?: any}} state
 */
async function costs(host, { cfg, agentId }, { provider }, { usage }, { consolidation }) {
  const agent = nativeOnly(host, cfg, agentId);
  const said = /** @type {Record<string, unknown>} */ ({ ...pluginSettings(cfg), ...agentSettings(cfg, agentId) });
  const [answers, kept] = await Promise.all([native().listAnswers(agent), native().keptPrices(agent)]);
  return costsOf({
    embedded: usage?.months ?? [],
    answers,
    consolidation: consolidation?.tokens ?? [],
    prices: said.prices,
    current: { provider, booked: usage?.current, price: said.pricePerMillionTokens },
    kept,
  });
}

/**
 * Repairs what can be repaired. memory-core's command of this name mends the files of its dreaming, which we do not have.
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 */
async function repaired(manager) {
  const checks = await manager.doctor({ repair: true });
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
  return { changed: checks.some(({ did }) => did), checks };
}

/**
 * How consolidation stands where it is on; a failure is told and costs no status.
 * @param {Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 */
export async function consolidationState(host, cfg, agentId, manager) {
  if (chosen(cfg, agentId).mode === "off") return {};
  try {
    return { consolidation: await manager.consolidate(nativeAgent(host, cfg, agentId), { op: "status" }) };
  } catch (error) {
    return { consolidation: { error: errorJson(error) } };
  }
}

/**
 * Which parts of automatic memory are on. Each acts by itself, so every status names them. A wrong value must not hide the status
 * that explains it.
 * @param {Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @returns {import("../../lib/page.d.ts").PageAutomatic}
 */
export function automaticState(host, cfg, agentId) {
  try {
    const older = olderSettings(host);
    return { ...automaticParts(agentNow(host, cfg, agentId).settings), ...(older.length > 0 ? { older } : {}) };
  } catch (error) {
    return { error: errorJson(error) };
  }
}

/**
 * The same with how many turns wait to be captured: a gateway works them off at once, so those that stay could not be written, or
 * no model answered.
 * @param {Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {ReturnType<typeof automaticState>} state
 * @returns {Promise<ReturnType<typeof automaticState>>}
 */
async function withWaiting(host, cfg, agentId, state) {
  if ("error" in state || !(state.capture || state.captureOnCompaction)) return state;
  try {
    const { waiting } = await native().listCaptures(automaticAgent(host, cfg, agentId).native, 1);
    return waiting > 0 ? { ...state, waiting } : state;
  } catch (error) {
    return { error: errorJson(error) };
  }
}

/**
 * Files of automatic memory that were set aside; none where its settings are wrong, which is told by itself.
 * @param {Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 */
function setAside(host, cfg, agentId) {
  try {
    return native().setAsideFiles(automaticAgent(host, cfg, agentId).native);
  } catch {
    return [];
  }
}

/** @param {Record<string, any>} settings */
function automaticParts({
  autoRecall,
  autoCapture,
  autoCaptureMode,
  captureOnCompaction,
  shortTerm,
  sessionNotes,
  storedFacts,
  activeMemory,
}) {
  return {
    recall: autoRecall === true,
    capture: autoCapture === true ? String(autoCaptureMode) : false,
    captureOnCompaction: captureOnCompaction === true,
    shortTerm: shortTerm?.enabled === true,
    sessionNotes: sessionNotes?.enabled === true,
    storedFacts: storedFacts?.enabled === true,
    activeMemory: activeMemory?.enabled === true ? String(activeMemory.mode) : false,
  };
}

/**
 * What the disk holds beside what the index holds; `totalFiles` and `issues` are named as in memory-core.
 * @param {Record<string, any>} inspection
 * @param {import("../../index.d.ts").SetAsideFile[]} setAside Files of the automatic memory.
 */
function scanOf({ plan, limits, usage, unknownLanguages, otherWorkspaces, database, forgettingBegun, forgettingProblem }, setAside) {
  const { files = null, skipped = [], moreSkipped = 0, ...pending } = plan ?? {};
  const issues = skipped.map((/** @type {{path: string, reason: string}} */ { path, reason }) => `${path}: ${reason}`);
  issues.push(...setAside.map(setAsideText));
  if (forgettingBegun) issues.push(begunText(forgettingProblem));
  const inDatabase = database ? { database } : {};
  return { totalFiles: files, issues, skipped, moreSkipped, pending, limits, usage, unknownLanguages, otherWorkspaces, ...inDatabase };
}

/**
 * What a command has begun to forget and is not finished, and who ends it.
 * @param {string | null | undefined} problem Why it is not, where that was tried.
 */
function begunText(problem) {
  const begun = "a command that forgets was begun and is not finished";
  if (!problem) return `${begun}: a running gateway finishes it within a minute or two, \`openclaw memory index\` at once`;
  const remedy = "once that is mended a running gateway finishes it within an hour, `openclaw memory index` at once";
  return `${begun} (${problem}): ${remedy}, and \`openclaw memory forget --undo <id>\` takes it back (\`--list\` shows the id)`;
}

/** @param {import("../../index.d.ts").SetAsideFile} file */
function setAsideText({ path, lines }) {
  const what = lines === undefined ? "damaged" : counted(lines, "damaged line");
  return `${path}: ${what}, set aside from automatic memory; nothing reads it, and it may be deleted`;
}

/**
 * A failed update must not hide the status that explains it.
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @param {string} agentId
 */
async function indexFirst(manager, agentId) {
  try {
    const report = await withProgress("Indexing memory", (progress) => manager.sync({ reason: "cli", progress }));
    if (!report.embeddingError) return undefined;
    failWith(embeddingText(`Memory index (${agentId})`, report));
    return report.embeddingError;
  } catch (error) {
    fail(`Memory index (${agentId})`, error);
    return errorJson(error);
  }
}
