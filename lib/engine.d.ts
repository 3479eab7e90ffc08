// Made of the structs of crates/ by "npm run types".

/** Where a text comes from. */
export type MemorySource = "memory" | "sessions";

/** One result. */
export type MemoryHit = About & {
  /** Workspace-relative path with `/`, or absolute for extra paths outside the workspace. */
  path: string;
  /** First line, from 1. */
  startLine: number;
  /** Last line, inclusive. */
  endLine: number;
  /** 0–1, comparable between queries. */
  score: number;
  /** At most 700 UTF-16 units. */
  snippet: string;
  /** The lines of it that answer best, for who has no room for all; only the native ranking has it, when asked. */
  excerpt?: string;
  /** Where it comes from. */
  source: MemorySource;
  /** Cosine similarity, where there is a vector. */
  vectorScore?: number;
  /** Score of the keyword leg, where it matched. */
  textScore?: number;
  /** Why it is there, when asked. */
  explain?: unknown;
};

/** An error as data. */
export type MemoryFailure = {
  /** Stable code. */
  code: string;
  /** Cause and remedy. */
  message: string;
  /** The remedy by itself, when there is one. */
  remedy?: string;
  /** The code of the host's own error, when the host or one of its adapters failed. */
  hostCode?: string;
};

/** The answer to a search. */
export type MemoryAnswer = {
  /** Best first; ties by path, then line. */
  hits: MemoryHit[];
  /** Whether the vector leg took part: `hybrid`, `vector` or `fts-only`. */
  mode: string;
  /**
   * How to go on, where that is worth it: the question, without the results that are shown. No passage of them comes
   * again.
   */
  more?: More;
  /** How sure the nearest passage is, 0–1, where none is as sure as was asked for: a lower least score shows it. */
  nearest?: number;
  /** What a later note tells of a change of the first result, where that was asked for: the passage is none of the results. */
  later?: MemoryHit;
  /** Whether a leg was left out because the deadline came or the provider failed. */
  partial: boolean;
  /** Why it is partial or keyword-only, in a sentence for the user, with what helps. */
  warning?: string;
  /** What helps by itself, when there is something to do. */
  remedy?: string;
  /** Stable code of the failure behind the warning. */
  code?: string;
  /** That meaning was left out because the embedding provider fails. */
  degraded?: Degraded;
};

/** What a sync did. */
export type MemorySyncReport = {
  /** Files on disk that belong to the index. */
  files: number;
  /** Files that were read and written anew. */
  changed: number;
  /** Files that vanished and were removed. */
  removed: number;
  /** Chunks written. */
  chunks: number;
  /** Files that could not be indexed. */
  skipped: number;
  /** Folders whose notes are not found and are kept all the same; `force` removes them. */
  lostFolders?: LostFolder[];
  /** What the user should know about them, and about notes that are there and could not be read, with what helps. */
  warning?: string;
  /** Texts sent to the embedding provider. */
  embedded: number;
  /** Texts the provider refused. */
  refused: number;
  /** Chunks that still have no vector. */
  pending: number;
  /** Why vectors are missing, when the provider failed; keyword search works all the same. */
  embeddingError?: MemoryFailure;
  /** Wall time in milliseconds. */
  durationMs: number;
};

/** The difference between disk and index, and what closing it costs. */
export type MemoryPlan = {
  /** Files on disk that belong to the index. */
  files: number;
  /** Files to read: new, changed, or all of them after a change of settings. */
  changed: string[];
  /** Files to remove. */
  removed: string[];
  /** Notes that a database has and this workspace is to get. */
  restored?: string[];
  /** Why all files are read again, when they are. */
  rebuild?: string;
  /** Texts to embed. */
  texts: number;
  /** Tokens to send, estimated. */
  tokens: number;
  /** Files left out, the first 1,000 that the look at the disk found. */
  skipped: SkippedFile[];
  /** How many more there are. */
  moreSkipped: number;
  /** Folders whose notes are not found and would be kept all the same. */
  lostFolders?: LostFolder[];
};

/** What `memory_get` answers. */
export type MemoryExcerpt = {
  /** Whether there was a file. */
  status: ExcerptStatus;
  /** The lines, joined by `\n`, without the last line break. */
  text: string;
  /** Relative to the workspace with `/`, absolute outside. */
  path: string;
  /** First line of the text. */
  from?: number;
  /** Number of lines in the text. */
  lines?: number;
  /** Whether something after the text was left out. */
  truncated?: boolean;
  /** Where to go on; none at the end of the file. */
  nextFrom?: number;
  /** How many lines the file has, where the first line asked for is after the last one. */
  totalLines?: number;
};

/** What was forgotten, or would be. */
export type MemoryForgetReport = {
  /** Whether nothing was done. */
  dryRun: boolean;
  /** The id under which it is carried out, and undone; empty when it was only asked for. */
  id: string;
  /** Whether it cannot be undone. */
  final: boolean;
  /** Until when it can be undone, ISO 8601 in UTC. */
  undoUntil?: string;
  /** Files that are out of the index as a whole. */
  files: string[];
  /** Passages that are out of the index. */
  passages: Passage[];
  /**
   * Passages that hold most of the words of the search as well and stay: it shows the best, and of those that say nearly the same
   * one.
   */
  more?: number;
  /** Of the files, the notes of conversations that are removed from the workspace. */
  notes: string[];
  /** Lines that are taken out of files of the workspace: only such as memory has written, unless quotes go too. */
  lines: Passage[];
  /** Of these lines, how many consolidation has written. */
  entries: number;
  /** Ids of the entries of consolidation among them that others speak for as well. */
  mixed: string[];
  /** Lines of the user's files that repeat what is forgotten; they stay unless quotes go too. */
  quotes: Passage[];
  /** Chunks that were removed; what is left of them was indexed anew. */
  chunks: number;
  /** Vectors that were removed. */
  vectors: number;
  /** Stored facts that are not recalled any more. */
  facts: number;
  /** Captures whose text was blanked. */
  captures: number;
  /** Waiting turns that were removed. */
  waiting: number;
  /** Records of the short-term memory that were removed. */
  shortTerm: number;
  /** Blocks in the log of prompts, which goes as a whole because they may quote anything; this is not undone. */
  prompts: number;
  /** Of them, those in prompts of the conversations, people or time that are forgotten. */
  promptsOfIt: number;
  /** Damaged files of automatic memory that were removed; this is not undone. */
  damaged: number;
  /** Standing intents that were removed. */
  intents: number;
  /** Claims of consolidation that were removed. */
  claims: number;
  /** Runs of consolidation of which the plan and the images of files were removed. */
  runs: number;
  /** Whether other gateways may have the same index: each erases what it can tell by hashes with its next update. */
  shared?: boolean;
  /** Whether another process was busy indexing; it removes the rest within a minute. */
  pending?: boolean;
  /** Why the rest of the changed files could not be embedded; they are found by keywords meanwhile. */
  embeddingError?: MemoryFailure;
};

/** What was put back. */
export type MemoryForgetUndone = {
  /** The id of what was undone. */
  id: string;
  /** Whether everything was put back that was taken out; else it was only let into the index again. */
  complete: boolean;
  /** Lines put back into files of the workspace. */
  lines: number;
  /** Notes put back. */
  notes: number;
  /** Notes that could not be put back, because something else has their name by now. */
  kept: string[];
  /** Captures, waiting turns and records of the short-term memory put back. */
  words: number;
  /** Standing intents put back. */
  intents: number;
  /** Claims of consolidation put back. */
  claims: number;
};

/** One thing that is forgotten, for people. */
export type ForgottenEntry = {
  /** The id of the act; it may have forgotten several things. */
  id: string;
  /** When, ISO 8601 in UTC. */
  at: string;
  /** `path`, `lines`, `session`, or `words` where nothing but automatic memory held it. */
  kind: string;
  /** The path or the session. */
  name: string;
  /** Number of lines. */
  lines?: number;
  /** Until when all that was taken out can be put back; none when it is too late, or nothing was. */
  undoUntil?: string;
  /** Whether it cannot be undone. */
  final?: boolean;
};

/** What a reset removed, or an index held. */
export type MemoryContents = {
  /** Files that were indexed. */
  files: number;
  /** Their chunks. */
  chunks: number;
  /** Vectors, which have to be made again. */
  vectors: number;
  /** Bytes given back to the file system; none in a database, which uses the room again by itself. */
  bytes?: number;
};

/** A copy of the index. */
export type MemoryCopy = {
  /** The copy. */
  path: string;
  /** Its size in bytes. */
  bytes: number;
  /** Indexed files in it. */
  files: number;
  /** Vectors in it. */
  vectors: number;
  /** The copy of the list of what is forgotten, when there is one. */
  forgotten?: string;
};

/** What restoring a copy comes to. */
export type MemoryRestoreReport = {
  /** The copy. */
  path: string;
  /** Whether nothing was done. */
  dryRun: boolean;
  /** The agent whose index it is a copy of; none where it does not say. */
  agent?: string;
  /** Indexed files in it. */
  files: number;
  /** Their chunks. */
  chunks: number;
  /** Vectors in it. */
  vectors: number;
  /** What it replaces. */
  replaced: MemoryContents;
  /** Where that is kept, to be restored again; none when it held nothing. */
  kept?: string;
  /** Acts of forgetting in the list of the copy of which the present list lacked something. */
  forgotten: number;
};

/** What was copied between a file and a database. */
export type StoreCopied = VectorsCopied & {
  /** The schema in the database. */
  schema: string;
  /** The file. */
  file: string;
  /** What was written down beside the index. */
  books: BooksCopied;
};

/** What a database keeps of an agent, for all gateways that share it. */
export type DatabaseRows = AgentRows & {
  /** The schema. */
  schema: string;
  /** The tenant. */
  tenant: string;
};

/** How the notes on this disk compare with those that an index in a database knows. */
export type MemoryAdoption = {
  /** Whether the index is of this workspace, or of nobody, so that there is nothing to take over. */
  ours: boolean;
  /** Notes that the index knows. */
  known: number;
  /** Those of them that are here, at their size. */
  same: number;
  /** Those that are here at another size, and would be read anew. */
  changed: number;
  /** Those that are not here, and would leave the index. */
  missing: number;
  /** Notes that are here and that the index does not know. */
  new: number;
  /** Whether the database keeps the notes themselves: what is missing comes from there, and nothing leaves the index. */
  kept: boolean;
  /** Whether an update changes nothing before the index is taken over. */
  foreign: boolean;
};

/**
 * The passages of the notes in the plane, those that are alike near each other. Conversations are not on it: who may see
 * which is a question for each by itself.
 */
export type MemoryMap = {
  /** Passages that have a vector. Where there are more than are shown, every second, third … is. */
  total: number;
  /** The paths of the notes, as in hits, with a zero character between two: one text is no work for the thread of a host. */
  paths: string;
  /**
   * [`POINT`] bytes for each passage, in base64, little-endian: the index of its note in `paths` and its first line (32
   * bits each), its place from the left and from above (65,535 is the whole width) and its day, in days since 1970 (16
   * bits each). The day is that in the note's name, else that of its last change.
   */
  points: string;
  /** What lies where, the largest first. */
  regions: MapRegion[];
};

/** Passages that are alike. */
export type MapRegion = {
  /** From the left, 0 to 65,535. */
  x: number;
  /** From above, 0 to 65,535. */
  y: number;
  /** Passages. */
  count: number;
  /** Words that most of them have and few others do. */
  name: string;
};

/** What a run is, as it is listed. */
export type ConsolidationRun = {
  /** Its id. */
  runId: string;
  /** planned, applying, applied, undone or failed. */
  state: string;
  /** When it was planned. */
  startedAt: string;
  /** Entries it adds. */
  added: number;
  /** Entries it moves to the archive. */
  moved: number;
  /** What stayed out, by reason. */
  refused: Record<string, number>;
  /** Tokens sent to a model. */
  inputTokens: number;
  /** Tokens a model answered with. */
  outputTokens: number;
  /** Whether it can be taken back. */
  undoable: boolean;
};

/** What a run does. */
export type ConsolidationPlan = {
  /** Its id. */
  runId: string;
  /** The file that changes. */
  path: string;
  /** Fingerprint of that file; the plan is stale when it has changed. */
  fileHash: string;
  /** Most characters of that file. */
  maxChars: number;
  /** New entries. */
  add: Addition[];
  /** Entries that are in use. */
  strengthen: Strengthened[];
  /** Entries that go to the archive. */
  move: Moved[];
  /** Claims that stay out, with the reason. */
  refused: Refused[];
  /** All refusals by reason. */
  refusedCounts: Record<string, number>;
  /** Model calls that the run needs. */
  modelCalls: number;
  /** What else is to be said. */
  notes: string[];
};

/** What was taken back. */
export type ConsolidationUndone = {
  /** The runs, latest first. */
  runs: string[];
  /** Entries that somebody has edited since: they stay. */
  kept: string[];
};

/** One thing that was looked at. */
export type DoctorCheck = {
  /** What was looked at. */
  name: string;
  /** Whether all is well now. */
  ok: boolean;
  /** What was found, in a sentence. */
  found: string;
  /** What was done about it; none when nothing was, or had to be. */
  did?: string;
  /** What the user can do, when it is not well. */
  remedy?: string;
};

/** The files of an index and those of the same agent's other workspaces beside it. */
export type IndexFiles = {
  /** Its files. */
  files: OurFile[];
  /** Folders that it has made for some of them, to be removed when they are empty. */
  folders: string[];
  /** What has the name of one of its files and is none: the file of another program, a folder or a link. */
  foreign: string[];
};

/** What lies in one folder. */
export type UnfinishedTexts = {
  /** The folder. */
  folder: string;
  /** How many such files. */
  files: number;
  /** Their bytes. */
  bytes: number;
};

/** A fact as it stands in a note. */
export type StoredFact = {
  /** UUID that follows from the words. */
  id: string;
  /** The words. */
  text: string;
  /** 0–1. */
  importance: number;
  /** What kind of fact. */
  category: Category;
  /** Begin of the day it was stored, in milliseconds since the epoch; 0 = unknown. */
  createdAt: number;
  /** The note, relative to the workspace. */
  path: string;
};

/** A fact with how near it is to what was asked. */
export type FactMatch = StoredFact & {
  /** `1 / (1 + squared distance)` of the vectors (M2), so 1 for the same and 0.2 for the opposite. */
  score: number;
};

/** The answer to a search among facts. */
export type FactAnswer = {
  /** Nearest first, and those with the numbers and names that were asked for; of those that are about as near, the newer. */
  matches: FactMatch[];
  /** Why only words were compared. */
  warning?: string;
};

/** What became of a fact to be stored. */
export type FactOutcome =
  | {
      action: "created";
      /** The fact as it stands there. */
      fact: StoredFact;
    }
  | {
      action: "duplicate";
      /** The fact that says the same. */
      fact: StoredFact;
    }
  | {
      action: "rejected";
      /** Why: `too-short`, `too-long`, `injection`, `recalled`, `secret`, `forgotten` or `removed`. */
      reason: string;
    };

/** What became of the rows of an import. */
export type FactImport = {
  /** Facts written, or that would be. */
  taken: number;
  /** Facts that memory holds already, or that came twice. */
  known: number;
  /**
   * Rows that are not to be kept: without usable words, too long, with a secret, an attempt to steer the model, or
   * forgotten.
   */
  refused: number;
};

/** What became of the rows. */
export type ImportOutcome = {
  /** Vectors stored (or that would be). */
  taken: number;
  /** Vectors that were there already. */
  known: number;
  /** Vectors of another length than those of the space. */
  otherLength: number;
  /** Blank texts, and vectors that are empty, zero or not finite. */
  unusable: number;
  /** Where they are only counted: the texts that need no vector any more, for a plan of what is left to pay. */
  wouldTake?: string[];
};

/** What became of them. */
export type ForgottenTaken = {
  /** Conversations that are kept out from now on (or would be). */
  taken: number;
  /** Conversations that were kept out already. */
  known: number;
  /** Names that no conversation can have. */
  refused: number;
};

/** What memory has to say about a message. */
export type Recall = {
  /** The passages, best first. */
  hits: MemoryHit[];
  /** As much of them as there is room for, as a block for the prompt; none when there is nothing to show. */
  block: string | null;
};

/** What was done with a turn. */
export type CaptureOutcome = {
  /** Facts written. */
  stored: number;
  /** Texts not kept. */
  skipped: number;
};

/** What became of a captured fact that was taken back. */
export type CaptureUndone = Unlearned & {
  /** Whether its note had it still. */
  removed: boolean;
};

/** A question to the user's model. */
export type ModelTask = {
  /** Names the question, for hosts that run each under a name. */
  id: string;
  /** What it is for, for example `memory-capture`; hosts book costs under it. */
  purpose: string;
  /** What the model is told about its task. */
  system: string;
  /** The question. */
  prompt: string;
  /** Provider of the model to ask; none = the user's. */
  provider: string | null;
  /** The model to ask; none = the user's. */
  model: string | null;
  /** Longest answer in tokens. */
  maxTokens: number;
  /** How long the answer is waited for, in milliseconds. */
  timeoutMs: number;
};

/** The files whose words are asked about. */
export type ProvenanceAsked = {
  /** The workspace. */
  workspaceDir: string;
  /** Its files. */
  files: FileAsked[];
};

/** A standing intent, with the fields of memory-core's. */
export type StandingIntent = {
  /** Its id. */
  id: string;
  /** What the model is reminded of. */
  description: string;
  /** See [`NewIntent::trigger_keywords`]. */
  triggerKeywords: string[];
  /** See [`NewIntent::unless`]. */
  unless?: string[];
  /** The channel, conversation or session it counts in, encoded; null is anywhere. */
  channelScope: string | null;
  /** Whose messages it counts for, encoded; null is anybody's. */
  senderScope: string | null;
  /** Who made it. */
  creatorSender: string | null;
  /** Where it stands. */
  status: IntentStatus;
  /** When it ends, in milliseconds since the epoch. */
  expiresAt: number;
  /** How often it comes up. */
  maxFires: number;
  /** How often it has come up. */
  fireCount: number;
  /** How long it rests after it came up. */
  cooldownSeconds: number;
  /** When it came up last. */
  lastFiredAt: number | null;
  /** When it was made. */
  createdAt: number;
  /** The session it was made in. */
  sourceSessionId: string | null;
  /** The turn that shows it now; stored apart from the intent. */
  reserved?: Reservation;
  /** What happened to it, oldest first. */
  history?: IntentEvent[];
};

/** An intent beside a message. */
export type TestedIntent = Mention & {
  /** The intent. */
  intent: StandingIntent;
  /** Whether it would come up now: it is armed and rested, and nothing of `unless` is mentioned. */
  ready: boolean;
};

/** What became of one text. */
export type CaptureEntry = {
  /** Name of the capture, for undo. */
  id: string;
  /** When, ISO 8601 in UTC. */
  ts: string;
  /** What became of it. */
  status: CaptureStatus;
  /** The fact as it is in the note, or the beginning of what was not kept; without secrets. */
  text: string;
  /** Why it was not kept. */
  reason?: string;
  /** The kind of fact. */
  category?: Category;
  /** The note it is in, relative to the workspace. */
  path?: string;
  /** The conversation it comes from. */
  sessionKey?: string;
  /** The id of that conversation, where the host told it. */
  sessionId?: string;
  /** Fingerprint of the message it comes from, so that a message is judged once. */
  message: string;
  /**
   * The messages that were judged with it, where the host told when they were said: it may hand one over once more with another
   * time than it had in its own turn.
   */
  heard?: Heard[];
};

/** A message that was passed on. */
export type Forwarded = {
  /** Fingerprint of its words. */
  print: string;
  /** Its id in its channel, where the host told it. */
  id?: string;
  /** When it was sent, in milliseconds since the epoch. */
  at: number;
};

/** What became of a text. */
export type CaptureStatus = "stored" | "skipped" | "undone";

/** What was put into a prompt. */
export type ShownPrompt = {
  /** When, in milliseconds since 1970. */
  at: number;
  /** Names it, for what is older. */
  id: string;
  /** What put it there. */
  part: PromptPart;
  /** How long that took, in milliseconds. */
  ms: number;
  /** The key of the conversation. */
  sessionKey: string;
  /** The block as the model saw it; of a very long one its beginning. */
  text: string;
};

/** Some of the log. */
export type PromptPage = {
  /** Newest first. */
  prompts: ShownPrompt[];
  /** After which older ones go on; null where there are none. */
  next: string | null;
};

/** What the answers of one model to one kind of question cost in a month. */
export type Answers = {
  /** `2026-11` */
  month: string;
  /** What was asked for: `active-memory`, `consolidation`, `memory-capture`, … */
  purpose: string;
  /** The provider, as the host names it. */
  provider: string;
  /** The model. */
  model: string;
  /** Questions. */
  requests: number;
  /** Tokens of the questions, cached ones included. */
  inputTokens: number;
  /** Tokens of the answers. */
  outputTokens: number;
  /** What the host says that those of `costed` cost, in US dollars. */
  hostCost: number;
  /** Questions of which the host said it. */
  costed: number;
};

/** What tokens cost, by a million, in the user's currency. */
export type ModelPrice = {
  /** A provider, or `provider/model`. */
  of: string;
  /** Tokens that are sent. */
  input: number;
  /** Tokens that are answered; as those that are sent where nothing is said. */
  output?: number;
};

/** What the host is asked. */
export type SessionRequest =
  | {
      kind: "list";
    }
  | {
      kind: "read";
      /** Key of the conversation. */
      sessionKey: string;
      /** Id of the conversation. */
      sessionId: string;
      /** The host's own mark; none = from the beginning. */
      cursor?: string;
    };

/** Everything the engine needs to know about one agent. */
export type ResolvedSettings = {
  /** The agent's id, normalised as the host does. */
  agentId: string;
  /** Absolute path of the agent's workspace (A4). */
  workspaceDir: string;
  /** Absolute path of the host's state directory. */
  stateDir: string;
  /** The agent's file of short-term memory. */
  shortTermFile: string;
  /** Absolute path of our own database file (B1; `store.path` with `{agentId}`). */
  databasePath: string;
  /** The database that the index is kept in; none = in that file. */
  database: DatabaseSettings | null;
  /** IANA name of the user's time zone; none = the machine's. */
  timeZone: string | null;
  /** Which sources are indexed. */
  sources: Sources;
  /**
   * Whether conversations are searched by whoever asks. Indexed ones that are not are searched only for a call that
   * names those it may see.
   */
  searchesSessions: boolean;
  /** Conversations that nothing is taken from. */
  excludedSessions: ExcludedSessions;
  /** Extra files, folders and globs to index: as written, `~` expanded, trimmed and without repetitions (A6). */
  extraPaths: string[];
  /** Which of them the user vouches for, in the same form. */
  curatedPaths: string[];
  /** Pictures and sounds below extra paths; none = only text is indexed. */
  multimodal: Multimodal | null;
  /** Largest Markdown file that is read, in bytes; default 16 MiB. Larger files are skipped with a reason. */
  maxFileBytes: number;
  /** What a million tokens of the embedding model cost, in the user's currency; none = not known. */
  pricePerMillionTokens: number | null;
  /** What a search does while the embedding provider fails. */
  onOutage: OnOutage;
  /** What happens when another model answers under the same name. */
  rebuild: Rebuild;
  /** How much `memory_get` returns at a time (P11). */
  excerpt: ExcerptSettings;
  /** The embedding provider (D). */
  provider: ProviderSettings;
  /** Chunk sizes (C1). */
  chunking: Chunking;
  /** Ranking and limits (F). */
  query: QuerySettings;
  /** Synchronisation triggers (E). */
  sync: SyncSettings;
  /** Embedding cache (B7). */
  cache: CacheSettings;
  /** FTS5 tokenizer of the `memory-core` ranking (B8). */
  ftsTokenizer: FtsTokenizer;
  /** Whether vectors are used at all (B5). */
  vectorEnabled: boolean;
  /** `memory.citations` (G5). */
  citations: Citations;
};

/** The parts of the automatic memory. Each is off until it is switched on. */
export type AutomaticSettings = {
  /** Search with every user message and show what is found to the model; default false. */
  autoRecall: boolean;
  /** Most memories shown (K2); default 5, 1–20. */
  autoRecallMaxResults: number;
  /** Shortest message searched with, in characters (K2); default 5. */
  autoRecallMinPromptLength: number;
  /** Lowest score shown, 0–1, where meaning was searched (K2, K3); default 0.3. */
  autoRecallMinScore: number;
  /** What is shown where nothing fits for sure. */
  autoRecallUnsure: Unsure;
  /** Longest a reply waits for memories, in milliseconds; default 300, 20–5000. */
  autoRecallTimeoutMs: number;
  /** Longest block in characters; default 4000, 500–20,000. */
  autoRecallMaxChars: number;
  /** Show curated lines by their trigger phrases, with `auto_recall`; default false. */
  triggerRecall: boolean;
  /** Keep facts that the user states; default false. */
  autoCapture: boolean;
  /** Default `rules`. */
  autoCaptureMode: CaptureMode;
  /** Messages of a turn that are looked at (K2); default 10, 1–50. */
  autoCaptureMaxMessages: number;
  /** Facts kept from one turn (M4); default 3, 1–20. */
  autoCaptureMaxFacts: number;
  /** Keep facts of messages that are compacted without the host's flush before; default false. */
  captureOnCompaction: boolean;
  /** The last turns, word for word. */
  shortTerm: ShortTerm;
  /** The log of what was put into prompts. */
  promptHistory: PromptHistory;
  /** A note of every conversation that ends. */
  sessionNotes: SessionNotes;
  /** The tools that store facts, find and forget them. */
  storedFacts: StoredFacts;
  /** The right memories in the prompt, with the help of a model where the search is not sure. */
  activeMemory: ActiveMemory;
};

/** Limits (J5). Lengths are user-perceived characters. */
export type ShortTermLimits = {
  /** Lines until the file is rotated; default 10,000. */
  maxEntries: number;
  /** Turns injected; default 20. */
  maxInjectEntries: number;
  /** Default 100. */
  maxTaskChars: number;
  /** Default 200. */
  maxInputChars: number;
  /** Default 300. */
  maxOutputChars: number;
  /** Default 5. */
  maxTags: number;
};

/** The notes in the database, as `status` tells of them. */
export type MemoryNotesStatus = {
  /** Notes that the workspace and the database have. */
  notes: number;
  /** When something was last exchanged, or found to be the same without a record of that, in milliseconds since the epoch; none = never. */
  exchangedAtMs?: number;
  /** Texts that are kept beside another, until somebody deletes or renames them. */
  conflicts: string[];
  /** Notes that could not be exchanged the last time. */
  refused: number;
  /** Why nothing is exchanged and nothing indexed, and what ends it; none when all is well. */
  stopped?: string;
};

/** Something that was left out. */
export type SkippedFile = {
  /** The path in the form that results use. */
  path: string;
  /** Why. */
  code: SkipCode;
  /** Why, for people. */
  reason: string;
};

/** What is known about a passage: what its lines say about themselves, and where it comes from. */
export type About = {
  /** 1 to 10. */
  importance?: number;
  /** Phrases that bring it back, with `; ` between them, as hosts read them. */
  triggers?: string;
  /** Keys of its projects, likewise. */
  projectKey?: string;
  /** Where it comes from. */
  provenance?: Provenance;
};

/** What a second search should ask for, where the notes say more than was shown. */
export type More = {
  /** The question. */
  query: string;
  /** Results that are known by then. */
  after: number;
};

/** An outage of the embedding provider, as an answer by words alone tells it. */
export type Degraded = {
  /** The provider that is set. */
  provider: string;
  /** What went wrong. */
  reason: string;
  /** Since when it is known, ISO 8601 in UTC. */
  since: string;
  /** What helps, when there is something to do. */
  action?: string;
};

/** A lost folder. */
export type LostFolder = {
  /** The workspace, or what an extra path names. */
  path: string;
  /** Why it counts as lost. */
  loss: Loss;
  /** Notes that were known there when it was lost. */
  notes: number;
  /** Notes that are kept although they are not found. */
  missing: number;
};

/** Whether there was a file. */
export type ExcerptStatus = "ok" | "not_found";

/** A passage that is forgotten. */
export type Passage = {
  /** The file. */
  path: string;
  /** First line, from 1. */
  startLine: number;
  /** Last line, inclusive. */
  endLine: number;
  /** How it begins. */
  text: string;
};

/** What was copied from a store to another. */
export type VectorsCopied = {
  /** Vectors that the other one has now. */
  vectors: number;
  /** Those of them that it had already. */
  known: number;
};

/** What was copied besides vectors; what was there already counts too. */
export type BooksCopied = {
  /** Days and models that embedding cost something. */
  costs: number;
  /** Texts that a provider refused. */
  refusals: number;
  /** Texts with vectors of their lines. */
  lines: number;
  /** Sentences with evidence for them. */
  claims: number;
  /** Runs of consolidation, but for one that is being applied. */
  runs: number;
};

/** How much is kept of an agent. */
export type AgentRows = {
  /** Notes with their texts. */
  notes: number;
  /** Files of the index. */
  files: number;
  /** Their chunks. */
  chunks: number;
  /** Acts of forgetting. */
  forgotten: number;
};

/** An entry to be added. */
export type Addition = {
  /** Its id in the file. */
  id: string;
  /** The statement. */
  text: string;
  /** The line as it is written. */
  line: string;
  /** Where it comes from. */
  sources: SourceRef[];
  /** The claims it stands for. */
  claims: string[];
  /** Days they were met on. */
  days: number;
  /** How often. */
  uses: number;
  /** Whose words. */
  origin: string;
  /** Entries that it replaces. */
  replaces: string[];
};

/** An entry that evidence speaks for once more. */
export type Strengthened = {
  /** The entry. */
  id: string;
  /** The claim. */
  claim: string;
};

/** An entry that goes to the archive. */
export type Moved = {
  /** Its id. */
  id: string;
  /** Its line. */
  line: string;
  /** Whether there was no room, or something newer says otherwise. */
  reason: string;
};

/** A claim that stays out. */
export type Refused = {
  /** The claim. */
  id: string;
  /** Its words. */
  text: string;
  /** Why. */
  code: string;
};

/** One file of an index. */
export type OurFile = {
  /** Where it is. */
  path: string;
  /** Its size. */
  bytes: number;
};

/** What kind of fact a memory is (M6). */
export type Category = "preference" | "fact" | "decision" | "entity" | "other";

/** What became of the entries of claims that were taken back. */
export type Unlearned = {
  /** Entries that were taken out of the memory file or its archive. */
  learned: number;
  /**
   * Runs whose entries still stand there: something else speaks for them, or somebody has changed them, unless `failed` says
   * otherwise.
   */
  left: string[];
  /** Why nothing could be taken out. */
  failed?: string;
  /** Why the diary, DREAMS.md, still tells of it. */
  diary?: string;
};

/** One of them. */
export type FileAsked = {
  /** As results name it. */
  path: string;
  /** Equal as long as the file is the same and nobody has written to it; none when it is gone. */
  state?: string;
  /** When it was written last, in milliseconds since the epoch. */
  modifiedMs?: number;
  /** Whether the user vouches for it, wherever it lies. */
  vouched?: boolean;
};

/** Where an intent stands. */
export type IntentStatus = "pending" | "armed" | "fired" | "done" | "expired" | "cancelled";

/** A turn that shows an intent and has not ended. */
export type Reservation = {
  turn: string;
  at: number;
};

/** One thing that happened to an intent. */
export type IntentEvent = {
  /** `created`, `imported`, `fired`, `returned`, `cancelled`. */
  what: string;
  /** When, in milliseconds since the epoch. */
  at: number;
};

/** What brought an intent up, or kept it down. */
export type Mention = {
  /** The keyword that the message mentions. */
  keyword: string;
  /** The keyword of `unless` that it mentions as well. */
  unless?: string;
};

/** A message as it was in its own turn. */
export type Heard = {
  /** Fingerprint of its words. */
  words: string;
  /** When it was said, in milliseconds since the epoch. */
  at: number;
};

/** What put something into a prompt. */
export type PromptPart = "recall" | "short-term-memory" | "active-memory" | "intents";

/** A PostgreSQL database. Its address is no setting: it has a password in it, and arrives resolved. */
export type DatabaseSettings = {
  /** The schema that all tables are in; default `openclaw_memory`. */
  schema: string;
  /** Whose memory: agents of one tenant share their vectors; default `default`. */
  tenant: string;
  /** How the way to it is protected; default [`DatabaseSsl::Auto`]. */
  ssl: DatabaseSsl;
  /** A file of the certificates that are trusted; none = those of the system. */
  sslRootCert: string | null;
  /** Most connections of the process, 1–64; default 4. */
  poolSize: number;
  /** How long connecting may take, in milliseconds; default 3,000. */
  connectTimeoutMs: number;
  /** How long a statement may take, in milliseconds; default 30,000. */
  statementTimeoutMs: number;
  /** How long what was read of an index may be taken for unchanged, in milliseconds, 0–60,000; default 0. */
  maxStalenessMs: number;
  /** Most megabytes of words and passages kept in memory, 1–4,096; default 64. */
  cacheMb: number;
  /** Where vectors are compared; default [`NearIn::Auto`]. */
  search: NearIn;
  /** Most megabytes of the vectors of an agent in memory with that, 1–65,536; default 256. */
  arenaMaxMb: number;
  /** Whether tables are made, and brought to this version; default yes. */
  migrate: boolean;
  /** Whether the notes themselves are kept there, and exchanged with the workspace; default no. */
  notes: boolean;
};

/** Which sources are indexed. */
export type Sources = {
  /** `MEMORY.md`, `memory/**` and extra paths; default on. */
  memory: boolean;
  /** Session transcripts; default off. */
  sessions: boolean;
};

/** Conversations that are left out. Each list by itself is enough. */
export type ExcludedSessions = {
  /** Sources of hooks that begin conversations, such as `gmail`. */
  hookExternalContentSources: string[];
  /** Channels, such as `telegram`. */
  channels: string[];
  /** `direct`, `group` or `channel`. */
  chatTypes: string[];
};

/** Which pictures and sounds are indexed. */
export type Multimodal = {
  /** Whether pictures are. */
  image: boolean;
  /** Whether sounds are. */
  audio: boolean;
  /** Largest file in bytes. */
  maxFileBytes: number;
  /** What the provider takes. */
  takes: Takes;
};

/** What a search does while the embedding provider fails. */
export type OnOutage = "keywords" | "fail";

/** What happens when another model answers under the same name. */
export type Rebuild = "ask" | "auto";

/** How much `memory_get` returns at a time (P11). */
export type ExcerptSettings = {
  /** Lines, when the caller names no number; default 120. */
  lines: number;
  /** UTF-16 units of text, whatever the caller asks; default 12,000. */
  chars: number;
};

/** How text becomes vectors. Address, key and headers travel beside it, see `embed::account::Account`. */
export type ProviderSettings = {
  /** The requested provider id: `auto`, `none`, `embedded`, `openai`, `gemini`, … */
  id: string;
  /** The requested model; none = the provider's default (D1–D6). */
  model: string | null;
  /** Used when the primary fails (D8); none = no fallback. */
  fallback: string | null;
  /** Requested output dimensions. */
  dimensions: number | null;
  /** Input type of queries, for asymmetric models. */
  queryInputType: string | null;
  /** Input type of documents, for asymmetric models. */
  documentInputType: string | null;
  /** `local.modelPath`: a GGUF file or an `hf:` URI. */
  localModelPath: string | null;
  /** `local.modelCacheDir`. */
  localModelCacheDir: string | null;
  /** `local.queryPrefix`: what an encoder of the user's gets before a question. */
  localQueryPrefix: string | null;
  /** `local.documentPrefix`: the same before a text to be found. */
  localDocumentPrefix: string | null;
  /** Asynchronous batch API (D11). */
  batch: BatchSettings;
  /** Requests in flight over all files, 1–16; default 4. */
  concurrency: number;
  /** Time limit of one query embedding in milliseconds (D14); default 60,000. */
  queryTimeoutMs: number;
  /** Time limit of one document request in milliseconds (D14); default 120,000. */
  documentTimeoutMs: number;
  /** Where notes lose their secrets; default: on their way to a provider elsewhere. */
  redactSecrets: RedactSecrets;
};

/** Chunk sizes in tokens of about four characters (C1). */
export type Chunking = {
  /** Size of a chunk, ≥ 1; default 400. */
  tokens: number;
  /** Carried over from the chunk before, `0..=tokens - 1`; default 80. */
  overlap: number;
};

/** Ranking and limits (F). */
export type QuerySettings = {
  /**
   * Results of a search, ≥ 1 (F1). None = as many as `budget_chars` has room for in the native ranking, six in that of
   * memory-core.
   */
  maxResults: number | null;
  /** Characters of snippets that a search may show where nobody says how many results; default 4,200. */
  budgetChars: number;
  /** Lowest score kept, 0–1; none = the ranking's own default (`memory-core`: 0.35). */
  minScore: number | null;
  /** Which ranking; default native. */
  ranking: Ranking;
  /** Time limit of a whole search in milliseconds; default 30,000 (P11). */
  deadlineMs: number;
  /** Keyword and vector legs together (F11); default on. */
  hybridEnabled: boolean;
  /** Normalised so that both weights sum to 1; default 0.7 (F6). */
  vectorWeight: number;
  /** Default 0.3 (F6). */
  textWeight: number;
  /** Candidates per leg = results × this, 1–20; default 4 (F2). */
  candidateMultiplier: number;
  /** Recency decay (F7). None = the ranking's own default. */
  decayEnabled: boolean | null;
  /** Days until a dated note weighs half; default 30. */
  halfLifeDays: number;
  /** Maximal marginal relevance (F8). None = the ranking's own default. */
  mmrEnabled: boolean | null;
  /** 1 = relevance only; default 0.7. */
  mmrLambda: number;
};

/** Synchronisation triggers (E). */
export type SyncSettings = {
  /** Watch the file system; default on (E1). */
  watch: boolean;
  /** Quiet time after the last event in milliseconds; default 1500. */
  watchDebounceMs: number;
  /** A search starts a background sync while changes are known that are not indexed; default on (E2). */
  onSearch: boolean;
  /** Sync when a session starts; default on (E3). */
  onSessionStart: boolean;
  /** Minutes between syncs, 0 = off; default 0 (E4). */
  intervalMinutes: number;
  /** The host's sync after a compaction is done; default on (E6). */
  postCompaction: boolean;
  /** Transcript bytes that start a sync; default 100,000 (E5). */
  sessionDeltaBytes: number;
  /** Transcript messages that start a sync; default 50 (E5). */
  sessionDeltaMessages: number;
  /** Seconds between stat-only reconciliations while `watch` is on; default 60. */
  reconcileSeconds: number;
};

/** Embedding cache (B7). */
export type CacheSettings = {
  /** Keep vectors of texts that are no longer in the workspace; default on. */
  enabled: boolean;
  /** Most vectors kept beyond the live ones, ≥ 1; none = unbounded. */
  maxEntries: number | null;
};

/** FTS5 tokenizer of the `memory-core` ranking (B8). */
export type FtsTokenizer = "unicode61" | "trigram";

/** Whether results carry `Source: path#L1-L2` (G5). */
export type Citations = "auto" | "on" | "off";

/** What is shown beside a message that asks for something of the user's where nothing found fits for sure. */
export type Unsure = "nothing" | "nearest";

/** How facts are found in a conversation. */
export type CaptureMode = "rules" | "extract";

/** Short-term memory (J1–J6). */
export type ShortTerm = ShortTermLimits & {
  /** Default false. */
  enabled: boolean;
  /**
   * The file; default `<state>/memory/short-term.jsonl` for the default agent, which takes over the file of the
   * plugin of that name, and a file of its own for every other agent.
   */
  path: string | null;
  /**
   * Whether the people whom the host keeps apart see each other's turns; default false. For one person who writes to the
   * agent over several channels.
   */
  acrossPeople: boolean;
};

/** What was put into prompts, as the model saw it. */
export type PromptHistory = {
  /** Days that it is kept; default 30, 0–3650, 0 = nothing is. */
  days: number;
};

/** Session notes (H5). */
export type SessionNotes = {
  /** Default false. */
  enabled: boolean;
  /** Messages kept, counted from the end; default 15, 1–200. */
  messages: number;
  /** What the note is called after; default `time`. */
  slug: Slug;
};

/** Stored facts (M1–M7). */
export type StoredFacts = {
  /** Default false. */
  enabled: boolean;
};

/** Active memory of one agent. */
export type ActiveMemory = {
  /** Default false. */
  enabled: boolean;
  /** The agents it runs for; default: every agent for which it is switched on. */
  agents: string[] | null;
  /** Default `[direct]`. */
  allowedChatTypes: ChatType[];
  /** When not empty, no other conversation. */
  allowedChatIds: string[];
  /** Never these. */
  deniedChatIds: string[];
  /** Default `escalate`. */
  mode: Mode;
  /** Default `single`. */
  engine: Engine;
  /** What an agent may use; default: our search and our reader of files. */
  toolsAllow: string[];
  /** Default: as the conversation. */
  fastMode: FastMode | null;
  /** What an agent may take beside `timeoutMs` to begin, in milliseconds; default 0, 0–30,000. */
  setupGraceTimeoutMs: number;
  /** Default `pick`. */
  answer: Answer;
  /** `provider/model`; default: the conversation's, where the operator allows that, else the agent's. */
  model: string | null;
  /** The same, for an agent that has no model. */
  modelFallback: string | null;
  /** Default `off`. */
  thinking: Thinking;
  /** Longest a reply waits, in milliseconds; default 2500, of an agent 15,000; 250–120,000. */
  timeoutMs: number;
  /** How long a call that missed its limit runs on, for the next turn, in milliseconds; default 10,000, 0–30,000. */
  lateMs: number;
  /** Default `recent`. */
  queryMode: QueryMode;
  /** Default by `queryMode`: message → strict, recent → balanced, full → contextual. */
  promptStyle: PromptStyle | null;
  /** Instructions in place of ours; at most 1500 characters. */
  promptOverride: string | null;
  /** Instructions beside them; at most 800 characters. */
  promptAppend: string | null;
  /** Longest summary; default 220, 40–1000. */
  maxSummaryChars: number;
  /** Turns of the user before the newest message; default 2, 0–4. */
  recentUserTurns: number;
  /** Turns of the assistant; default 1, 0–3. */
  recentAssistantTurns: number;
  /** Most of each; default 220, 40–1000. */
  recentUserChars: number;
  /** Most of each; default 180, 40–1000. */
  recentAssistantChars: number;
  /**
   * How long an answer is kept for the same question over the same passages, in milliseconds; default 600,000,
   * 1000–3,600,000.
   */
  cacheTtlMs: number;
  /** Calls in a row that may fail before none is made for a while; default 3, 1–20. */
  circuitBreakerMaxTimeouts: number;
  /** That while, in milliseconds; default 60,000, 5000–600,000. */
  circuitBreakerCooldownMs: number;
  /** Confidence below which a passage is no clue, 0–1; default 0.15. */
  floor: number;
  /** Confidence above which no model is asked, 0–1; default 1. */
  sure: number;
  /** Passages that a model is shown; default 8, 1–16. */
  maxPassages: number;
  /** Most of the newest message that it is shown; default 1000, 200–4000. */
  maxQueryChars: number;
  /** A line in the log for every turn; default false. */
  logging: boolean;
  /** Keep what was asked and answered; default false. */
  persistTranscripts: boolean;
  /** Folder for that, below our own; default `active-memory`. */
  transcriptDir: string;
};

/** Why something was left out. The text form is stored and shown in `status`. */
export type SkipCode = "link" | "unreadable" | "not-regular" | "too-large" | "too-deep" | "too-many" | "ignored" | "missing" | "invalid-name" | "invalid-pattern" | "not-markdown" | "forgotten" | "wrong-content" | "other-encoding";

/** Where a passage comes from. */
export type Provenance = {
  /** Whose words it holds. */
  originClass: OriginClass;
  /** The kind of session that they come from. */
  sessionKind: SessionKind;
  /** Since when they are known in this form, in milliseconds since the epoch. */
  observedAt: number;
};

/** Why a folder counts as lost. */
export type Loss = "missing" | "unreadable" | "replaced" | "emptied";

/** Where a claim was read. */
export type SourceRef = {
  /** The note; empty for what was said. */
  path: string;
  /** Its line. */
  line: number;
  /** Fingerprint of the sentence: the plan is stale when it is no longer there. */
  hash: string;
};

/** How the way to a database is protected. */
export type DatabaseSsl = "auto" | "verify-full" | "require" | "disable";

/** Where the vectors of an index in a database are compared with a question. */
export type NearIn = "auto" | "local" | "database";

/** What the provider takes. */
export type Takes = "text" | "gemini" | "any";

/** Asynchronous batch API of a provider (D11). */
export type BatchSettings = {
  /** Default off, as in today's host. */
  enabled: boolean;
  /** Whether an index run waits for the batch; default true. */
  wait: boolean;
  /** Jobs at a time, ≥ 1; default 2. */
  concurrency: number;
  /** Pause between polls in milliseconds; default 2000. */
  pollIntervalMs: number;
  /** Give up after this many minutes; default 60. */
  timeoutMinutes: number;
};

/** Where notes lose their secrets. The files themselves are never changed. */
export type RedactSecrets = "never" | "remote" | "always";

/** Which ranking answers a search. */
export type Ranking = "native" | "memory-core";

/** Last part of a session note's name. */
export type Slug = "time" | "model";

/** A kind of conversation. */
export type ChatType = "direct" | "group" | "channel" | "explicit";

/** When a model is asked. */
export type Mode = "escalate" | "always" | "native" | "off";

/** How a model is asked. */
export type Engine = "single" | "agent";

/** Whether an agent answers in the host's fast mode. */
export type FastMode =
  | boolean
  | Auto;

/** What the model gives. */
export type Answer = "pick" | "summary";

/** How much the model may think; where the host lets a plugin say. */
export type Thinking = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "adaptive" | "max";

/** How much of the conversation the model sees. */
export type QueryMode = "message" | "recent" | "full";

/** How readily memories are shown. */
export type PromptStyle = "balanced" | "strict" | "contextual" | "recall-heavy" | "precision-heavy" | "preference-only";

/** Whose words a passage holds, the most trusted first. */
export type OriginClass = "owner" | "agent" | "untrusted" | "system";

/** The kind of session that words come from. */
export type SessionKind = "interactive" | "unknown";

/** The host decides. */
export type Auto = "auto";
