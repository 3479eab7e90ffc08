//! Every setting that the resolver reads, with its default and its range. Made of `crates/model/settings.toml` by
//! `npm run settings`.

use super::{active_memory, automatic, consolidation, setting::*, settings};

/// Settings that hold others.
pub(super) const GROUPS: [&str; 29] = ["dreaming", "multimodal", "remote", "remote.batch", "local", "index", "chunking", "query", "query.hybrid", "query.hybrid.temporalDecay", "query.hybrid.mmr", "sync", "sync.sessions", "cache", "store", "store.postgres", "store.fts", "store.vector", "memoryGet", "experimental", "shortTerm", "promptHistory", "sessionNotes", "storedFacts", "standingIntents", "activeMemory", "consolidation", "memoryPolicy", "memoryPolicy.excludeSessions"];

/// Whether memory is searched at all. Default: true.
pub(super) const ENABLED: Switch = Switch { key: "enabled", default: true };

/// What is indexed: files of the workspace, transcripts of sessions. Default: memory.
pub(super) const SOURCES: Special = Special { key: "sources" };

/// Further files, folders or globs, absolute or relative to the workspace.
pub(super) const EXTRA_PATHS: Special = Special { key: "extraPaths" };

/// Which of extraPaths you vouch for: in their files that hold a line <!-- curated -->, trigger, importance and project count as in MEMORY.md, and what they say counts as the agent's own. Default: none.
pub(super) const CURATED_PATHS: Special = Special { key: "curatedPaths" };

/// Whether pictures and sounds are indexed. Sent and embedded by provider gemini with model gemini-embedding-2; with any other they are found by name and by the lines of notes that link them. Default: false.
pub(super) const MULTIMODAL_ENABLED: Switch = Switch { key: "multimodal.enabled", default: false };

/// Which of them. Default: all.
pub(super) const MULTIMODAL_MODALITIES: Special = Special { key: "multimodal.modalities" };

/// Larger pictures and sounds are skipped and reported. Default: 10485760.
pub(super) const MULTIMODAL_MAX_FILE_BYTES: Integer = Integer { key: "multimodal.maxFileBytes", range: 1..=67_108_864, default: 10_485_760 };

/// Larger files are skipped and reported. Default: 16777216.
pub(super) const MAX_FILE_BYTES: Integer = Integer { key: "maxFileBytes", range: 65_536..=268_435_456, default: 16_777_216 };

/// What a million tokens of the embedding model cost, in your currency: the status then tells the cost of the month, not its tokens alone. Default: unknown.
pub(super) const PRICE_PER_MILLION_TOKENS: OptionalNumber = OptionalNumber { key: "pricePerMillionTokens", range: 0.0..=1000000.0 };

/// Time zone of dated notes and time words, for example Europe/Berlin. Default: the user's.
pub(super) const TIME_ZONE: OptionalText = OptionalText { key: "timeZone" };

/// Whether results name their source: auto = in direct chats only. Default: auto.
pub(super) const CITATIONS: Choice<settings::Citations> = Choice { key: "citations", words: &[("auto", settings::Citations::Auto), ("on", settings::Citations::On), ("off", settings::Citations::Off)], default: settings::Citations::Auto };

/// Embedding provider: auto, none (keywords only), embedded, openai, openai-compatible, gemini, voyage, mistral, ollama, or one of the host. Default: auto.
pub(super) const PROVIDER: Text = Text { key: "provider", default: "auto" };

/// Embedding model. With provider embedded: the bundled one, or a sentence encoder as a folder or hf:owner/name. Default: the provider's.
pub(super) const MODEL: OptionalText = OptionalText { key: "model" };

/// Provider to use when the first one fails, or none. Default: none.
pub(super) const FALLBACK: OptionalText = OptionalText { key: "fallback" };

/// What a search does while the embedding provider fails: keywords = answers by words and says so; fail = refuses. Default: keywords.
pub(super) const ON_OUTAGE: Choice<settings::OnOutage> = Choice { key: "onOutage", words: &[("keywords", settings::OnOutage::Keywords), ("fail", settings::OnOutage::Fail)], default: settings::OnOutage::Keywords };

/// When another model answers under the same name: ask = words are searched until you run openclaw memory index --rebuild; auto = the notes are embedded anew at once, which may cost. Default: ask.
pub(super) const REBUILD: Choice<settings::Rebuild> = Choice { key: "rebuild", words: &[("ask", settings::Rebuild::Ask), ("auto", settings::Rebuild::Auto)], default: settings::Rebuild::Ask };

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

/// What a model of your own (provider embedded) gets before a question, spaces included; an empty text for nothing. Default: the model's.
pub(super) const LOCAL_QUERY_PREFIX: OptionalText = OptionalText { key: "local.queryPrefix" };

/// The same before a text to be found. Other prefixes mean other vectors: everything is embedded again. Default: the model's.
pub(super) const LOCAL_DOCUMENT_PREFIX: OptionalText = OptionalText { key: "local.documentPrefix" };

/// Takes passwords, keys and the like out of notes: remote = only of what a provider on another machine gets, true = out of the index too, false = nowhere. The files stay as they are. Default: remote.
pub(super) const INDEX_REDACT_SECRETS: Special = Special { key: "index.redactSecrets" };

/// Tokens of about four characters. Default: 400.
pub(super) const CHUNKING_TOKENS: Integer = Integer { key: "chunking.tokens", range: 1..=1_000_000, default: 400 };

/// Tokens repeated from the piece before. Default: 80.
pub(super) const CHUNKING_OVERLAP: Integer = Integer { key: "chunking.overlap", range: 0..=1_000_000, default: 80 };

/// Most results, each of at most 700 characters. Default: as many as query.budgetChars has room for, at most 12; 6 with ranking: memory-core.
pub(super) const QUERY_MAX_RESULTS: OptionalInteger = OptionalInteger { key: "query.maxResults", range: 1..=10_000 };

/// Characters that the passages of a search may take together where nobody says how many results; they are then at most 420 long. Default: 4200.
pub(super) const QUERY_BUDGET_CHARS: Integer = Integer { key: "query.budgetChars", range: 700..=100_000, default: 4200 };

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

/// A file, or a PostgreSQL database, which needs an addon that is built with it (docs/fleet.md). Default: sqlite.
pub(super) const STORE_DRIVER: Choice<settings::Driver> = Choice { key: "store.driver", words: &[("sqlite", settings::Driver::Sqlite), ("postgres", settings::Driver::Postgres)], default: settings::Driver::Sqlite };

/// Schema that all tables are in. Default: openclaw_memory.
pub(super) const STORE_POSTGRES_SCHEMA: Text = Text { key: "store.postgres.schema", default: "openclaw_memory" };

/// Agents of one tenant share their vectors: no text is paid for twice. Default: default.
pub(super) const STORE_POSTGRES_TENANT: Text = Text { key: "store.postgres.tenant", default: "default" };

/// TLS. auto is what the address says, else verify-full off this machine. Default: auto.
pub(super) const STORE_POSTGRES_SSL: Choice<settings::DatabaseSsl> = Choice { key: "store.postgres.ssl", words: &[("auto", settings::DatabaseSsl::Auto), ("verify-full", settings::DatabaseSsl::VerifyFull), ("require", settings::DatabaseSsl::Require), ("disable", settings::DatabaseSsl::Disable)], default: settings::DatabaseSsl::Auto };

/// File of the certificates that are trusted. Default: the system's.
pub(super) const STORE_POSTGRES_SSL_ROOT_CERT: OptionalText = OptionalText { key: "store.postgres.sslRootCert" };

/// Most connections of a process, for all its agents. Default: 4.
pub(super) const STORE_POSTGRES_POOL_SIZE: Integer = Integer { key: "store.postgres.poolSize", range: 1..=64, default: 4 };

/// How long connecting may take, in milliseconds. Default: 3000.
pub(super) const STORE_POSTGRES_CONNECT_TIMEOUT_MS: Integer = Integer { key: "store.postgres.connectTimeoutMs", range: 100..=60_000, default: 3000 };

/// How long a statement may take, in milliseconds. Default: 30000.
pub(super) const STORE_POSTGRES_STATEMENT_TIMEOUT_MS: Integer = Integer { key: "store.postgres.statementTimeoutMs", range: 1000..=600_000, default: 30_000 };

/// How long a search may take an index for unchanged without asking, in milliseconds; what this gateway writes it sees at once. Default: 0.
pub(super) const STORE_POSTGRES_MAX_STALENESS_MS: Integer = Integer { key: "store.postgres.maxStalenessMs", range: 0..=60_000, default: 0 };

/// Most megabytes of words, passages and what their lines mean kept in memory, for all agents of a process. Default: 64.
pub(super) const STORE_POSTGRES_CACHE_MB: Integer = Integer { key: "store.postgres.cacheMb", range: 1..=4096, default: 64 };

/// Where vectors are compared with a question: local is in memory, auto too as long as arenaMaxMb suffices. Default: auto.
pub(super) const STORE_POSTGRES_SEARCH: Choice<settings::NearIn> = Choice { key: "store.postgres.search", words: &[("auto", settings::NearIn::Auto), ("local", settings::NearIn::Local), ("database", settings::NearIn::Database)], default: settings::NearIn::Auto };

/// Most megabytes that the vectors of an agent may take in memory; the database compares them where they would take more. Default: 256.
pub(super) const STORE_POSTGRES_ARENA_MAX_MB: Integer = Integer { key: "store.postgres.arenaMaxMb", range: 1..=65_536, default: 256 };

/// Whether tables are made, and brought to this version, when they are not. Default: true.
pub(super) const STORE_POSTGRES_MIGRATE: Switch = Switch { key: "store.postgres.migrate", default: true };

/// Whether the database keeps the notes themselves: an empty workspace gets them back, and what changes is exchanged. Default: false.
pub(super) const STORE_POSTGRES_NOTES: Switch = Switch { key: "store.postgres.notes", default: false };

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

/// What is shown beside a message that asks for something of yours where nothing fits for sure: nothing, or the three nearest passages. Default: nothing.
pub(super) const AUTO_RECALL_UNSURE: Choice<automatic::Unsure> = Choice { key: "autoRecallUnsure", words: &[("nothing", automatic::Unsure::Nothing), ("nearest", automatic::Unsure::Nearest)], default: automatic::Unsure::Nothing };

/// Longest a reply waits for memories, in milliseconds. Default: 300.
pub(super) const AUTO_RECALL_TIMEOUT_MS: Integer = Integer { key: "autoRecallTimeoutMs", range: 20..=5000, default: 300 };

/// Longest text added to a message, in characters. Default: 4000.
pub(super) const AUTO_RECALL_MAX_CHARS: Integer = Integer { key: "autoRecallMaxChars", range: 500..=20_000, default: 4000 };

/// With `autoRecall`, also show the curated lines whose trigger phrases a message holds, first and whatever else is found. Default: false.
pub(super) const TRIGGER_RECALL: Switch = Switch { key: "triggerRecall", default: false };

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

/// Days that it is kept, word for word, in a file of ours that you alone can read; 0 keeps nothing. At most a thousand blocks and 9 MB of an agent are kept, and nothing of what was shown before something was forgotten. Default: 30.
pub(super) const PROMPT_HISTORY_DAYS: Integer = Integer { key: "promptHistory.days", range: 0..=3650, default: 30 };

/// Write the note, unless the session-memory hook of the host does. Default: false.
pub(super) const SESSION_NOTES_ENABLED: Switch = Switch { key: "sessionNotes.enabled", default: false };

/// Messages kept, counted from the end. Default: 15.
pub(super) const SESSION_NOTES_MESSAGES: Integer = Integer { key: "sessionNotes.messages", range: 1..=200, default: 15 };

/// What a note is named after: the time, or a few words that your model finds. Default: time.
pub(super) const SESSION_NOTES_SLUG: Choice<automatic::Slug> = Choice { key: "sessionNotes.slug", words: &[("time", automatic::Slug::Time), ("model", automatic::Slug::Model)], default: automatic::Slug::Time };

/// Offer memory_recall, memory_store and memory_forget. Default: false.
pub(super) const STORED_FACTS_ENABLED: Switch = Switch { key: "storedFacts.enabled", default: false };

/// Whether it runs. Default: false.
pub(super) const ACTIVE_MEMORY_ENABLED: Switch = Switch { key: "activeMemory.enabled", default: false };

/// Agents it runs for. Default: every agent for which it is on.
pub(super) const ACTIVE_MEMORY_AGENTS: Special = Special { key: "activeMemory.agents" };

/// Kinds of conversation it serves. Default: direct.
pub(super) const ACTIVE_MEMORY_ALLOWED_CHAT_TYPES: Special = Special { key: "activeMemory.allowedChatTypes" };

/// When not empty, the only conversations it serves.
pub(super) const ACTIVE_MEMORY_ALLOWED_CHAT_IDS: Special = Special { key: "activeMemory.allowedChatIds" };

/// Conversations it never serves.
pub(super) const ACTIVE_MEMORY_DENIED_CHAT_IDS: Special = Special { key: "activeMemory.deniedChatIds" };

/// When a model is asked: escalate = when a message asks for something remembered and the search is not sure; always = whenever the search has a clue; native = never. off shows nothing. Default: escalate.
pub(super) const ACTIVE_MEMORY_MODE: Choice<active_memory::Mode> = Choice { key: "activeMemory.mode", words: &[("escalate", active_memory::Mode::Escalate), ("always", active_memory::Mode::Always), ("native", active_memory::Mode::Native), ("off", active_memory::Mode::Off)], default: active_memory::Mode::Escalate };

/// single asks a model once over what was found; agent lets it search by itself with toolsAllow, on hosts from 2026.6. Default: single.
pub(super) const ACTIVE_MEMORY_ENGINE: Choice<active_memory::Engine> = Choice { key: "activeMemory.engine", words: &[("single", active_memory::Engine::Single), ("agent", active_memory::Engine::Agent)], default: active_memory::Engine::Single };

/// Tools of engine agent; the host's own and groups of tools are left out. Default: memory_search, memory_get.
pub(super) const ACTIVE_MEMORY_TOOLS_ALLOW: Special = Special { key: "activeMemory.toolsAllow" };

/// Whether engine agent answers in the host's fast mode, on hosts from 2026.8. Default: the conversation's.
pub(super) const ACTIVE_MEMORY_FAST_MODE: Special = Special { key: "activeMemory.fastMode" };

/// What engine agent may take beside timeoutMs to begin, in milliseconds. Default: 0.
pub(super) const ACTIVE_MEMORY_SETUP_GRACE_TIMEOUT_MS: Integer = Integer { key: "activeMemory.setupGraceTimeoutMs", range: 0..=30_000, default: 0 };

/// pick shows stored passages word for word; summary shows a line of the model, when the passages hold all it says. Default: pick.
pub(super) const ACTIVE_MEMORY_ANSWER: Choice<active_memory::Answer> = Choice { key: "activeMemory.answer", words: &[("pick", active_memory::Answer::Pick), ("summary", active_memory::Answer::Summary)], default: active_memory::Answer::Pick };

/// Model to ask, as provider/model; needs llm.allowModelOverride. Default: the conversation's where that is allowed, else the agent's.
pub(super) const ACTIVE_MEMORY_MODEL: OptionalText = OptionalText { key: "activeMemory.model" };

/// Model for an agent that has none, on hosts before 2026.6.
pub(super) const ACTIVE_MEMORY_MODEL_FALLBACK: OptionalText = OptionalText { key: "activeMemory.modelFallback" };

/// How much the model thinks, on hosts from 2026.8. Default: off.
pub(super) const ACTIVE_MEMORY_THINKING: Choice<active_memory::Thinking> = Choice { key: "activeMemory.thinking", words: &[("off", active_memory::Thinking::Off), ("minimal", active_memory::Thinking::Minimal), ("low", active_memory::Thinking::Low), ("medium", active_memory::Thinking::Medium), ("high", active_memory::Thinking::High), ("xhigh", active_memory::Thinking::Xhigh), ("adaptive", active_memory::Thinking::Adaptive), ("max", active_memory::Thinking::Max)], default: active_memory::Thinking::Off };

/// Longest a reply waits, in milliseconds; 15000 by itself for engine agent. Default: 2500.
pub(super) const ACTIVE_MEMORY_TIMEOUT_MS: Integer = Integer { key: "activeMemory.timeoutMs", range: 250..=120_000, default: 2500 };

/// How long a call that missed its limit runs on, for the next turn, in milliseconds. Default: 10000.
pub(super) const ACTIVE_MEMORY_LATE_MS: Integer = Integer { key: "activeMemory.lateMs", range: 0..=30_000, default: 10_000 };

/// What the model sees of the conversation. Default: recent.
pub(super) const ACTIVE_MEMORY_QUERY_MODE: Choice<active_memory::QueryMode> = Choice { key: "activeMemory.queryMode", words: &[("message", active_memory::QueryMode::Message), ("recent", active_memory::QueryMode::Recent), ("full", active_memory::QueryMode::Full)], default: active_memory::QueryMode::Recent };

/// How readily memories are shown. Default: by queryMode.
pub(super) const ACTIVE_MEMORY_PROMPT_STYLE: Special = Special { key: "activeMemory.promptStyle" };

/// Instructions in place of ours, at most 1500 characters.
pub(super) const ACTIVE_MEMORY_PROMPT_OVERRIDE: OptionalText = OptionalText { key: "activeMemory.promptOverride" };

/// Instructions beside them, at most 800 characters.
pub(super) const ACTIVE_MEMORY_PROMPT_APPEND: OptionalText = OptionalText { key: "activeMemory.promptAppend" };

/// Longest summary. Default: 220.
pub(super) const ACTIVE_MEMORY_MAX_SUMMARY_CHARS: Integer = Integer { key: "activeMemory.maxSummaryChars", range: 40..=1000, default: 220 };

/// Turns of the user before the message. Default: 2.
pub(super) const ACTIVE_MEMORY_RECENT_USER_TURNS: Integer = Integer { key: "activeMemory.recentUserTurns", range: 0..=4, default: 2 };

/// Turns of the assistant. Default: 1.
pub(super) const ACTIVE_MEMORY_RECENT_ASSISTANT_TURNS: Integer = Integer { key: "activeMemory.recentAssistantTurns", range: 0..=3, default: 1 };

/// Most of each turn of the user. Default: 220.
pub(super) const ACTIVE_MEMORY_RECENT_USER_CHARS: Integer = Integer { key: "activeMemory.recentUserChars", range: 40..=1000, default: 220 };

/// Most of each turn of the assistant. Default: 180.
pub(super) const ACTIVE_MEMORY_RECENT_ASSISTANT_CHARS: Integer = Integer { key: "activeMemory.recentAssistantChars", range: 40..=1000, default: 180 };

/// How long an answer is used again for the same question over the same passages, in milliseconds. Default: 600000.
pub(super) const ACTIVE_MEMORY_CACHE_TTL_MS: Integer = Integer { key: "activeMemory.cacheTtlMs", range: 1000..=3_600_000, default: 600_000 };

/// Failed calls in a row before a pause. Default: 3.
pub(super) const ACTIVE_MEMORY_CIRCUIT_BREAKER_MAX_TIMEOUTS: Integer = Integer { key: "activeMemory.circuitBreakerMaxTimeouts", range: 1..=20, default: 3 };

/// That pause, in milliseconds. Default: 60000.
pub(super) const ACTIVE_MEMORY_CIRCUIT_BREAKER_COOLDOWN_MS: Integer = Integer { key: "activeMemory.circuitBreakerCooldownMs", range: 5000..=600_000, default: 60_000 };

/// Confidence below which a passage is no clue. Default: 0.15.
pub(super) const ACTIVE_MEMORY_FLOOR: Number = Number { key: "activeMemory.floor", range: 0.0..=1.0, default: 0.15 };

/// Confidence above which no model is asked. Default: 1.
pub(super) const ACTIVE_MEMORY_SURE: Number = Number { key: "activeMemory.sure", range: 0.0..=1.0, default: 1.0 };

/// Passages the model is shown. Default: 8.
pub(super) const ACTIVE_MEMORY_MAX_PASSAGES: Integer = Integer { key: "activeMemory.maxPassages", range: 1..=16, default: 8 };

/// Most of the message that it is shown. Default: 1000.
pub(super) const ACTIVE_MEMORY_MAX_QUERY_CHARS: Integer = Integer { key: "activeMemory.maxQueryChars", range: 200..=4000, default: 1000 };

/// A line in the log for every turn. Default: false.
pub(super) const ACTIVE_MEMORY_LOGGING: Switch = Switch { key: "activeMemory.logging", default: false };

/// Keep what was asked and answered, for a week. Default: false.
pub(super) const ACTIVE_MEMORY_PERSIST_TRANSCRIPTS: Switch = Switch { key: "activeMemory.persistTranscripts", default: false };

/// Folder for that. Default: active-memory.
pub(super) const ACTIVE_MEMORY_TRANSCRIPT_DIR: Text = Text { key: "activeMemory.transcriptDir", default: "active-memory" };

/// Whether runs are only planned, or also carried out by themselves. Default: off.
pub(super) const CONSOLIDATION_MODE: Choice<consolidation::Mode> = Choice { key: "consolidation.mode", words: &[("off", consolidation::Mode::Off), ("plan", consolidation::Mode::Plan), ("apply", consolidation::Mode::Apply)], default: consolidation::Mode::Off };

/// When a run is due, in the five fields of cron. Default: 0 3 * * *.
pub(super) const CONSOLIDATION_SCHEDULE: Text = Text { key: "consolidation.schedule", default: "0 3 * * *" };

/// IANA name of the zone of the schedule. Default: the user's.
pub(super) const CONSOLIDATION_TIME_ZONE: Text = Text { key: "consolidation.timeZone", default: "" };

/// Who finds the words: the best sentence as it stands, or your model, once a run; what it adds to its sources is refused. Default: extractive.
pub(super) const CONSOLIDATION_WRITER: Choice<consolidation::Writer> = Choice { key: "consolidation.writer", words: &[("extractive", consolidation::Writer::Extractive), ("abstractive", consolidation::Writer::Abstractive)], default: consolidation::Writer::Extractive };

/// Model of the abstractive writer. Default: the agent's.
pub(super) const CONSOLIDATION_MODEL: Text = Text { key: "consolidation.model", default: "" };

/// Most characters of MEMORY.md after a run; the host's bootstrapMaxChars counts too. Default: 10000.
pub(super) const CONSOLIDATION_MAX_FILE_CHARS: Integer = Integer { key: "consolidation.maxFileChars", range: 500..=100_000, default: 10_000 };

/// Most new entries of a run. Default: 10.
pub(super) const CONSOLIDATION_MAX_NEW: Integer = Integer { key: "consolidation.maxNew", range: 1..=100, default: 10 };

/// Longest entry in characters. Default: 240.
pub(super) const CONSOLIDATION_MAX_ENTRY_CHARS: Integer = Integer { key: "consolidation.maxEntryChars", range: 40..=1000, default: 240 };

/// Days on which a statement must have been met. Default: 2.
pub(super) const CONSOLIDATION_MIN_DAYS: Integer = Integer { key: "consolidation.minDays", range: 1..=60, default: 2 };

/// How often it must have been met: said, noted, read, or found by different questions. Default: 3.
pub(super) const CONSOLIDATION_MIN_USES: Integer = Integer { key: "consolidation.minUses", range: 1..=100, default: 3 };

/// Days for which that counts. Default: 30.
pub(super) const CONSOLIDATION_LOOKBACK_DAYS: Integer = Integer { key: "consolidation.lookbackDays", range: 1..=365, default: 30 };

/// Share of our entries that a run may move to memory/learned-archive.md. Default: 0.25.
pub(super) const CONSOLIDATION_MAX_LOSS: Number = Number { key: "consolidation.maxLoss", range: 0.0..=1.0, default: 0.25 };

/// Tell of runs that changed something in DREAMS.md. Default: true.
pub(super) const CONSOLIDATION_REPORT: Switch = Switch { key: "consolidation.report", default: true };

/// Let the abstractive writer add a few sentences there. Default: false.
pub(super) const CONSOLIDATION_DIARY: Switch = Switch { key: "consolidation.diary", default: false };

/// Runs that can be taken back. Default: 30.
pub(super) const CONSOLIDATION_KEEP_RUNS: Integer = Integer { key: "consolidation.keepRuns", range: 1..=365, default: 30 };

/// Sources of hooks that began the conversation, such as gmail; hosts from 2026.8 tell. Default: none.
pub(super) const MEMORY_POLICY_EXCLUDE_SESSIONS_HOOK_EXTERNAL_CONTENT_SOURCES: Special = Special { key: "memoryPolicy.excludeSessions.hookExternalContentSources" };

/// Channels, such as telegram. Default: none.
pub(super) const MEMORY_POLICY_EXCLUDE_SESSIONS_CHANNELS: Special = Special { key: "memoryPolicy.excludeSessions.channels" };

/// Kinds of conversation. Default: none.
pub(super) const MEMORY_POLICY_EXCLUDE_SESSIONS_CHAT_TYPES: Special = Special { key: "memoryPolicy.excludeSessions.chatTypes" };
