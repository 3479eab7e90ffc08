//! Every setting that the resolver reads, with its default and its range. Made of `crates/model/settings.toml` by
//! `npm run settings`.

use super::{automatic, setting::*, settings};

/// Settings that hold others.
pub(super) const GROUPS: [&str; 21] = ["dreaming", "remote", "remote.batch", "local", "index", "chunking", "query", "query.hybrid", "query.hybrid.temporalDecay", "query.hybrid.mmr", "sync", "sync.sessions", "cache", "store", "store.fts", "store.vector", "memoryGet", "experimental", "shortTerm", "sessionNotes", "storedFacts"];

/// Whether memory is searched at all. Default: true.
pub(super) const ENABLED: Switch = Switch { key: "enabled", default: true };

/// What is indexed: files of the workspace, transcripts of sessions. Default: memory.
pub(super) const SOURCES: Special = Special { key: "sources" };

/// Further files, folders or globs, absolute or relative to the workspace.
pub(super) const EXTRA_PATHS: Special = Special { key: "extraPaths" };

/// Larger files are skipped and reported. Default: 16777216.
pub(super) const MAX_FILE_BYTES: Integer = Integer { key: "maxFileBytes", range: 65_536..=268_435_456, default: 16_777_216 };

/// Time zone of dated notes and time words, for example Europe/Berlin. Default: the user's.
pub(super) const TIME_ZONE: OptionalText = OptionalText { key: "timeZone" };

/// Whether results name their source: auto = in direct chats only. Default: auto.
pub(super) const CITATIONS: Choice<settings::Citations> = Choice { key: "citations", words: &[("auto", settings::Citations::Auto), ("on", settings::Citations::On), ("off", settings::Citations::Off)], default: settings::Citations::Auto };

/// Embedding provider: auto, none (keywords only), embedded, openai, openai-compatible, gemini, voyage, mistral, ollama, or one of the host. Default: auto.
pub(super) const PROVIDER: Text = Text { key: "provider", default: "auto" };

/// Embedding model. Default: the provider's.
pub(super) const MODEL: OptionalText = OptionalText { key: "model" };

/// Provider to use when the first one fails, or none. Default: none.
pub(super) const FALLBACK: OptionalText = OptionalText { key: "fallback" };

/// Input type sent for queries and documents, for asymmetric models.
pub(super) const INPUT_TYPE: OptionalText = OptionalText { key: "inputType" };

/// Input type sent for queries.
pub(super) const QUERY_INPUT_TYPE: OptionalText = OptionalText { key: "queryInputType" };

/// Input type sent for documents.
pub(super) const DOCUMENT_INPUT_TYPE: OptionalText = OptionalText { key: "documentInputType" };

/// Length of the vectors, where the model lets one choose.
pub(super) const OUTPUT_DIMENSIONALITY: OptionalInteger = OptionalInteger { key: "outputDimensionality", range: 1..=65_536 };

/// Requests in flight. Default: 4.
pub(super) const REMOTE_NON_BATCH_CONCURRENCY: Integer = Integer { key: "remote.nonBatchConcurrency", range: 1..=16, default: 4 };

/// Time limit of a query, in milliseconds. Default: 60000, on this machine 300000.
pub(super) const REMOTE_QUERY_TIMEOUT_MS: Integer = Integer { key: "remote.queryTimeoutMs", range: 100..=86_400_000, default: 60_000 };

/// The same for providers on this machine.
pub(super) const REMOTE_QUERY_TIMEOUT_MS_LOCAL: u64 = 300_000;

/// Time limit of a request for documents, in milliseconds. Default: 120000, on this machine 600000.
pub(super) const REMOTE_DOCUMENT_TIMEOUT_MS: Integer = Integer { key: "remote.documentTimeoutMs", range: 100..=86_400_000, default: 120_000 };

/// The same for providers on this machine.
pub(super) const REMOTE_DOCUMENT_TIMEOUT_MS_LOCAL: u64 = 600_000;

/// Use them. Default: false.
pub(super) const REMOTE_BATCH_ENABLED: Switch = Switch { key: "remote.batch.enabled", default: false };

/// Whether indexing waits for them. Default: true.
pub(super) const REMOTE_BATCH_WAIT: Switch = Switch { key: "remote.batch.wait", default: true };

/// Jobs at a time. Default: 2.
pub(super) const REMOTE_BATCH_CONCURRENCY: Integer = Integer { key: "remote.batch.concurrency", range: 1..=64, default: 2 };

/// Pause between two looks, in milliseconds. Default: 2000.
pub(super) const REMOTE_BATCH_POLL_INTERVAL_MS: Integer = Integer { key: "remote.batch.pollIntervalMs", range: 0..=86_400_000, default: 2000 };

/// Give up after this many minutes. Default: 60.
pub(super) const REMOTE_BATCH_TIMEOUT_MINUTES: Integer = Integer { key: "remote.batch.timeoutMinutes", range: 1..=10_080, default: 60 };

/// File of the model, or an hf: address.
pub(super) const LOCAL_MODEL_PATH: OptionalText = OptionalText { key: "local.modelPath" };

/// Folder for downloaded models.
pub(super) const LOCAL_MODEL_CACHE_DIR: OptionalText = OptionalText { key: "local.modelCacheDir" };

/// Takes passwords, keys and the like out of notes: remote = only of what a provider on another machine gets, true = out of the index too, false = nowhere. The files stay as they are. Default: remote.
pub(super) const INDEX_REDACT_SECRETS: Special = Special { key: "index.redactSecrets" };

/// Tokens of about four characters. Default: 400.
pub(super) const CHUNKING_TOKENS: Integer = Integer { key: "chunking.tokens", range: 1..=1_000_000, default: 400 };

/// Tokens repeated from the piece before. Default: 80.
pub(super) const CHUNKING_OVERLAP: Integer = Integer { key: "chunking.overlap", range: 0..=1_000_000, default: 80 };

/// Most results. Default: 6.
pub(super) const QUERY_MAX_RESULTS: Integer = Integer { key: "query.maxResults", range: 1..=10_000, default: 6 };

/// Lowest score kept. Default: the ranking's own.
pub(super) const QUERY_MIN_SCORE: OptionalNumber = OptionalNumber { key: "query.minScore", range: 0.0..=1.0 };

/// native = line-exact ranking of this engine; memory-core = the documented scoring of memory-core. Default: native.
pub(super) const QUERY_RANKING: Choice<settings::Ranking> = Choice { key: "query.ranking", words: &[("native", settings::Ranking::Native), ("memory-core", settings::Ranking::MemoryCore)], default: settings::Ranking::Native };

/// Time limit of a search in milliseconds; what is there by then is returned. Default: 30000.
pub(super) const QUERY_DEADLINE_MS: Integer = Integer { key: "query.deadlineMs", range: 100..=86_400_000, default: 30_000 };

/// Off means vectors only. Default: true.
pub(super) const QUERY_HYBRID_ENABLED: Switch = Switch { key: "query.hybrid.enabled", default: true };

/// Ranking memory-core: share of meaning. Default: 0.7.
pub(super) const QUERY_HYBRID_VECTOR_WEIGHT: Number = Number { key: "query.hybrid.vectorWeight", range: 0.0..=1.0, default: 0.7 };

/// Ranking memory-core: share of words. Default: 0.3.
pub(super) const QUERY_HYBRID_TEXT_WEIGHT: Number = Number { key: "query.hybrid.textWeight", range: 0.0..=1.0, default: 0.3 };

/// Ranking memory-core: candidates per result. Default: 4.
pub(super) const QUERY_HYBRID_CANDIDATE_MULTIPLIER: Integer = Integer { key: "query.hybrid.candidateMultiplier", range: 1..=20, default: 4 };

/// Whether they do. Default: the ranking's own.
pub(super) const QUERY_HYBRID_TEMPORAL_DECAY_ENABLED: OptionalSwitch = OptionalSwitch { key: "query.hybrid.temporalDecay.enabled" };

/// Days until a note counts half. Default: 30.
pub(super) const QUERY_HYBRID_TEMPORAL_DECAY_HALF_LIFE_DAYS: Integer = Integer { key: "query.hybrid.temporalDecay.halfLifeDays", range: 1..=1_000_000, default: 30 };

/// Whether they are preferred. Default: the ranking's own.
pub(super) const QUERY_HYBRID_MMR_ENABLED: OptionalSwitch = OptionalSwitch { key: "query.hybrid.mmr.enabled" };

/// 1 = relevance only. Default: 0.7.
pub(super) const QUERY_HYBRID_MMR_LAMBDA: Number = Number { key: "query.hybrid.mmr.lambda", range: 0.0..=1.0, default: 0.7 };

/// Watch the files. Default: true.
pub(super) const SYNC_WATCH: Switch = Switch { key: "sync.watch", default: true };

/// Quiet time after a change, in milliseconds. Default: 1500.
pub(super) const SYNC_WATCH_DEBOUNCE_MS: Integer = Integer { key: "sync.watchDebounceMs", range: 0..=86_400_000, default: 1500 };

/// A search starts an update in the background while changes are known that are not indexed. Default: true.
pub(super) const SYNC_ON_SEARCH: Switch = Switch { key: "sync.onSearch", default: true };

/// Update when a session starts. Default: true.
pub(super) const SYNC_ON_SESSION_START: Switch = Switch { key: "sync.onSessionStart", default: true };

/// Minutes between updates, 0 = none. Default: 0.
pub(super) const SYNC_INTERVAL_MINUTES: Integer = Integer { key: "sync.intervalMinutes", range: 0..=525_600, default: 0 };

/// While watch is on: seconds between comparisons of disk and index, in case an event was lost. Without watch there are none. Default: 60.
pub(super) const SYNC_RECONCILE_SECONDS: Integer = Integer { key: "sync.reconcileSeconds", range: 1..=86_400, default: 60 };

/// Bytes that start an update. Default: 100000.
pub(super) const SYNC_SESSIONS_DELTA_BYTES: Integer = Integer { key: "sync.sessions.deltaBytes", range: 0..=9_007_199_254_740_991, default: 100_000 };

/// Messages that start an update. Default: 50.
pub(super) const SYNC_SESSIONS_DELTA_MESSAGES: Integer = Integer { key: "sync.sessions.deltaMessages", range: 0..=9_007_199_254_740_991, default: 50 };

/// When the host asks for an update after a compaction, do it. Default: true.
pub(super) const SYNC_SESSIONS_POST_COMPACTION_FORCE: Switch = Switch { key: "sync.sessions.postCompactionForce", default: true };

/// Whether they are kept. Default: true.
pub(super) const CACHE_ENABLED: Switch = Switch { key: "cache.enabled", default: true };

/// Most vectors kept. Default: no limit.
pub(super) const CACHE_MAX_ENTRIES: OptionalInteger = OptionalInteger { key: "cache.maxEntries", range: 1..=9_007_199_254_740_991 };

/// File; {agentId} stands for the agent. Default: `<state>/memory-core-rs/<agentId>/index.sqlite`.
pub(super) const STORE_PATH: OptionalText = OptionalText { key: "store.path" };

/// By words, or by windows of three characters. Default: unicode61.
pub(super) const STORE_FTS_TOKENIZER: Choice<settings::FtsTokenizer> = Choice { key: "store.fts.tokenizer", words: &[("unicode61", settings::FtsTokenizer::Unicode61), ("trigram", settings::FtsTokenizer::Trigram)], default: settings::FtsTokenizer::Unicode61 };

/// Whether there are any. Default: true.
pub(super) const STORE_VECTOR_ENABLED: Switch = Switch { key: "store.vector.enabled", default: true };

/// Lines without an explicit number. Default: 120.
pub(super) const MEMORY_GET_LINES: Integer = Integer { key: "memoryGet.lines", range: 1..=100_000, default: 120 };

/// Most characters. Default: 12000.
pub(super) const MEMORY_GET_MAX_CHARS: Integer = Integer { key: "memoryGet.maxChars", range: 1..=1_000_000, default: 12_000 };

/// Index transcripts; sources must name sessions too. Default: false.
pub(super) const EXPERIMENTAL_SESSION_MEMORY: Switch = Switch { key: "experimental.sessionMemory", default: false };

/// Search with every message of the user and show what is found to the model. Default: false.
pub(super) const AUTO_RECALL: Switch = Switch { key: "autoRecall", default: false };

/// Most memories shown with a message. Default: 5.
pub(super) const AUTO_RECALL_MAX_RESULTS: Integer = Integer { key: "autoRecallMaxResults", range: 1..=20, default: 5 };

/// Shortest message searched with, in characters. Default: 5.
pub(super) const AUTO_RECALL_MIN_PROMPT_LENGTH: Integer = Integer { key: "autoRecallMinPromptLength", range: 0..=1000, default: 5 };

/// Lowest score shown, where meaning is searched. Default: 0.3.
pub(super) const AUTO_RECALL_MIN_SCORE: Number = Number { key: "autoRecallMinScore", range: 0.0..=1.0, default: 0.3 };

/// Longest a reply waits for memories, in milliseconds. Default: 300.
pub(super) const AUTO_RECALL_TIMEOUT_MS: Integer = Integer { key: "autoRecallTimeoutMs", range: 20..=5000, default: 300 };

/// Longest text added to a message, in characters. Default: 4000.
pub(super) const AUTO_RECALL_MAX_CHARS: Integer = Integer { key: "autoRecallMaxChars", range: 500..=20_000, default: 4000 };

/// Keep facts that the user states in the note of the day. Default: false.
pub(super) const AUTO_CAPTURE: Switch = Switch { key: "autoCapture", default: false };

/// How facts are found: by rules, or by asking the model. Default: rules.
pub(super) const AUTO_CAPTURE_MODE: Choice<automatic::CaptureMode> = Choice { key: "autoCaptureMode", words: &[("rules", automatic::CaptureMode::Rules), ("extract", automatic::CaptureMode::Extract)], default: automatic::CaptureMode::Rules };

/// Messages of a conversation that are looked at after a turn. Default: 10.
pub(super) const AUTO_CAPTURE_MAX_MESSAGES: Integer = Integer { key: "autoCaptureMaxMessages", range: 1..=50, default: 10 };

/// Facts kept from one turn. Default: 3.
pub(super) const AUTO_CAPTURE_MAX_FACTS: Integer = Integer { key: "autoCaptureMaxFacts", range: 1..=20, default: 3 };

/// Keep facts of messages that the host compacts without a flush before. Default: false.
pub(super) const CAPTURE_ON_COMPACTION: Switch = Switch { key: "captureOnCompaction", default: false };

/// Record turns and show the last ones. Default: false.
pub(super) const SHORT_TERM_ENABLED: Switch = Switch { key: "shortTerm.enabled", default: false };

/// File of the default agent, absolute. Default: `<state>/memory/short-term.jsonl`.
pub(super) const SHORT_TERM_PATH: OptionalText = OptionalText { key: "shortTerm.path" };

/// Also across conversations that session.dmScope keeps apart: for one person on several channels. Default: false.
pub(super) const SHORT_TERM_ACROSS_PEOPLE: Switch = Switch { key: "shortTerm.acrossPeople", default: false };

/// Lines until the file is put aside. Default: 10000.
pub(super) const SHORT_TERM_MAX_ENTRIES: Integer = Integer { key: "shortTerm.maxEntries", range: 1..=10_000_000, default: 10_000 };

/// Turns shown. Default: 20.
pub(super) const SHORT_TERM_MAX_INJECT_ENTRIES: Integer = Integer { key: "shortTerm.maxInjectEntries", range: 1..=500, default: 20 };

/// Characters kept of a message. Default: 200.
pub(super) const SHORT_TERM_MAX_INPUT_CHARS: Integer = Integer { key: "shortTerm.maxInputChars", range: 1..=10_000, default: 200 };

/// Characters kept of an answer. Default: 300.
pub(super) const SHORT_TERM_MAX_OUTPUT_CHARS: Integer = Integer { key: "shortTerm.maxOutputChars", range: 1..=10_000, default: 300 };

/// Characters kept of the first line. Default: 100.
pub(super) const SHORT_TERM_MAX_TASK_CHARS: Integer = Integer { key: "shortTerm.maxTaskChars", range: 1..=1000, default: 100 };

/// Topics kept. Default: 5.
pub(super) const SHORT_TERM_MAX_TAGS: Integer = Integer { key: "shortTerm.maxTags", range: 0..=20, default: 5 };

/// Write the note, unless the session-memory hook of the host does. Default: false.
pub(super) const SESSION_NOTES_ENABLED: Switch = Switch { key: "sessionNotes.enabled", default: false };

/// Messages kept, counted from the end. Default: 15.
pub(super) const SESSION_NOTES_MESSAGES: Integer = Integer { key: "sessionNotes.messages", range: 1..=200, default: 15 };

/// What a note is named after: the time, or a few words that your model finds. Default: time.
pub(super) const SESSION_NOTES_SLUG: Choice<automatic::Slug> = Choice { key: "sessionNotes.slug", words: &[("time", automatic::Slug::Time), ("model", automatic::Slug::Model)], default: automatic::Slug::Time };

/// Offer memory_recall, memory_store and memory_forget. Default: false.
pub(super) const STORED_FACTS_ENABLED: Switch = Switch { key: "storedFacts.enabled", default: false };
