// The manager that hosts and JavaScript users see: what can be asked of the native engine of one agent. The same workspace
// with the same settings always gets the same manager.

import path from "node:path";
import {
  checkCurated,
  checkForget,
  checkGet,
  checkReadFile,
  checkSearch,
  checkSwitches,
  checkSync,
  checkText,
  MAX_UNSIGNED,
} from "./arguments.js";
import { HostPort } from "./host-port.js";
import { ManagedEngine } from "./managed-engine.js";
import { dropEntry, entryFor } from "./manager-registry.js";
import { native } from "./native.js";
import { asQuestion, nativeForgetRequest, nativeSearchOptions } from "./native-shapes.js";
import { prepare } from "./request.js";

/**
 * @typedef {import("../index.d.ts").NativeManager} NativeManager
 * @typedef {import("../index.d.ts").AutomaticAgent} AutomaticAgent
 * @typedef {import("../index.d.ts").MemorySearchOptions} MemorySearchOptions
 * @typedef {import("../index.d.ts").MemoryHit} MemoryHit
 * @typedef {import("../index.d.ts").RecallQuestion} RecallQuestion
 * @typedef {import("../index.d.ts").MemoryAnswer} MemoryAnswer
 * @typedef {import("../index.d.ts").MemorySyncOptions} MemorySyncOptions
 * @typedef {import("../index.d.ts").ManagerRequest} ManagerRequest
 * @typedef {import("../index.d.ts").ManagerHost} ManagerHost
 * @typedef {import("../index.d.ts").MemoryStatus} MemoryStatus
 */

/** Most curated entries of one call. */
const MAX_CANDIDATES = 512;
/** Entries that introduce a project where the caller names no number. */
const PROJECT_CANDIDATES = 48;

/** Patience before keyword results are handed over while the full search still runs, in milliseconds. */
const EARLY_RESULTS_MS = 1000;

/** Search, read and index the memory of one agent. */
export class MemoryIndexManager extends ManagedEngine {
  /** @type {string[]} */
  #problems;
  /** @type {HostPort} */
  #port;
  /** @type {(hits: MemoryHit[]) => Promise<MemoryHit[]>} */
  #describe;

  /**
   * Use {@link MemoryIndexManager.get}.
   * @param {(background: boolean) => Promise<NativeManager | null>} open
   * @param {string[]} problems Credentials that could not be read, one sentence each.
   * @param {HostPort} port
   * @param {(hits: MemoryHit[]) => Promise<MemoryHit[]>} [describe] Adds to results what only the caller knows of them.
   */
  constructor(open, problems, port, describe = async (hits) => hits) {
    super(open);
    this.#describe = describe;
    this.#problems = problems;
    this.#port = port;
  }

  /**
   * The manager of an agent, or null when memory search is switched off for it.
   * @param {ManagerRequest} request
   * @returns {Promise<MemoryIndexManager | null>}
   */
  static async get(request) {
    checkGet(request);
    const prepared = await prepare(request);
    const { owner } = prepared;
    const entry = await entryFor(prepared, request.reopens === true, () =>
      MemoryIndexManager.#create(prepared, request.host ?? {}, request.describe),
    );
    try {
      const manager = await entry.manager;
      entry.opened = manager;
      if (request.host) manager?.renewHost(request.host);
      if (request.purpose !== "status" && request.beforeFirstUse) await manager?.prepareOnce(request.beforeFirstUse);
      const background = request.purpose !== "status" && request.purpose !== "cli";
      await manager?.retain({ background, reopens: request.reopens });
      if (!manager) dropEntry(owner, entry);
      return manager;
    } catch (error) {
      // A failed opening must not be remembered: the next call may find a free disk or a repaired setting.
      dropEntry(owner, entry);
      throw error;
    }
  }

  /**
   * @param {Awaited<ReturnType<typeof prepare>>} prepared
   * @param {ManagerHost} host
   * @param {ManagerRequest["describe"]} describe
   */
  static async #create({ nativeRequest, embed, sessions, databasePassword, problems }, host, describe) {
    const port = new HostPort(host);
    const open = async (/** @type {boolean} */ background) =>
      native().openManager({ ...nativeRequest, background }, port.native(embed, sessions, databasePassword));
    const manager = new MemoryIndexManager(open, problems, port, describe);
    return (await manager.acquire()) ? manager : null;
  }

  /** A newer registration of the plugin answers from now on. @param {ManagerHost} host */
  renewHost(host) {
    this.#port.renew(host);
  }

  /**
   * The best passages for a query, best first.
   * @param {string} query
   * @param {MemorySearchOptions} [options]
   * @returns {Promise<MemoryHit[]>}
   */
  async search(query, options = {}) {
    const { hits } = await this.searchDetailed(query, options);
    return hits;
  }

  /**
   * Like {@link search}, with how the answer came about.
   * @param {string} query
   * @param {MemorySearchOptions} [options]
   * @returns {Promise<MemoryAnswer>}
   */
  async searchDetailed(query, options = {}) {
    checkSearch(query, options);
    const { signal, onDebug, onPartialResults, ...rest } = options ?? {};
    signal?.throwIfAborted();
    const request = nativeSearchOptions(rest);
    const early = onPartialResults ? this.#reportEarly(query, request, onPartialResults) : undefined;
    try {
      const found = await this.runCancellable(signal, (engine, id) => engine.search(query, request, id));
      const described = await this.#describe(found.later ? [...found.hits, found.later] : found.hits);
      const later = found.later && described.pop();
      const answer = { ...found, hits: described, later };
      onDebug?.({
        backend: "builtin",
        configuredMode: request.lexicalOnly ? "fts-only" : "hybrid",
        effectiveMode: answer.mode,
        fallback: answer.warning,
      });
      return answer;
    } finally {
      early?.();
    }
  }

  /**
   * Hands over keyword results when the full search takes long, for a caller whose patience ends before ours.
   * @param {string} query
   * @param {import("../index.d.ts").SearchOptions} request
   * @param {(hits: MemoryHit[]) => void} report
   * @returns {() => void} stops it
   */
  #reportEarly(query, request, report) {
    let done = false;
    const timer = setTimeout(async () => {
      const words = { ...request, lexicalOnly: true };
      const answer = await this.runCancellable(undefined, (engine, id) => engine.search(query, words, id)).catch(() => null);
      const hits = answer ? await this.#describe(answer.hits).catch(() => []) : [];
      if (!done && hits.length > 0) report(hits);
    }, EARLY_RESULTS_MS);
    timer.unref();
    return () => {
      done = true;
      clearTimeout(timer);
    };
  }

  /**
   * Curated entries with triggers whose projects, if they name any, are all active; for hosts that compare them with a
   * message.
   * @param {{limit?: number, activeProjectKeys?: string[]}} [options]
   * @returns {Promise<MemoryHit[]>}
   */
  async listTriggerCandidates(options) {
    checkCurated(options);
    const { limit = MAX_CANDIDATES, activeProjectKeys = [] } = options ?? {};
    const most = Math.min(limit, MAX_CANDIDATES);
    return await this.#describe(await this.run((engine) => engine.listTriggerCandidates(activeProjectKeys, most)));
  }

  /**
   * Curated entries of active projects, the most important first.
   * @param {{limit?: number, activeProjectKeys?: string[]}} [options]
   * @returns {Promise<MemoryHit[]>}
   */
  async listCuratedProjectCandidates(options) {
    checkCurated(options);
    const { limit = PROJECT_CANDIDATES, activeProjectKeys = [] } = options ?? {};
    const most = Math.min(limit, MAX_CANDIDATES);
    return await this.#describe(await this.run((engine) => engine.listCuratedProjectCandidates(activeProjectKeys, most)));
  }

  /**
   * Which curated entries a message brings back by their triggers, the strongest first.
   * @param {string} message
   * @param {{activeProjectKeys?: string[]}} [options]
   * @returns {Promise<{score: number, strong: boolean, hit: MemoryHit}[]>}
   */
  async triggerMatches(message, options) {
    checkText("message", message);
    checkCurated(options);
    const matches = await this.run((engine) => engine.triggerMatches(message, options?.activeProjectKeys ?? []));
    const hits = await this.#describe(matches.map(({ hit }) => hit));
    return matches.map((match, at) => ({ ...match, hit: hits[at] }));
  }

  /**
   * Lines of a memory file.
   * @param {{relPath: string, from?: number, lines?: number}} request
   */
  async readFile(request) {
    checkReadFile(request);
    const [from, lines] = [request.from, request.lines].map((line) => (line == null ? undefined : Math.min(line, MAX_UNSIGNED)));
    return await this.run((engine) => engine.readFile({ relPath: request.relPath, from, lines }));
  }

  /**
   * The state of the index, from memory: cheap and synchronous.
   * @returns {MemoryStatus}
   */
  status() {
    const status = this.lastStatus;
    if (this.#problems.length === 0) return status;
    return { ...status, custom: { ...status.custom, credentialProblems: [...this.#problems] } };
  }

  /** Compares the index with the disk: counts, sizes, skipped files with reasons, the last error. */
  async inspect() {
    return await this.run((engine) => engine.inspect());
  }

  /**
   * Brings the index up to date with the disk.
   * @param {MemorySyncOptions} [options]
   * @returns {Promise<import("../index.d.ts").MemorySyncReport>}
   */
  async sync(options) {
    checkSync(options);
    const { reason, force, textOnly, progress, signal } = options ?? {};
    signal?.throwIfAborted();
    const report = await this.runCancellable(signal, (engine, id) => engine.sync({ reason, force, textOnly }, progress, id));
    // Progress travels by its own queue; give the last step its turn before the caller hears that all is done.
    if (progress) await new Promise((resolve) => setImmediate(resolve));
    return report;
  }

  /**
   * Takes up the words of notes that changed while nobody watched; false when that takes longer than so long.
   * @param {number} limitMs
   */
  async catchUp(limitMs) {
    return await this.run((engine) => engine.catchUp(limitMs));
  }

  /**
   * Tells that something was said in a conversation; the index follows when it is enough.
   * @param {{path: string, bytes: number}} transcript Its path as in results, and the length of the message.
   */
  async noteTranscript({ path, bytes }) {
    await this.run((engine) => engine.noteTranscript(path, bytes));
  }

  /**
   * What a sync would do and cost, without doing it.
   * @param {{force?: boolean, rebuild?: boolean, taken?: string[]}} [options] `taken`: texts whose vectors are taken over before, as
   *   `importVectors` names them with `dryRun`.
   */
  async plan(options) {
    checkSwitches(options, "force", "rebuild");
    return await this.run((engine) => engine.plan(options?.force, options?.rebuild, options?.taken));
  }

  /** Begins the vectors anew, beside those that are there; the next sync makes them. */
  async rebuildVectors() {
    return await this.run((engine) => engine.rebuildVectors());
  }

  /**
   * What memory has to say about a user's message, within the time limit of the agent's settings.
   * @param {AutomaticAgent} agent
   * @param {string | RecallQuestion} question The message, or the message with what stands around it.
   */
  async recall(agent, question) {
    const { hits } = await this.run((engine) => engine.recall(agent, asQuestion(question)));
    return hits;
  }

  /**
   * What memory may have to say about a user's message, also what it is not sure of; `fits` says what `recall` would give.
   * @param {AutomaticAgent} agent
   * @param {string | RecallQuestion} question
   */
  async recallCandidates(agent, question) {
    return await this.run((engine) => engine.recallCandidates(agent, asQuestion(question)));
  }

  /**
   * The same as a block for the prompt, as long as the settings allow; null when there is nothing to show.
   * @param {AutomaticAgent} agent
   * @param {string | RecallQuestion} question
   */
  async recallBlock(agent, question) {
    const { block } = await this.run((engine) => engine.recall(agent, asQuestion(question)));
    return block;
  }

  /**
   * Remembers what was written into a note in a conversation of several people: it is never recalled by itself.
   * @param {AutomaticAgent} agent
   * @param {string | undefined} note Path of the note, relative to the workspace or absolute, where it is known.
   * @param {string[]} texts
   */
  async rememberGroupWords(agent, note, texts) {
    await this.run((engine) => engine.rememberGroupWords(agent, note, texts));
  }

  /**
   * One operation of consolidation.
   * @param {import("../index.d.ts").ConsolidationAgent} agent
   * @param {{op: string} & Record<string, unknown>} call
   */
  async consolidate(agent, call) {
    return await this.run((engine) => engine.consolidate(agent, call));
  }

  /** Works off the capture queue, by rules or as the user's model lists what to keep. @param {AutomaticAgent} agent */
  async capture(agent) {
    return await this.run((engine) => engine.capture(agent));
  }

  /**
   * Takes a captured fact out of its note again, and out of MEMORY.md what consolidation has made of it alone.
   * @param {AutomaticAgent} agent
   * @param {string} id
   */
  async undoCapture(agent, id) {
    return await this.run((engine) => engine.undoCapture(agent, id));
  }

  /**
   * Forgets at once, or tells what would be forgotten.
   * @param {import("../index.d.ts").ForgetRequest} request
   */
  async forget(request) {
    checkForget(request);
    return await this.run((engine) => engine.forget(nativeForgetRequest(request)));
  }

  /**
   * Makes a plan of forgetting; `applyForget` carries it out by the id of the report.
   * @param {import("../index.d.ts").ForgetRequest} request
   */
  async planForget(request) {
    checkForget(request);
    return await this.run((engine) => engine.planForget(nativeForgetRequest(request)));
  }

  /**
   * Carries out a plan of forgetting.
   * @param {string} id
   * @param {{final?: boolean}} [options]
   */
  async applyForget(id, options) {
    checkText("id", id);
    checkSwitches(options, "final");
    return await this.run((engine) => engine.applyForget(id, options?.final ?? false));
  }

  /** Takes back what was forgotten under an id. @param {string} id */
  async undoForget(id) {
    checkText("id", id);
    return await this.run((engine) => engine.undoForget(id));
  }

  /** The list of forgotten things, oldest first. */
  async forgotten() {
    return await this.run((engine) => engine.forgotten());
  }

  /**
   * Clears what can be made again.
   * @param {{keepVectors?: boolean}} [options]
   */
  async reset(options) {
    checkSwitches(options, "keepVectors");
    return await this.run((engine) => engine.reset(options?.keepVectors ?? false));
  }

  /**
   * Looks for everything that can be wrong with the index, and repairs what it can.
   * @param {{repair?: boolean}} [options]
   */
  async doctor(options) {
    checkSwitches(options, "repair");
    return await this.run((engine) => engine.doctor(options?.repair ?? true));
  }

  /** Writes a consistent copy of the index to a new file. @param {string} target Relative to the working directory, or absolute. */
  async backup(target) {
    checkText("target", target);
    const file = path.resolve(target);
    return await this.run((engine) => engine.backup(file));
  }

  /**
   * Puts a copy of {@link backup} in the place of the index.
   * @param {string} file Relative to the working directory, or absolute.
   * @param {{dryRun?: boolean}} [options]
   * @returns {Promise<import("../index.d.ts").MemoryRestoreReport>}
   */
  async restore(file, options) {
    checkText("file", file);
    checkSwitches(options, "dryRun");
    const copy = path.resolve(file);
    return await this.run((engine) => engine.restore(copy, options?.dryRun ?? false));
  }

  /** What taking over an index in a database that is of other notes would change; `sync({force: true})` does it. */
  async adoption() {
    return await this.run((engine) => engine.adoption());
  }

  /** Stops the provider's batch jobs that have not finished; gives their number. */
  async cancelBatches() {
    return await this.run((engine) => engine.cancelBatches());
  }

  /**
   * Whether vectors of a provider and model are those that the settings ask for.
   * @param {{provider: string, model: string}} origin
   */
  async acceptsVectors({ provider, model }) {
    return await this.run(async (engine) => engine.acceptsVectors(provider, model));
  }

  /**
   * Stores vectors of another index, one a text; what is there already stays.
   * @param {{provider: string, model: string, texts: string[], vectors: Float32Array[], dryRun?: boolean}} batch
   */
  async importVectors({ provider, model, texts, vectors, dryRun = false }) {
    return await this.run((engine) => engine.importVectors(provider, model, texts, vectors, dryRun));
  }

  /**
   * Keeps out conversations that another memory has forgotten; the next sync takes them out of the index.
   * @param {{sessionId: string, atMs: number}[]} before
   * @param {{onlyNew?: boolean, dryRun?: boolean}} [options]
   */
  async takeOverForgotten(before, options) {
    checkSwitches(options, "onlyNew", "dryRun");
    const ids = before.map(({ sessionId }) => sessionId);
    const times = before.map(({ atMs }) => atMs);
    return await this.run((engine) => engine.takeOverForgotten(ids, times, options?.onlyNew ?? false, options?.dryRun ?? false));
  }

  /** Lets them in again. @param {{dryRun?: boolean}} [options] */
  async dropTakenOverForgotten(options) {
    checkSwitches(options, "dryRun");
    return await this.run((engine) => engine.dropTakenOverForgotten(options?.dryRun ?? false));
  }

  /** The report of the last import, or null. */
  async lastImport() {
    return await this.run((engine) => engine.lastImport());
  }

  /** Keeps the report of an import. @param {Record<string, unknown>} report */
  async noteImport(report) {
    await this.run((engine) => engine.noteImport(report));
  }

  /** Whether the embedding provider answers. */
  async probeEmbeddingAvailability() {
    return await this.run((engine) => engine.probeEmbedding());
  }

  /** What the last probe found, without asking again. */
  getCachedEmbeddingAvailability() {
    return this.opened?.cachedEmbeddingAvailability() ?? null;
  }

  /** Whether searches by meaning work: vectors are switched on and the provider gives some. */
  async probeVectorAvailability() {
    return await this.run((engine) => engine.probeVector());
  }

  /** Whether vectors can be stored and compared; that is part of the engine, so it always can. */
  async probeVectorStoreAvailability() {
    return await this.run(async () => true);
  }
}
