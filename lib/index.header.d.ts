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

