/**
 * The face of one agent's memory, written by hand. What the engine answers with is generated from its structs
 * (`lib/engine.d.ts`), and everything below from the binding.
 */

import type {
  Answers,
  AutomaticSettings,
  CaptureEntry,
  CaptureOutcome,
  CaptureUndone,
  DatabaseRows,
  DoctorCheck,
  FactAnswer,
  FactImport,
  FactOutcome,
  ForgottenEntry,
  ForgottenTaken,
  Forwarded,
  ImportOutcome,
  IndexFiles,
  MemoryAdoption,
  MemoryAnswer,
  MemoryContents,
  MemoryCopy,
  MemoryExcerpt,
  MemoryMap,
  MemoryFailure,
  MemoryForgetReport,
  MemoryForgetUndone,
  MemoryHit,
  MemoryNotesStatus,
  MemoryPlan,
  MemoryRestoreReport,
  MemorySource,
  MemorySyncReport,
  ModelPrice,
  ModelTask,
  ProvenanceAsked,
  Recall,
  PromptPage,
  ResolvedSettings,
  SessionRequest,
  StandingIntent,
  StoreCopied,
  StoredFact,
  TestedIntent,
  UnfinishedTexts,
  Unlearned,
} from './lib/engine.js'

export type * from './lib/engine.js'

/** Options of a search; all are optional. */
export interface MemorySearchOptions {
  /** Most results; default from the settings (6). */
  maxResults?: number
  /** Leaves out so many results, the first ones, because they are known: `more.after` of their answer. Ranking `native` only. */
  after?: number
  /** Also looks for a later note that tells of a change of the first result: `later` of the answer. Ranking `native` only. */
  later?: boolean
  /** Lowest score kept, 0–1. */
  minScore?: number
  /** Only these sources. */
  sources?: MemorySource[]
  /** Keywords only. */
  lexicalOnly?: boolean
  /** Adds to each result why it is there. */
  explain?: boolean
  /** The session that asks. */
  sessionKey?: string
  /** Time limit in milliseconds; keyword results come back when it passes. */
  deadlineMs?: number
  /** "Now" for time words and recency, in milliseconds since the epoch. */
  nowMs?: number
  /** Cancels the search. */
  signal?: AbortSignal
  /** Keys of the projects that are worked on: their curated lines count more, those of others less. */
  activeProjectKeys?: string[]
  /** Ids of the conversations that the asker may see; without it those that the settings let anybody search. */
  conversations?: string[]
  /**
   * The first day, as people write it: `2026-11-01`, `yesterday`, `last week`, `7d`. A dated note is of the day in its
   * name, everything else of the day when it last changed.
   */
  since?: string
  /** The last day, likewise. */
  until?: string
  /** Only these files, folders and globs, as results show them; a bare name is looked for in every folder. */
  paths?: string[]
  /** Told how the search was done. */
  onDebug?: (debug: { backend: 'builtin', configuredMode: string, effectiveMode: string, fallback?: string }) => void
  /** Given keyword results while a slow search still runs. */
  onPartialResults?: (hits: MemoryHit[]) => void
}

/** Options of a synchronisation. */
export interface MemorySyncOptions {
  /** Why, for the log. */
  reason?: string
  /** Index everything anew. */
  force?: boolean
  /** Index the text only and ask no embedding provider. */
  textOnly?: boolean
  /** Accepted for hosts that send it; the engine finds out itself what has changed. */
  sessions?: { agentId?: string, sessionId: string, sessionKey?: string }[]
  /** Cancels it; what is done stays done. */
  signal?: AbortSignal
  /** Told after every file. */
  progress?: ProgressFunction
}

/** What a manager is for. */
export interface ManagerRequest {
  /** The host's configuration object, of any supported version. */
  cfg: Record<string, any>
  /** Default: the configuration's default agent. */
  agentId?: string
  /** `default` lets the engine watch files and update the index by itself, the others do not. */
  purpose?: 'default' | 'status' | 'cli'
  /** Whether calls after the last `close` open the engine again, as hosts expect; default false: they reject with `MEM_CLOSED`. */
  reopens?: boolean
  /** Default: the environment of the process. */
  env?: Record<string, string | undefined>
  /** Default: `OPENCLAW_STATE_DIR`, else `~/.openclaw`. */
  stateDir?: string
  /** The agent's workspace as the host resolved it; default: by the rules of the configuration. */
  workspaceDir?: string
  /** Folders in which embedded models are looked up. */
  modelPaths?: string[]
  /** Run once before the engine works by itself, unless the purpose is `status`. */
  beforeFirstUse?: (manager: MemoryIndexManager) => Promise<void>
  /** Adds to results what only the caller knows of them; may leave none out. */
  describe?: (hits: MemoryHit[]) => Promise<MemoryHit[]>
  /** Providers of the host, used where the settings name one that the engine does not speak. */
  adapter?: HostAdapter
  /** Makes the vectors instead of a provider. */
  embed?: EmbedFunction
  /** Conversations that the host keeps in a database of its own. Files of conversations are read without it. */
  sessions?: SessionSource
  /** What else a host does for the engine. */
  host?: ManagerHost
  /** Where keys come from beyond configuration and environment. */
  credentialSources?: {
    lookupKey?: (provider: string) => Promise<string | { apiKey: string, source?: string } | undefined>
    resolveSecret?: (reference: unknown) => Promise<string | undefined>
  }
}

/**
 * Makes one vector per text. `provider` is the id under which the settings name who is asked; empty when it does not matter.
 * `media` is a picture or sound that belongs to the one text: both make one vector. It is given only to an adapter that
 * `takesMedia`.
 * What it throws may have a `code`, an HTTP `status` and `retryAfterMs`: they decide when and what is asked again.
 */
export type EmbedFunction = (
  texts: string[],
  kind: 'query' | 'document',
  provider: string,
  media?: InlineData,
) => Promise<number[][] | Float32Array[]>

/**
 * Answers about conversations. `list`: `{sessions: [{sessionKey, sessionId, updatedAtMs, machine, kind?}], complete}`; `read`:
 * `{kind: "page", cursor, more, messages: [{line, role, text, provenance?}]}`, or `{kind: "reset" | "missing"}`, or
 * `{kind: "unavailable", reason}`.
 */
export type SessionSource = (request: SessionRequest) => Promise<Record<string, unknown>>

/** An `EmbedFunction` as the engine calls it. */
export type EmbedCall = (texts: string[], kind: string, provider: string, media?: InlineData) => Promise<EmbedAnswer>

/** What the engine asks a host for. What a host does not offer is never asked. */
export interface ManagerHost {
  /** Asks the user's model one question. */
  askModel?: (task: ModelTask) => Promise<string>
  /** Tells whose words files hold: the user's or the agent's own, or another's. One answer a file, in order. */
  provenance?: (asked: ProvenanceAsked) => Promise<('own' | 'other')[]>
  /** Is told what the engine says. */
  log?: LogFunction
}

/** Providers of the host. */
export interface HostAdapter {
  /** The ids under which the settings name them. */
  providers: string[]
  embed: EmbedFunction
  /** Whether the adapter of the configured provider embeds pictures and sounds with its model; asked where they are indexed. */
  takesMedia?: () => Promise<boolean>
}

/** Told what the engine says. */
export type LogFunction = (line: LogLine) => void

/** Told after every step of a synchronisation. */
export type ProgressFunction = (update: { completed: number, total: number, label: string }) => void

/** State of an agent's memory, in the shape hosts read. */
export interface MemoryStatus {
  backend: 'builtin'
  provider: string
  /** Null where no provider has one. */
  model?: string | null
  requestedProvider?: string
  files?: number
  chunks?: number
  dirty?: boolean
  lastSyncError?: string
  workspaceDir?: string
  dbPath?: string
  extraPaths?: string[]
  sources?: MemorySource[]
  sourceCounts?: { source: MemorySource, files: number, chunks: number, eligible?: number, issues?: string[] }[]
  cache?: { enabled: boolean, entries?: number, maxEntries?: number | null }
  fts?: { enabled: boolean, available: boolean, error?: string }
  fallback?: { from: string, reason?: string }
  vector?: { enabled: boolean, available?: boolean, storeAvailable?: boolean, semanticAvailable?: boolean, dims?: number | null, loadError?: string, index?: { state: string } }
  batch?: Record<string, unknown>
  custom?: Record<string, unknown> & {
    /** Chunks that still have no vector. */
    pendingEmbeddings?: number
    /** Distinct chunks whose single lines have no vectors yet, beside a hosted provider: searches do without until none is left. */
    lines?: { pending: number, filling: boolean }
    /** Why, when the provider failed, and since when (milliseconds since the epoch). */
    embeddingError?: MemoryFailure & { sinceMs: number }
    /** Chunks whose text the provider refused. */
    refusedTexts?: number
    /** The latest of them, with times in milliseconds since the epoch. */
    latestRefusal?: { path: string, reason: string, refusedAtMs: number, askedAgainAtMs: number } | null
    /** Comments of curated files that cannot be understood. */
    malformedAnnotations?: { path: string, line: number, reason: string }[]
    /** The notes themselves, where `store.postgres.notes` keeps them in a database. */
    notes?: MemoryNotesStatus
    /** What the engine warned of in the last week, whichever process met it; the latest first, at most ten. Times in milliseconds since the epoch. */
    lastWarnings?: { level: 'error' | 'warn', message: string, count: number, sinceMs: number, atMs: number }[]
  }
}

/**
 * Search, read and index the memory of one agent. A failure is an error with a stable `code`, that of a wrong argument
 * `MEM_ARGUMENT`.
 */
export declare class MemoryIndexManager {
  private constructor()
  /** The manager of an agent, or null when memory search is switched off for it. */
  static get(request: ManagerRequest): Promise<MemoryIndexManager | null>
  /** The best passages for a query, best first. */
  search(query: string, options?: MemorySearchOptions): Promise<MemoryHit[]>
  /** Like `search`, with how the answer came about. */
  searchDetailed(query: string, options?: MemorySearchOptions): Promise<MemoryAnswer>
  /** Curated entries with triggers whose projects, if they name any, are all active. */
  listTriggerCandidates(options?: { limit?: number, activeProjectKeys?: string[] }): Promise<MemoryHit[]>
  /** Curated entries of active projects, the most important first. */
  listCuratedProjectCandidates(options?: { limit?: number, activeProjectKeys?: string[] }): Promise<MemoryHit[]>
  /** Which curated entries a message brings back by their triggers, the strongest first; `strong` ones are shown. */
  triggerMatches(message: string, options?: { activeProjectKeys?: string[] }): Promise<{ score: number, strong: boolean, hit: MemoryHit }[]>
  /** Lines of a memory file. */
  readFile(request: { relPath: string, from?: number, lines?: number }): Promise<MemoryExcerpt>
  /** The state of the index, from memory: cheap and synchronous. */
  status(): MemoryStatus
  /** Compares the index with the disk. */
  inspect(): Promise<Record<string, any>>
  /** Brings the index up to date with the disk. */
  sync(options?: MemorySyncOptions): Promise<MemorySyncReport>
  /** Tells that something was said in a conversation; the index follows when it is enough. */
  noteTranscript(transcript: { path: string, bytes: number }): Promise<void>
  /**
   * What a sync would do and cost, without doing it; with `rebuild` when all vectors are begun anew. `cost` is in the currency of
   * `pricePerMillionTokens`, where that is set.
   */
  plan(options?: { force?: boolean, rebuild?: boolean, taken?: string[] }): Promise<{ plan: MemoryPlan, paid: boolean, local: boolean, cost: number | null }>
  /**
   * Begins the vectors anew, beside those that are there, for a model that was swapped under the same name; the next `sync` makes
   * them. False where a model in this process makes them.
   */
  rebuildVectors(): Promise<boolean>
  /** What memory has to say about a user's message, within the time limit of the agent's settings. */
  recall(agent: AutomaticAgent, question: string | RecallQuestion): Promise<MemoryHit[]>
  /** The same as a block for the prompt; null when there is nothing to show. */
  recallBlock(agent: AutomaticAgent, question: string | RecallQuestion): Promise<string | null>
  /** Works off the capture queue, by rules or as the user's model lists what to keep. */
  capture(agent: AutomaticAgent): Promise<CaptureOutcome>
  /** Runs one call on the engine, also one that has no method here. */
  run<T>(call: (engine: NativeManager) => Promise<T>): Promise<T>
  /** Takes a captured fact out of its note again, and out of MEMORY.md what consolidation has made of it alone. */
  undoCapture(agent: AutomaticAgent, id: string): Promise<CaptureUndone>
  /** One operation of consolidation, which the commands `openclaw memory consolidate` are made of. */
  consolidate(agent: ConsolidationAgent, call: { op: string } & Record<string, unknown>): Promise<any>
  /**
   * Forgets at once, or tells what would be forgotten. Of conversations, people and times the lines go that memory has
   * written into files; all other lines of the user stay.
   */
  forget(request: ForgetRequest): Promise<MemoryForgetReport>
  /** Makes a plan of forgetting and changes nothing; it is carried out by the id of the report, for a day. */
  planForget(request: ForgetRequest): Promise<MemoryForgetReport>
  /** Carries out a plan. It can be undone for seven days; final, it cannot, which can be asked for later too. */
  applyForget(id: string, options?: { final?: boolean }): Promise<MemoryForgetReport>
  /** Takes back what was forgotten under an id: puts back what was taken out, and indexes the rest again. */
  undoForget(id: string): Promise<MemoryForgetUndone>
  /** The list of forgotten things, oldest first. */
  forgotten(): Promise<ForgottenEntry[]>
  /** Clears what can be made again; with `keepVectors` what was paid for stays. */
  reset(options?: { keepVectors?: boolean }): Promise<MemoryContents>
  /** Looks for everything that can be wrong with the index, and repairs what it can unless `repair` is false. */
  doctor(options?: { repair?: boolean }): Promise<DoctorCheck[]>
  /** Writes a consistent copy of the index to a new file, absolute or relative to the working directory, while everything goes on. */
  backup(target: string): Promise<MemoryCopy>
  /**
   * Puts a copy that `backup` wrote in the place of the index; what was there is kept beside it. The next `sync` brings it up to
   * date. With `dryRun` it only checks the copy and tells what it would replace.
   */
  restore(file: string, options?: { dryRun?: boolean }): Promise<MemoryRestoreReport>
  /** What taking over an index in a database that is of other notes would change; `sync({force: true})` does it. */
  adoption(): Promise<MemoryAdoption>
  /** Stops the provider's batch jobs that have not finished; gives their number. */
  cancelBatches(): Promise<number>
  /** Whether vectors of a provider and model are those that the settings ask for. */
  acceptsVectors(origin: { provider: string, model: string }): Promise<boolean>
  /** Stores vectors of another index, one a text; what is there already stays. With `dryRun` it only counts. */
  importVectors(batch: { provider: string, model: string, texts: string[], vectors: Float32Array[], dryRun?: boolean }): Promise<ImportOutcome>
  /**
   * Keeps out conversations that another memory has forgotten, under the id `memorycore`; the next sync takes them out. With
   * `onlyNew` those that were forgotten since the last takeover, with `dryRun` it only counts.
   */
  takeOverForgotten(
    before: { sessionId: string, atMs: number }[], options?: { onlyNew?: boolean, dryRun?: boolean },
  ): Promise<ForgottenTaken>
  /** Lets them in again; gives their number, with `dryRun` without doing it. */
  dropTakenOverForgotten(options?: { dryRun?: boolean }): Promise<number>
  /** The report of the last import, or null. */
  lastImport(): Promise<Record<string, any> | null>
  /** Keeps the report of an import. */
  noteImport(report: Record<string, unknown>): Promise<void>
  /** Runs what has to be done before the engine works by itself, once; `get` does it. */
  prepareOnce(prepare: (manager: MemoryIndexManager) => Promise<void>): Promise<void>
  /** Whether the embedding provider answers. */
  probeEmbeddingAvailability(): Promise<{ ok: boolean, error?: string, checked?: boolean }>
  /** What the last probe found. */
  getCachedEmbeddingAvailability(): { ok: boolean, error?: string } | null
  /** Whether searches by meaning work. */
  probeVectorAvailability(): Promise<boolean>
  /** Whether vectors can be stored and compared. */
  probeVectorStoreAvailability(): Promise<boolean>
  /** Counts one more user; `get` does it. */
  retain(use: { background: boolean, reopens?: boolean }): Promise<void>
  /** Puts the engine to rest, whoever uses it; the next call opens it again. */
  suspend(): Promise<void>
  /**
   * Gives up one use. After the last one the engine rests, `status` still tells its last state, and every other call
   * rejects with `MEM_CLOSED`.
   */
  close(): Promise<void>
}

/** Closes every engine of this process; managers stay usable. */
export declare function closeAllMemoryIndexManagers(): Promise<void>

/** The OpenClaw plugin. */
declare const plugin: { id: string, name: string, description: string, kind: 'memory', register(api: any): void }
export default plugin

/** What the native addon exports. */
export interface NativeBinding {
  openManager: typeof openManager
  resolveSettings: typeof resolveSettings
  databaseScript: typeof databaseScript
  examineDatabase: typeof examineDatabase
  unfinishedTexts: typeof unfinishedTexts
  indexFiles: typeof indexFiles
  copyStore: typeof copyStore
  databaseRows: typeof databaseRows
  closeAll: typeof closeAll
  setLogger: typeof setLogger
  speaksProvider: typeof speaksProvider
  excludedSession: typeof excludedSession
  chunkMarkdown: typeof chunkMarkdown
  namedDays: typeof namedDays
  automaticSettings: typeof automaticSettings
  shortTermBlock: typeof shortTermBlock
  activeMemoryBegin: typeof activeMemoryBegin
  activeMemoryTimedOut: typeof activeMemoryTimedOut
  activeMemoryAnswered: typeof activeMemoryAnswered
  activeMemoryFailed: typeof activeMemoryFailed
  activeMemorySuspended: typeof activeMemorySuspended
  recallIntent: typeof recallIntent
  isActiveMemoryOff: typeof isActiveMemoryOff
  setActiveMemoryOff: typeof setActiveMemoryOff
  keepActiveMemoryCall: typeof keepActiveMemoryCall
  createIntent: typeof createIntent
  listIntents: typeof listIntents
  unreadableIntents: typeof unreadableIntents
  cancelIntent: typeof cancelIntent
  reserveIntents: typeof reserveIntents
  settleIntents: typeof settleIntents
  testIntents: typeof testIntents
  importIntents: typeof importIntents
  isMachinePrompt: typeof isMachinePrompt
  isBetween: typeof isBetween
  recordTurn: typeof recordTurn
  settleTurns: typeof settleTurns
  takeAutomaticNotices: typeof takeAutomaticNotices
  setAsideFiles: typeof setAsideFiles
  queueCapture: typeof queueCapture
  noteForwarded: typeof noteForwarded
  listForwarded: typeof listForwarded
  noteListening: typeof noteListening
  stopListening: typeof stopListening
  writeSessionNote: typeof writeSessionNote
  memoryAsLine: typeof memoryAsLine
  listCaptures: typeof listCaptures
  keepPrompt: typeof keepPrompt
  bookAnswer: typeof bookAnswer
  listAnswers: typeof listAnswers
  keptPrices: typeof keptPrices
  keepPrices: typeof keepPrices
  listPrompts: typeof listPrompts
  tendPrompts: typeof tendPrompts
  forgetPrompts: typeof forgetPrompts
  normalizeAgentId: typeof normalizeAgentId
  readSessionKey: typeof readSessionKey
  settingsPlaces: typeof settingsPlaces
}

/**
 * A lease on the engine of one agent. Every method but `status`, `cancel` and `cachedEmbeddingAvailability` is
 * asynchronous.
 */
export declare class NativeManager {
  /**
   * What memory may have to say about a user's message: the user's words, what they ask memory for, and passages that the
   * host vouches for, best first; `fits` says which of them auto-recall shows.
   */
  recallCandidates(agent: AutomaticAgent, question: RecallQuestion): Promise<{ message: string; intent: string | null; candidates: (MemoryHit & { fits: boolean })[] }>
  /** Forgets files, passages, conversations, people or times at once, or tells what would be forgotten. */
  forget(request: ForgetRequest): Promise<MemoryForgetReport>
  /** Makes a plan of forgetting, which is kept for a day under the id that the report names. Nothing is changed. */
  planForget(request: ForgetRequest): Promise<MemoryForgetReport>
  /** Carries out the plan of an id; final, nothing is kept that could undo it. */
  applyForget(id: string, isFinal: boolean): Promise<MemoryForgetReport>
  /** Takes back what was forgotten under an id: puts back what was taken out, and indexes the rest again. */
  undoForget(id: string): Promise<MemoryForgetUndone>
  /** The list of forgotten things, oldest first. */
  forgotten(): Promise<ForgottenEntry[]>
  /** Clears what can be made again; with `keepVectors` what was paid for stays. */
  reset(keepVectors: boolean): Promise<MemoryContents>
  /** Looks for everything that can be wrong with the index, and repairs what it can unless told not to. */
  doctor(repair: boolean): Promise<DoctorCheck[]>
  /** Writes a consistent copy of the index to a new file while everything goes on. */
  backup(target: string): Promise<MemoryCopy>
  /** Puts a copy in the place of the index, or tells what that would replace. */
  restore(file: string, dryRun: boolean): Promise<MemoryRestoreReport>
  /** What taking over an index in a database would change; a forced sync does it. */
  adoption(): Promise<MemoryAdoption>
  /** Stops the provider's batch jobs that have not finished; gives their number. */
  cancelBatches(): Promise<number>
  /**
   * What memory has to say about a user's message, within the time limit of the settings: the passages that the host
   * vouches for, and as many of them as fit as a block for the prompt.
   */
  recall(agent: AutomaticAgent, question: RecallQuestion): Promise<Recall>
  /**
   * Remembers what was written into a note in a conversation of several people, so that it is never recalled by
   * itself. `note` is its path, relative to the workspace or absolute; none when that is not known.
   */
  rememberGroupWords(agent: AutomaticAgent, note: string | undefined | null, texts: Array<string>): Promise<undefined>
  /** Works off the capture queue, by rules or as the user's model lists them. */
  capture(agent: AutomaticAgent): Promise<CaptureOutcome>
  /** Gives a conversation's note the name that the user's model finds; its new path, or null when it keeps the old one. */
  nameSessionNote(agent: AutomaticAgent, path: string, messages: { role: 'user' | 'assistant'; text: string }[]): Promise<string | null>
  /**
   * Takes a captured fact out of its note again, and the entry that consolidation has made of it where nothing else speaks
   * for that.
   */
  undoCapture(agent: AutomaticAgent, id: string): Promise<CaptureUndone>
  /**
   * One operation of consolidation: `observe`, `evidence`, `plan`, `question`, `apply`, `undo`, `runs`, `run`,
   * `explain`, `replay`, `rollBack`, `status` or `due`.
   */
  consolidate(agent: ConsolidationAgent, call: { op: string } & Record<string, unknown>): Promise<any>
  /** Entries with triggers whose projects, if they name any, are all active. */
  listTriggerCandidates(activeProjectKeys: Array<string>, limit: number): Promise<any[]>
  /** Entries of active projects, the most important first. */
  listCuratedProjectCandidates(activeProjectKeys: Array<string>, limit: number): Promise<any[]>
  /** Which entries a message brings back by their triggers, the strongest first; `strong` ones are shown. */
  triggerMatches(message: string, activeProjectKeys: Array<string>): Promise<{ score: number; strong: boolean; hit: any }[]>
  /** Every stored fact, oldest note first. */
  facts(): Promise<StoredFact[]>
  /** The facts nearest to a question, nearest first. */
  searchFacts(query: string, limit: number, minScore: number): Promise<FactAnswer>
  /** Keeps a fact, unless memory holds it already or it must not be kept. */
  storeFact(fact: FactInput, source?: FactSource | undefined | null): Promise<FactOutcome>
  /**
   * Takes a fact out of the notes, and the entry that consolidation has made of it where nothing else speaks for that; null
   * when there is none of that id.
   */
  forgetFact(agent: AutomaticAgent, id: string): Promise<Unlearned | null>
  /** Takes over the rows of another store of facts. */
  importFacts(rows: { text: string; importance?: number | null; category?: string | null; createdAt?: number | null }[], dryRun: boolean): Promise<FactImport>
  /** Whether vectors of this provider and model are those that the settings ask for. */
  acceptsVectors(provider: string, model: string): boolean
  /** Stores vectors of another index, one a text; with `dryRun` it only counts. */
  importVectors(provider: string, model: string, texts: Array<string>, vectors: Array<Float32Array>, dryRun: boolean): Promise<ImportOutcome>
  /**
   * Keeps out the conversations that another memory has forgotten, with the times when it did, in milliseconds since
   * the epoch; with `onlyNew` those since the last takeover, with `dryRun` it only counts.
   */
  takeOverForgotten(sessionIds: Array<string>, atMs: Array<number>, onlyNew: boolean, dryRun: boolean): Promise<ForgottenTaken>
  /** Lets in again what another memory has forgotten; gives the number of conversations, with `dryRun` without doing it. */
  dropTakenOverForgotten(dryRun: boolean): Promise<number>
  /** The report of the last import, or null. */
  lastImport(): Promise<any>
  /** Keeps the report of an import. */
  noteImport(report: any): Promise<void>
  /** Searches. `requestId` can be passed to `cancel`. */
  search(query: string, options?: SearchOptions | undefined | null, requestId?: number | undefined | null): Promise<MemoryAnswer>
  /** Stops a running search or sync; it rejects with `MEM_CANCELLED`. */
  cancel(requestId: number): void
  /** Reads lines of a memory file. */
  readFile(request: ReadFileRequest): Promise<MemoryExcerpt>
  /** What is known without looking: synchronous and cheap. */
  status(): MemoryStatus
  /** Compares the disk with the index and tells what it found. */
  inspect(): Promise<any>
  /** Brings the index up to date with the disk. */
  sync(options?: SyncOptions | undefined | null, progress?: ProgressFunction | undefined | null, requestId?: number | undefined | null): Promise<MemorySyncReport>
  /**
   * Takes up the words of notes that changed while nobody watched, for a process that was started for one question. False when
   * that takes longer than so many milliseconds; it then goes on until the manager is closed.
   */
  catchUp(limitMs: number): Promise<boolean>
  /** Tells that something was said in a conversation, with its length in bytes. `path` as in results. */
  noteTranscript(path: string, bytes: number): Promise<void>
  /**
   * What a sync would do and cost, without doing it. `taken` are texts whose vectors are taken over before, as a dry run of
   * `importVectors` names them.
   */
  plan(force?: boolean | undefined | null, rebuild?: boolean | undefined | null, taken?: Array<string> | undefined | null): Promise<{ plan: MemoryPlan; paid: boolean; local: boolean; cost: number | null }>
  /** Begins the vectors anew beside those that are there; the next sync makes them. False where there are none to pay. */
  rebuildVectors(): Promise<boolean>
  /** Asks the provider for one vector. */
  probeEmbedding(): Promise<any>
  /** The result of the last probe, while it is fresh. */
  cachedEmbeddingAvailability(): any
  /** Whether vectors can be searched. */
  probeVector(): Promise<boolean>
  /** Gives the lease back. The engine itself ends with its last lease. */
  close(): Promise<void>
  /**
   * The passages of the notes in the plane, those that are alike near each other, and what lies where. Conversations are
   * not on it. What is added later moves nothing, until there is twice as much.
   */
  map(): Promise<MemoryMap>
}

/** Why a provider cannot be used. */
export interface AccountProblem {
  /** `MEM_PROVIDER_AUTH` when a key is missing, else `MEM_CONFIG`. */
  code: string
  /** The cause. */
  message: string
  /** What to do about it. */
  remedy: string
}

/**
 * A model answered: what the turn is shown, when its reply still waits. `seen`: what an agent's tools gave it.
 *
 * # Errors
 * When the outcome cannot be handed over.
 */
export declare function activeMemoryAnswered(ticket: number, text: string, seen?: Array<string> | undefined | null): ActiveOutcome | null

/**
 * A turn of active memory begins: what it is shown, or which model call may improve that.
 *
 * # Errors
 * `MEM_CONFIG`, or `MEM_ARGUMENT` when the turn is malformed.
 */
export declare function activeMemoryBegin(agent: AutomaticAgent, turn: { agentId: string; session: string; run?: string; message: string; before?: { role: 'user' | 'assistant'; text: string }[]; intent?: string | null; candidates: MemoryHit[]; fitting: MemoryHit[]; model: string; policy: string; tools?: string[] }): { done: ActiveOutcome } | { ask: { ticket: number; system: string; prompt: string; maxTokens: number; beside: boolean; fallback: ActiveOutcome } }

/**
 * A call ended without an answer: what the turn is shown, when its reply still waits.
 *
 * # Errors
 * `MEM_ARGUMENT` for an unknown reason.
 */
export declare function activeMemoryFailed(ticket: number, failure: 'failed' | 'not-authorized' | 'given-up'): ActiveOutcome | null

/**
 * The models of an agent that active memory does not ask now: until a moment in milliseconds since the epoch where they
 * failed or took too long, without one where the host refused them.
 *
 * # Errors
 * When the answer cannot be handed over.
 */
export declare function activeMemorySuspended(agentId: string): { model: string; untilMs: number | null; timedOut: boolean }[]

/**
 * The reply no longer waits for a call: what the turn is shown, and whether the call may run on for the next one.
 *
 * # Errors
 * When the outcome cannot be handed over.
 */
export declare function activeMemoryTimedOut(ticket: number): { outcome: ActiveOutcome; runsOn: boolean } | null

/** What a turn of active memory is shown, and why. */
export interface ActiveOutcome {
  /**
   * `ok`, `no_relevant_memory`, `timeout`, `failed`, `unavailable`, `ungrounded`, `late`, `busy`, `circuit-breaker` or
   * `not-authorized`.
   */
  status: string
  /** `none`, `native` or `model`. */
  lane: string
  /** For the prompt. */
  block?: string
  /** Whether the answer was known already. */
  cached: boolean
  /** Characters of what is shown. */
  chars: number
  /** What is shown, on one line. */
  shown: string
}

/** What an answer of a model took. */
export interface AnswerSpent {
  /** What was asked for: `active-memory`, `consolidation`, `memory-capture`, … */
  purpose: string
  /** The provider, as the host names it. */
  provider: string
  /** The model. */
  model: string
  /** Tokens of the question, cached ones included. */
  inputTokens: number
  /** Tokens of the answer. */
  outputTokens: number
  /** What the host says that it cost, in US dollars. */
  hostCost?: number
}

/** Whose automatic memory. */
export interface AutomaticAgent {
  /** The plugin's own configuration. */
  config: any
  /** The agent. */
  agentId: string
  /** Whether it is the agent that the host means when none is named. */
  isDefaultAgent: boolean
  /** Absolute path of the host's state directory. */
  stateDir: string
  /** The time zone of the user, an IANA name; default: the machine's. */
  timeZone?: string
}

/**
 * The resolved settings of the automatic memory.
 *
 * # Errors
 * `MEM_CONFIG` when a value has the wrong type.
 */
export declare function automaticSettings(agent: AutomaticAgent): AutomaticSettings

/**
 * Books an answer in this month. Nobody needs to wait for it; a process that ends waits with `settleTurns`.
 *
 * # Errors
 * When the file cannot be read or written.
 */
export declare function bookAnswer(agent: AutomaticAgent, spent: AnswerSpent): Promise<undefined>

/** Takes a standing intent back; null when there is none of that id that could come up. */
export declare function cancelIntent(agent: AutomaticAgent, id: string): Promise<StandingIntent | null>

/** Cuts a Markdown text into chunks as the index does; blank ones are left out. */
export declare function chunkMarkdown(text: string, tokens?: number | undefined | null, overlap?: number | undefined | null): Promise<MarkdownChunk[]>

/**
 * Closes every engine of this process, and waits at most two seconds for what was handed over and is not written yet.
 * Managers opened before answer `MEM_CLOSED`.
 */
export declare function closeAll(): Promise<void>

/** Whose consolidation. */
export interface ConsolidationAgent {
  /** `consolidation` of the plugin's own configuration, and of each of its agents. */
  config: any
  /** The agent. */
  agentId: string
  /** The smallest bootstrap limit of the agents that share the workspace, in characters. */
  bootstrapChars: number
  /** "Now" in milliseconds since the epoch; default: the clock. */
  nowMs?: number
}

/** What is known of a conversation. */
export interface ConversationFacts {
  /** Its key. */
  key?: string
  /** The source of the hook that began it. */
  hookSource?: string
  /** Its channel. */
  channel?: string
  /** Its kind: direct, group or channel. */
  chatType?: string
}

/**
 * Copies the vectors of an agent from its file to the database that its settings name, or back, whichever of both is in use
 * now; null when memory search is switched off. What is there already stays as it is.
 */
export declare function copyStore(request: OpenRequest, intoDatabase: boolean, progress?: ProgressFunction | undefined | null, host?: NativeHost | undefined | null): Promise<StoreCopied | null>

/** Arms a standing intent. */
export declare function createIntent(agent: AutomaticAgent, input: IntentInput, speaker: IntentSpeaker): Promise<StandingIntent>

/** A database by the parts of its address, each as text. */
export interface DatabaseParts {
  /** `store.postgres.host`. */
  host?: string
  /** `store.postgres.port`. */
  port?: string
  /** `store.postgres.database`. */
  database?: string
  /** `store.postgres.user`. */
  user?: string
  /** Whether `store.postgres.url` is written too, which is refused. */
  besideUrl: boolean
}

/**
 * What the database of an agent keeps of it; null when its settings name none, or nothing is kept there. `remove` takes it
 * away, for all gateways that share it.
 */
export declare function databaseRows(request: OpenRequest, remove: boolean, host?: NativeHost | undefined | null): Promise<DatabaseRows | null>

/**
 * The SQL that makes the tables of a schema, or brings them to this version, where the engine's own role may not.
 * `role`: who is granted what an engine needs; without, a comment says what is missing. No database is asked.
 *
 * # Errors
 * `MEM_CONFIG` when the schema has no usable name, `MEM_ARGUMENT` when the role has none.
 */
export declare function databaseScript(schema: string, role?: string | undefined | null): string

/** Vectors, or why there are none. */
export interface EmbedAnswer {
  /** One a text, in order. */
  value?: Array<Float32Array>
  /** What was thrown. */
  failure?: HostFailure
}

/** What can be said of the database of an agent whose index cannot be opened; null when it is in no database. */
export declare function examineDatabase(request: OpenRequest, host?: NativeHost | undefined | null): Promise<DoctorCheck[] | null>

/**
 * Why nothing is taken from a conversation by the plugin's `memoryPolicy`, such as `channel:telegram`; null when it is not
 * left out. `config` is the plugin's own configuration.
 *
 * # Errors
 * `MEM_CONFIG` when a value has the wrong type.
 */
export declare function excludedSession(config: any, agentId: string, facts: ConversationFacts): string | null

/** A fact to be stored. */
export interface FactInput {
  /** The words; at most 500 characters. */
  text: string
  /** preference, fact, decision, entity or other; default other. */
  category?: string
  /** 0–1; default 0.7. */
  importance?: number
}

/** In which conversation a fact is said, so that it can be forgotten with that. */
export interface FactSource {
  /** Whose automatic memory. */
  agent: AutomaticAgent
  /** The key of the conversation. */
  sessionKey?: string
  /** The id of the conversation. */
  sessionId?: string
}

/** A conversation as the host knows it. */
export interface ForgetConversation {
  /** Its id. */
  sessionId: string
  /** Its key, which it may share with those before and after it. */
  sessionKey?: string
  /** When it began, in milliseconds since the epoch. */
  fromMs?: number
  /** When something last happened in it. */
  toMs?: number
}

/**
 * Takes out all that was put into prompts. For a minute nothing is kept then: a turn may have begun before.
 *
 * # Errors
 * When the file cannot be written.
 */
export declare function forgetPrompts(agent: AutomaticAgent): Promise<undefined>

/** What is to be forgotten. */
export interface ForgetRequest {
  /** Files, or folders with all that lies below them, as in results. */
  paths?: Array<string>
  /** Of the one path: first of the lines to forget, from 1. */
  fromLine?: number
  /** Of the one path: last of the lines to forget; default the first. */
  toLine?: number
  /** Ids or keys of conversations. */
  sessions?: Array<string>
  /** Conversations that the host has found: by person, hook source or date. */
  conversations?: Array<ForgetConversation>
  /** People, by the names that session keys have for them. */
  people?: Array<string>
  /** What was kept from this instant on, in milliseconds since the epoch. */
  sinceMs?: number
  /** What was kept until this instant. */
  untilMs?: number
  /** The passages that a search for these words shows. */
  query?: string
  /** Options of that search. */
  search?: SearchOptions
  /** Whether lines of the user's files go that repeat what is forgotten. */
  quotes?: boolean
  /** Whether to report only. */
  dryRun?: boolean
  /** Whether it is never to be undone. */
  final?: boolean
  /** Whose automatic memory holds the same words. */
  agent?: AutomaticAgent
}

/** A time in which capture was on, in milliseconds since the epoch, both ends included. */
export interface HeardSpan {
  /** Its beginning. */
  from: number
  /** Its end. */
  to: number
}

/** When what was captured, oldest first. */
export interface HeardSpans {
  /** After each turn. */
  turns: Array<HeardSpan>
  /** Before a compaction. */
  compactions: Array<HeardSpan>
}

/** What the host says, or why it cannot. */
export interface HostAnswer {
  /** The answer. */
  value?: any
  /** What was thrown. */
  failure?: HostFailure
}

/** What an error of the host says. Its code, status and patience come as data, so that nobody reads them out of words. */
export interface HostFailure {
  /** In its own words. */
  message: string
  /** Its code: one of ours stays what it is. */
  code?: string
  /** The HTTP status that it names. */
  status?: number
  /** How long it asks to wait, in milliseconds. */
  retryAfterMs?: number
}

/**
 * Takes over intents of memory-core that can still come up, each once: `rows` is JSON, an array of them. Gives how many
 * are new.
 */
export declare function importIntents(agent: AutomaticAgent, rows: string): Promise<number>

/** Every file of an agent's index where the settings put it, and what has such a name and is none. */
export declare function indexFiles(request: OpenRequest): Promise<IndexFiles>

/** A picture or sound for an adapter. */
export interface InlineData {
  /** Its media type. */
  mimeType: string
  /** The whole file as base64. */
  data: string
}

/** A new standing intent. */
export interface IntentInput {
  /** What the model is reminded of, at most 500 characters. */
  description: string
  /** Any of these brings it up, at most 24 of 120 characters: all words of one, or `"…"` as they stand. */
  triggerKeywords: Array<string>
  /** None of these may be in the message. */
  unless?: Array<string>
  /** Default: channel. */
  scope?: 'conversation' | 'channel' | 'anywhere'
  /** Whether it counts for everybody's messages. */
  anyone?: boolean
  /** Milliseconds since the epoch; default: in 90 days. */
  expiresAt?: number
  /** Default 3. */
  maxFires?: number
  /** Default a day. */
  cooldownSeconds?: number
  /** The session it was made in. */
  sourceSessionId?: string
}

/** Who speaks where, as far as the host tells. */
export interface IntentSpeaker {
  /** The channel. */
  provider?: string
  /** The agent's account on it. */
  accountId?: string
  /** The conversation on it. */
  conversationId?: string
  /** Who wrote the message. */
  senderId?: string
  /** The key of the session. */
  sessionKey?: string
}

/**
 * Whether active memory is paused in a conversation.
 *
 * # Errors
 * When the file cannot be read.
 */
export declare function isActiveMemoryOff(agent: AutomaticAgent, sessionKey: string): boolean

/**
 * Whether a message in the user's role says nothing between what stands before and behind it: a machine's, or a command. As
 * [`is_machine_prompt`].
 */
export declare function isBetween(text: string): boolean

/**
 * Whether no person wrote a message in the user's role: a cron job's prompt, a heartbeat, a word of another agent. `text` is as the
 * host hands it over. Linear in its length.
 */
export declare function isMachinePrompt(text: string): boolean

/**
 * Keeps what was asked and answered, for a user who wants to see it.
 *
 * # Errors
 * When the file cannot be written, or `MEM_ARGUMENT` when the call is malformed.
 */
export declare function keepActiveMemoryCall(agent: AutomaticAgent, call: { lane: string; style: string; model: string; prompt: string; answer: string; shown: string; ms: number; status: string }): void

/**
 * Keeps prices over those of before, and takes out those of the names `without`; gives all.
 *
 * # Errors
 * `MEM_ARGUMENT` for what is no price, and when the file cannot be read or written.
 */
export declare function keepPrices(agent: AutomaticAgent, prices: ModelPrice[], without: Array<string>): Promise<ModelPrice[]>

/**
 * Keeps what was put into a prompt, for as many days as the settings say. Nobody needs to wait for it; a process that ends
 * waits with `settleTurns`. `ms` is how long it took.
 *
 * # Errors
 * `MEM_CONFIG`, `MEM_ARGUMENT` when there is no such part, and when the file cannot be written.
 */
export declare function keepPrompt(agent: AutomaticAgent, part: 'recall' | 'short-term-memory' | 'active-memory' | 'intents', ms: number, sessionKey: string, text: string): Promise<undefined>

/**
 * The prices that were said on the page, for all agents.
 *
 * # Errors
 * When the file cannot be read.
 */
export declare function keptPrices(agent: AutomaticAgent): Promise<ModelPrice[]>

/**
 * What models have taken that answered, by month, oldest first.
 *
 * # Errors
 * When the file cannot be read.
 */
export declare function listAnswers(agent: AutomaticAgent): Promise<Answers[]>

/** What was captured, newest first, and how many turns still wait. Fails when a file cannot be read. */
export declare function listCaptures(agent: AutomaticAgent, limit: number): Promise<{ captures: CaptureEntry[]; waiting: number }>

/**
 * The messages that are known to have been passed on, oldest first.
 *
 * # Errors
 * When the file cannot be read.
 */
export declare function listForwarded(agent: AutomaticAgent): Forwarded[]

/** The standing intents of an agent, oldest first; `status` picks those of one, `speaker` those that count where they speak. */
export declare function listIntents(agent: AutomaticAgent, status?: string | undefined | null, speaker?: IntentSpeaker | undefined | null): Promise<StandingIntent[]>

/**
 * What was put into prompts, newest first: at most so many, older than the one of an id, and about a megabyte.
 *
 * # Errors
 * `MEM_CONFIG`, and when the file cannot be read.
 */
export declare function listPrompts(agent: AutomaticAgent, most: number, before?: string | undefined | null): Promise<PromptPage>

/** What the engine says. */
export interface LogLine {
  /** How grave. */
  level: 'error' | 'warn' | 'info' | 'debug'
  /** Whose memory it is about; none when it is about all. */
  agent?: string
  /** What happened, why, and what to do about it. No text of notes, questions or conversations, and no secret. */
  text: string
}

/** One chunk of a Markdown text. */
export interface MarkdownChunk {
  /** First line, from 1. */
  startLine: number
  /** Last line, inclusive. */
  endLine: number
  /** The text. */
  text: string
}

/** A stored text for a model, on one line: it can end no block, and nothing in it is invisible. */
export declare function memoryAsLine(text: string): string

/**
 * The days that somebody names, as searches understand them: `2026-11-01`, "yesterday", "last week", `7d`. `name` is what an
 * error calls the text, `timeZone` an IANA name, by default the machine's. Throws `MEM_ARGUMENT` when no day is named.
 */
export declare function namedDays(name: string, written: string, timeZone?: string | undefined | null): NamedDays

/** The first and the last instant of days, in milliseconds since the epoch. */
export interface NamedDays {
  /** Where the first day begins. */
  fromMs: number
  /** Where the last day ends. */
  toMs: number
}

/** What a host offers; each part may be missing. */
export interface NativeHost {
  /** Makes vectors with an adapter of the host. */
  embed?: EmbedCall
  /** Tells of the conversations that the host keeps itself. */
  conversations?: (request: SessionRequest) => Promise<HostAnswer>
  /** Asks the user's model. */
  askModel?: (task: ModelTask) => Promise<HostAnswer>
  /** Tells whose words files hold. */
  provenance?: (asked: ProvenanceAsked) => Promise<HostAnswer>
  /** Tells the password of the database that the settings name, as it is now. */
  databasePassword?: () => Promise<HostAnswer>
  /** Is told what the engine says; must not throw. */
  log?: LogFunction
}

/** An agent id in the form the host uses for folders and keys. */
export declare function normalizeAgentId(id: string): string

/**
 * Notes a message that was passed on: its words are somebody else's. Synchronous, so that its turn knows of it.
 *
 * # Errors
 * When the file cannot be written.
 */
export declare function noteForwarded(agent: AutomaticAgent, message: Forwarded): void

/**
 * Notes what is captured by the settings of this moment, `turns` and what `compactions` take away; gives when what was. At
 * the end of a turn `said` is when its message was, where the host tells. Synchronous, for the same reason.
 *
 * # Errors
 * When the file cannot be written.
 */
export declare function noteListening(agent: AutomaticAgent, turns: boolean, compactions: boolean, moment: 'now' | 'begin' | 'end', said?: number | undefined | null): HeardSpans

/** Opens the index of one agent; null when memory search is switched off for it. */
export declare function openManager(request: OpenRequest, host?: NativeHost | undefined | null): Promise<NativeManager | null>

/** What `openManager` and `resolveSettings` need. */
export interface OpenRequest {
  /** The host's configuration, without keys. */
  config: any
  /** The agent. */
  agentId: string
  /** Absolute path of the host's state directory. */
  stateDir: string
  /** Absolute path of the user's home directory. */
  homeDir: string
  /** The agent's workspace as the host resolved it; wins over our own rules. */
  workspaceDir?: string
  /** The default workspace as `OPENCLAW_WORKSPACE_DIR` names it. */
  defaultWorkspaceDir?: string
  /** The address and the key of every provider that the settings could use. They are kept in memory only. */
  accounts?: Array<ProviderAccount>
  /** The address of the database that `store.postgres.url` names, resolved. It is kept in memory only. */
  databaseUrl?: string
  /** What `store.postgres` names of a database instead of its address, resolved. It is kept in memory only. */
  databaseParts?: DatabaseParts
  /** The provider ids that the embedding function serves; default: the configured one. */
  embedProviders?: Array<string>
  /** Where the weights of the embedded model may be found, best first. */
  modelPaths?: Array<string>
  /** Whether file watching and background work may run: true in a gateway or conversation, false in one command. */
  background?: boolean
}

/** How to reach one provider. Key and headers are sent to the host of its address only. */
export interface ProviderAccount {
  /** The id under which the settings name it. */
  provider: string
  /** The known provider that an id of the user's own speaks like: `openai` or `ollama`. */
  api?: string
  /** Whether `auto` may choose it; the first one that can be used wins. */
  automatic?: boolean
  /** Below which address it is asked; none for an adapter of the host that knows it. */
  baseUrl?: string
  /** The setting that the address comes from. */
  addressFrom?: string
  /** The key. */
  apiKey?: string
  /** Further keys of the account, tried in turn when one has used up its rate. */
  spareKeys?: Array<string>
  /** Where the key comes from. */
  keyFrom?: string
  /** Extra headers; their values are treated as secrets. */
  headers?: Record<string, string>
  /** Why it cannot be used. */
  problem?: AccountProblem
}

/**
 * Puts a finished turn on the capture queue. Synchronous, for the same reason.
 *
 * # Errors
 * When the file cannot be written.
 */
export declare function queueCapture(agent: AutomaticAgent, job: { id: string; sessionKey?: string; sessionId?: string; provider?: string; model?: string; maxFacts?: number; seen?: number; messages: { role: 'user' | 'assistant'; text: string; at?: number }[] }): void

/** What `readFile` is asked. */
export interface ReadFileRequest {
  /** Workspace-relative path, or the path of an extra file. */
  relPath: string
  /** First line, from 1; default 1. */
  from?: number
  /** Number of lines; default 120. */
  lines?: number
}

/** Reads a session key. */
export declare function readSessionKey(key: string): SessionKeyFacts

/**
 * What a message asks memory for: `past`, `person`, `preference`, `decision`, `time`, `own` or `question`; null for one that
 * can be answered without, `general` for one that the world answers.
 *
 * # Errors
 * When the answer cannot be handed over.
 */
export declare function recallIntent(message: string): string | null

/** A user's message and what stands around it. */
export interface RecallQuestion {
  /** The message. */
  prompt: string
  /** The user's message before it in the same conversation. */
  before?: string
  /** What the assistant answered to that. */
  replied?: string
  /** Files that are not recalled, relative to the workspace. */
  without?: Array<string>
  /** Keys of the projects that are worked on. */
  projects?: Array<string>
  /** "Now" in milliseconds since the epoch; default: the clock. */
  nowMs?: number
}

/**
 * Records a finished turn, of `person` as in `shortTermBlock`; where the user only says that it be not remembered, takes out
 * what was said `before`. Synchronous, because hosts do not wait for the end of a turn.
 *
 * # Errors
 * When the file cannot be written.
 */
export declare function recordTurn(agent: AutomaticAgent, user: string, assistant: string, person?: string | undefined | null, before?: string | undefined | null): boolean

/** What a message brings up, as a block for the prompt, reserved for its turn until `settleIntents`; null when nothing. */
export declare function reserveIntents(agent: AutomaticAgent, turn: string, message: string, speaker: IntentSpeaker): Promise<string | undefined | null>

/**
 * The resolved settings of an agent: `{settings, origins, values, warnings}`, or null when memory search is switched off.
 *
 * # Errors
 * `MEM_CONFIG` when a value cannot be used.
 */
export declare function resolveSettings(request: OpenRequest): { settings: ResolvedSettings; origins: Record<string, string>; values: Record<string, string | number | boolean>; warnings: string[] } | null

/** Options of one search. */
export interface SearchOptions {
  /** Most results; default `query.maxResults`. */
  maxResults?: number
  /** Results that are left out because whoever asks has them; default 0. */
  after?: number
  /** Whether a later note that tells of a change of the first result is looked for; default false. */
  later?: boolean
  /** Lowest score kept; default `query.minScore`. */
  minScore?: number
  /** `memory`, `sessions`; default all that are indexed. */
  sources?: Array<string>
  /** Keyword leg only. */
  lexicalOnly?: boolean
  /** Whether each result says why it is there. */
  explain?: boolean
  /** Time limit in milliseconds; default `query.deadlineMs`. */
  deadlineMs?: number
  /** "Now" in milliseconds since the epoch, for time words; default the clock. */
  nowMs?: number
  /** The conversation in which it is asked. */
  sessionKey?: string
  /** Keys of the projects that are worked on. */
  activeProjectKeys?: Array<string>
  /** Ids of the conversations that the asker may see; default those that the settings let anybody search. */
  conversations?: Array<string>
  /** The first day, as people write it: a dated note is of the day in its name, other files of their last change. */
  since?: string
  /** The last day, likewise. */
  until?: string
  /** Only these files, folders and globs. */
  paths?: Array<string>
}

/** What a session key says. */
export interface SessionKeyFacts {
  /** The agent that it names, normalised. */
  agentId?: string
  /** What it says next to the agent, in lower case; empty when that is nothing. */
  scope: string
  /** Why nothing of the session is remembered: a plugin or the host holds it, and not a person. */
  machine?: string
  /** Whether others read it too. */
  isShared: boolean
  /** Whom the agent talks to in a direct conversation of their own. */
  peer?: string
  /** The channel of such a conversation, where the key names it. */
  channel?: string
  /** The scope of the conversation that a thread is a part of, or its own. */
  conversation: string
}

/**
 * Pauses active memory in conversations, or goes on with it.
 *
 * # Errors
 * When the file cannot be written.
 */
export declare function setActiveMemoryOff(agent: AutomaticAgent, sessionKeys: Array<string>, off: boolean): void

/** A file that was set aside because it, or a part of another, was damaged. */
export interface SetAsideFile {
  /** Where it lies. */
  path: string
  /** How many lines it has, where they can be counted. */
  lines?: number
}

/**
 * The files that were set aside because they were damaged. Nothing reads them again. Damage that nobody has met yet is
 * set aside now.
 *
 * # Errors
 * `MEM_CONFIG`, or when a folder cannot be read.
 */
export declare function setAsideFiles(agent: AutomaticAgent): Array<SetAsideFile>

/**
 * Where the engine speaks to from now on, in place of what this thread named before. The same is said once in ten
 * minutes. It must not throw.
 */
export declare function setLogger(log: LogFunction): void

/** A place of the configuration that may hold settings of an agent. */
export interface SettingsPlace {
  /** As people write it. */
  path: string
  /** The keys that lead there; of a list, the index. */
  keys: Array<string>
}

/** The places that may hold the memory settings of an agent, weakest first. */
export declare function settingsPlaces(config: any, agentId: string): Array<SettingsPlace>

/** The turn has ended: what it showed counts when `succeeded`, and is given back otherwise. Gives how many there were. */
export declare function settleIntents(agent: AutomaticAgent, turn: string, succeeded: boolean): Promise<number>

/**
 * Waits for recorded turns that are not in their file yet because another process held it, at most two seconds; for a
 * process that ends. Whether all are.
 */
export declare function settleTurns(): boolean

/**
 * The last turns as a block for the prompt; null when there is none. Reads only the end of a file. `person` names whom
 * the host keeps apart from the agent's other people: such a person has turns of their own. Turns of `conversation`,
 * oldest first, are left out: the model sees them anyway. `isCut` says that there were more of them.
 *
 * # Errors
 * When the file cannot be read, or `MEM_ARGUMENT` when the messages are malformed.
 */
export declare function shortTermBlock(agent: AutomaticAgent, person?: string | undefined | null, conversation?: { role: 'user' | 'assistant'; text: string }[] | null, isCut?: boolean | undefined | null): string | null

/**
 * Whether the engine itself speaks to an embedding provider, so that no adapter of the host is needed. GGUF models
 * (`local`) are run by some builds only.
 */
export declare function speaksProvider(id: string): boolean

/** Capture is off from now on for all agents: the plugin stops, and this module stays loaded where the host loads it again. */
export declare function stopListening(): void

/** Options of one sync. */
export interface SyncOptions {
  /** Why, for the log. */
  reason?: string
  /** Reads every file again and writes a new generation of the index; vectors are reused. */
  force?: boolean
  /** Text only: no embedding request is sent. */
  textOnly?: boolean
}

/** Progress of a sync. */
export interface SyncProgress {
  /** Steps done. */
  completed: number
  /** Steps in all, as far as known. */
  total: number
  /** What is being done. */
  label: string
}

/**
 * What happened to the files of the automatic memory since this was asked last, in sentences for the log: damage that was
 * set aside, lines that could not be written later.
 */
export declare function takeAutomaticNotices(): Array<string>

/**
 * Takes out what is older than the settings say.
 *
 * # Errors
 * `MEM_CONFIG`, and when the file cannot be written.
 */
export declare function tendPrompts(agent: AutomaticAgent): Promise<undefined>

/** Which intents a message mentions, wherever they count, and whether they would come up. */
export declare function testIntents(agent: AutomaticAgent, message: string): Promise<TestedIntent[]>

/**
 * What killed processes have left of an agent's texts in its workspace and in folders of ours, whoever may be writing; `remove`
 * takes it away.
 */
export declare function unfinishedTexts(request: OpenRequest, remove: boolean): Promise<UnfinishedTexts[]>

/** What of the file of standing intents is none, as after a person has changed it; null when all of it is. */
export declare function unreadableIntents(agent: AutomaticAgent): Promise<UnreadableIntents | undefined | null>

/** Lines of the file of standing intents that are none. They stay as they are. */
export interface UnreadableIntents {
  /** The file. */
  path: string
  /** The numbers of the lines, from 1. */
  lines: Array<number>
}

/**
 * Writes the note of a conversation that ends; gives its path, or null when nothing was said.
 *
 * # Errors
 * When the note cannot be written.
 */
export declare function writeSessionNote(agent: AutomaticAgent, workspaceDir: string, conversation: { sessionKey: string; sessionId: string; source: string; slug?: string; timeZone?: string; messages: { role: 'user' | 'assistant'; text: string }[] }): string | null
