// Made of crates/model/settings.toml by "npm run settings".

/** A secret that the host keeps elsewhere. */
export interface SecretReference {
  source: "env" | "file" | "exec";
  provider?: string;
  id: string;
}

/** `plugins.entries.memory-core-rs.config`. */
export interface PluginSettings {
  /** Read by the host: while it is not off, the host loads memory-core beside this plugin. */
  dreaming?: {
    /** Leave it off. Default: false. */
    enabled?: boolean;
  };
  /** Whether memory is searched at all. Default: true. */
  enabled?: boolean;
  /** What is indexed: files of the workspace, transcripts of sessions. Default: memory. */
  sources?: ("memory" | "sessions")[];
  /** Further files, folders or globs, absolute or relative to the workspace. */
  extraPaths?: (string | { path: string; pattern?: string })[];
  /** Which of extraPaths you vouch for: in their files that hold a line <!-- curated -->, trigger, importance and project count as in MEMORY.md, and what they say counts as the agent's own. Default: none. */
  curatedPaths?: (string | { path: string; pattern?: string })[];
  /** Pictures and sounds below extraPaths. Their bytes go to the embedding provider, where it takes any. */
  multimodal?: {
    /** Whether pictures and sounds are indexed. Sent and embedded by provider gemini with model gemini-embedding-2; with any other they are found by name and by the lines of notes that link them. Default: false. */
    enabled?: boolean;
    /** Which of them. Default: all. */
    modalities?: ("image" | "audio" | "all")[];
    /** Larger pictures and sounds are skipped and reported. Default: 10485760. */
    maxFileBytes?: number;
  };
  /** Larger files are skipped and reported. Default: 16777216. */
  maxFileBytes?: number;
  /** What a million tokens of the embedding model cost, in your currency: the status then tells the cost of the month, not its tokens alone. Default: unknown. */
  pricePerMillionTokens?: number;
  /** What a million tokens cost, in your currency, by provider or provider/model: { "openai/text-embedding-3-small": 0.02, "anthropic/claude": { input: 3, output: 15 } }. Status and page tell costs by it; it wins over pricePerMillionTokens and over prices that were said on the page. Default: unknown. */
  prices?: Record<string, number | { input: number; output?: number }>;
  /** Time zone of dated notes and time words, for example Europe/Berlin. Default: the user's. */
  timeZone?: string;
  /** Whether results name their source: auto = in direct chats only. Default: auto. */
  citations?: "auto" | "on" | "off";
  /** Embedding provider: auto, none (keywords only), embedded, openai, openai-compatible, gemini, voyage, mistral, ollama, or one of the host. Default: auto. */
  provider?: string;
  /** Embedding model. With provider embedded: the bundled one, or a sentence encoder as a folder or hf:owner/name. Default: the provider's. */
  model?: string;
  /** Provider to use when the first one fails, or none. Default: none. */
  fallback?: string;
  /** What a search does while the embedding provider fails: keywords = answers by words and says so; fail = refuses. Default: keywords. */
  onOutage?: "keywords" | "fail";
  /** When another model answers under the same name: ask = words are searched until you run openclaw memory index --rebuild; auto = the notes are embedded anew at once, which may cost. Default: ask. */
  rebuild?: "ask" | "auto";
  /** Input type sent for queries and documents, for asymmetric models. */
  inputType?: string;
  /** Input type sent for queries. */
  queryInputType?: string;
  /** Input type sent for documents. */
  documentInputType?: string;
  /** Length of the vectors, where the model lets one choose. */
  outputDimensionality?: number;
  /** How to reach the embedding provider. */
  remote?: {
    /** Address of the embedding provider. The provider's own key is not sent to another server. Default: models.providers.<id>.baseUrl, else its public one. */
    baseUrl?: string;
    /** Key, or a reference to a secret. */
    apiKey?: string | SecretReference;
    /** Further headers. */
    headers?: Record<string, string | SecretReference>;
    /** Requests in flight. Default: 4. */
    nonBatchConcurrency?: number;
    /** Time limit of a query, in milliseconds. Default: 60000, on this machine 300000. */
    queryTimeoutMs?: number;
    /** Time limit of a request for documents, in milliseconds. Default: 120000, on this machine 600000. */
    documentTimeoutMs?: number;
    /** Asynchronous batch jobs of the provider. */
    batch?: {
      /** Use them. Default: false. */
      enabled?: boolean;
      /** Whether indexing waits for them. Default: true. */
      wait?: boolean;
      /** Jobs at a time. Default: 2. */
      concurrency?: number;
      /** Pause between two looks, in milliseconds. Default: 2000. */
      pollIntervalMs?: number;
      /** Give up after this many minutes. Default: 60. */
      timeoutMinutes?: number;
    };
  };
  /** A model on this machine. */
  local?: {
    /** File of the model, or an hf: address. */
    modelPath?: string;
    /** Folder for downloaded models. */
    modelCacheDir?: string;
    /** What a model of your own (provider embedded) gets before a question, spaces included; an empty text for nothing. Default: the model's. */
    queryPrefix?: string;
    /** The same before a text to be found. Other prefixes mean other vectors: everything is embedded again. Default: the model's. */
    documentPrefix?: string;
  };
  /** What the index takes from notes. */
  index?: {
    /** Takes passwords, keys and the like out of notes: remote = only of what a provider on another machine gets, true = out of the index too, false = nowhere. The files stay as they are. Default: remote. */
    redactSecrets?: boolean | "remote";
  };
  /** Size of the pieces that are embedded. */
  chunking?: {
    /** Tokens of about four characters. Default: 400. */
    tokens?: number;
    /** Tokens repeated from the piece before. Default: 80. */
    overlap?: number;
  };
  /** Results and ranking. */
  query?: {
    /** Most results, each of at most 700 characters. Default: as many as query.budgetChars has room for, at most 12; 6 with ranking: memory-core. */
    maxResults?: number;
    /** Characters that the passages of a search may take together where nobody says how many results; they are then at most 420 long. Default: 4200. */
    budgetChars?: number;
    /** Lowest score kept. Default: the ranking's own. */
    minScore?: number;
    /** native = line-exact ranking of this engine; memory-core = the documented scoring of memory-core. Default: native. */
    ranking?: "native" | "memory-core";
    /** Time limit of a search in milliseconds; what is there by then is returned. Default: 30000. */
    deadlineMs?: number;
    /** Words and meaning together. */
    hybrid?: {
      /** Off means vectors only. Default: true. */
      enabled?: boolean;
      /** Ranking memory-core: share of meaning. Default: 0.7. */
      vectorWeight?: number;
      /** Ranking memory-core: share of words. Default: 0.3. */
      textWeight?: number;
      /** Ranking memory-core: candidates per result. Default: 4. */
      candidateMultiplier?: number;
      /** Older dated notes count less. */
      temporalDecay?: {
        /** Whether they do. Default: the ranking's own. */
        enabled?: boolean;
        /** Days until a note counts half. Default: 30. */
        halfLifeDays?: number;
      };
      /** Ranking memory-core: different results instead of similar ones. */
      mmr?: {
        /** Whether they are preferred. Default: the ranking's own. */
        enabled?: boolean;
        /** 1 = relevance only. Default: 0.7. */
        lambda?: number;
      };
    };
  };
  /** When the index is brought up to date. */
  sync?: {
    /** Watch the files. Default: true. */
    watch?: boolean;
    /** Quiet time after a change, in milliseconds. Default: 1500. */
    watchDebounceMs?: number;
    /** A search starts an update in the background while changes are known that are not indexed. Default: true. */
    onSearch?: boolean;
    /** Update when a session starts. Default: true. */
    onSessionStart?: boolean;
    /** Minutes between updates, 0 = none. Default: 0. */
    intervalMinutes?: number;
    /** While watch is on: seconds between comparisons of disk and index, in case an event was lost. Without watch there are none. Default: 60. */
    reconcileSeconds?: number;
    /** Transcripts. */
    sessions?: {
      /** Bytes that start an update. Default: 100000. */
      deltaBytes?: number;
      /** Messages that start an update. Default: 50. */
      deltaMessages?: number;
      /** When the host asks for an update after a compaction, do it. Default: true. */
      postCompactionForce?: boolean;
    };
  };
  /** Vectors of texts that are gone, kept in case they come back. */
  cache?: {
    /** Whether they are kept. Default: true. */
    enabled?: boolean;
    /** Most vectors kept. Default: no limit. */
    maxEntries?: number;
  };
  /** The database. */
  store?: {
    /** A file, or a PostgreSQL database, which needs an addon that is built with it (docs/fleet.md). Default: sqlite. */
    driver?: "sqlite" | "postgres";
    /** The database, with `driver: "postgres"`. What belongs to the memory and not to its index is still kept beside `store.path`. */
    postgres?: {
      /** postgresql://user:password@host:5432/database, as `${NAME}` of an environment variable or a reference to a secret. */
      url?: string | SecretReference;
      /** Instead of url, with database and user: the server's name, IP address, or the folder of its socket. */
      host?: string;
      /** Its port, a number, also as `${NAME}`. Default: 5432. */
      port?: number | string;
      /** The database on that server. */
      database?: string;
      /** Who logs in there. */
      user?: string;
      /** The password, where it is not in the address, as `${NAME}` or a reference: asked for anew with each connection, for tokens that expire. */
      password?: string | SecretReference;
      /** Schema that all tables are in. Default: openclaw_memory. */
      schema?: string;
      /** Agents of one tenant share their vectors: no text is paid for twice. Default: default. */
      tenant?: string;
      /** TLS. auto is what the address says, else verify-full off this machine. Default: auto. */
      ssl?: "auto" | "verify-full" | "require" | "disable";
      /** File of the certificates that are trusted. Default: the system's. */
      sslRootCert?: string;
      /** Most connections of a process, for all its agents. Default: 4. */
      poolSize?: number;
      /** How long connecting may take, in milliseconds. Default: 3000. */
      connectTimeoutMs?: number;
      /** How long a statement may take, in milliseconds. Default: 30000. */
      statementTimeoutMs?: number;
      /** How long a search may take an index for unchanged without asking, in milliseconds; what this gateway writes it sees at once. Default: 0. */
      maxStalenessMs?: number;
      /** Most megabytes of words, passages and what their lines mean kept in memory, for all agents of a process. Default: 64. */
      cacheMb?: number;
      /** Where vectors are compared with a question: local is in memory, auto too as long as arenaMaxMb suffices. Default: auto. */
      search?: "auto" | "local" | "database";
      /** Most megabytes that the vectors of an agent may take in memory; the database compares them where they would take more. Default: 256. */
      arenaMaxMb?: number;
      /** Whether tables are made, and brought to this version, when they are not. Default: true. */
      migrate?: boolean;
      /** Whether the database keeps the notes themselves: an empty workspace gets them back, and what changes is exchanged. Default: false. */
      notes?: boolean;
    };
    /** File; {agentId} stands for the agent. Default: <state>/memory-core-rs/<agentId>/index.sqlite. */
    path?: string;
    /** Word index of the memory-core ranking. */
    fts?: {
      /** By words, or by windows of three characters. Default: unicode61. */
      tokenizer?: "unicode61" | "trigram";
    };
    /** Vectors. */
    vector?: {
      /** Whether there are any. Default: true. */
      enabled?: boolean;
    };
  };
  /** Limits of memory_get. */
  memoryGet?: {
    /** Lines without an explicit number. Default: 120. */
    lines?: number;
    /** Most characters. Default: 12000. */
    maxChars?: number;
  };
  /** Switches for early features. */
  experimental?: {
    /** Index transcripts; sources must name sessions too. Default: false. */
    sessionMemory?: boolean;
  };
  /** Whether private conversations of an agent may recall its others, on hosts from 2026.8. Default: the host's. */
  rememberAcrossConversations?: boolean;
  /** Index conversations for the recall that the host's active memory grants to private ones, or never: auto does it while active memory is on and memory.search.rememberAcrossConversations allows it. Default: auto. */
  privateRecall?: "auto" | "off";
  /** Search with every message of the user and show what is found to the model. Default: false. */
  autoRecall?: boolean;
  /** Most memories shown with a message. Default: 5. */
  autoRecallMaxResults?: number;
  /** Shortest message searched with, in characters. Default: 5. */
  autoRecallMinPromptLength?: number;
  /** Lowest score shown, where meaning is searched. Default: 0.3. */
  autoRecallMinScore?: number;
  /** What is shown beside a message that asks for something of yours where nothing fits for sure: nothing, or the three nearest passages. Default: nothing. */
  autoRecallUnsure?: "nothing" | "nearest";
  /** Longest a reply waits for memories, in milliseconds. Default: 300. */
  autoRecallTimeoutMs?: number;
  /** Longest text added to a message, in characters. Default: 4000. */
  autoRecallMaxChars?: number;
  /** With `autoRecall`, also show the curated lines whose trigger phrases a message holds, first and whatever else is found. Default: false. */
  triggerRecall?: boolean;
  /** Keep facts that the user states in the note of the day. Default: false. */
  autoCapture?: boolean;
  /** How facts are found: by rules, or by asking the model. Default: rules. */
  autoCaptureMode?: "rules" | "extract";
  /** Messages of a conversation that are looked at after a turn. Default: 10. */
  autoCaptureMaxMessages?: number;
  /** Facts kept from one turn. Default: 3. */
  autoCaptureMaxFacts?: number;
  /** Keep facts of messages that the host compacts without a flush before. Default: false. */
  captureOnCompaction?: boolean;
  /** The last turns, word for word, with every message. */
  shortTerm?: {
    /** Record turns and show the last ones. Default: false. */
    enabled?: boolean;
    /** File of the default agent, absolute. Default: <state>/memory/short-term.jsonl. */
    path?: string;
    /** Also across conversations that session.dmScope keeps apart: for one person on several channels. Default: false. */
    acrossPeople?: boolean;
    /** Lines until the file is put aside. Default: 10000. */
    maxEntries?: number;
    /** Turns shown. Default: 20. */
    maxInjectEntries?: number;
    /** Characters kept of a message. Default: 200. */
    maxInputChars?: number;
    /** Characters kept of an answer. Default: 300. */
    maxOutputChars?: number;
    /** Characters kept of the first line. Default: 100. */
    maxTaskChars?: number;
    /** Topics kept. Default: 5. */
    maxTags?: number;
  };
  /** What was put into prompts, as the model saw it: the page shows it. */
  promptHistory?: {
    /** Days that it is kept, word for word, in a file of ours that you alone can read; 0 keeps nothing. At most a thousand blocks and 9 MB of an agent are kept, and nothing of what was shown before something was forgotten. Default: 30. */
    days?: number;
  };
  /** A note of every conversation that ends. */
  sessionNotes?: {
    /** Write the note, unless the session-memory hook of the host does. Default: false. */
    enabled?: boolean;
    /** Messages kept, counted from the end. Default: 15. */
    messages?: number;
    /** What a note is named after: the time, or a few words that your model finds. Default: time. */
    slug?: "time" | "model";
  };
  /** Tools that store, recall and forget facts, kept in memory/facts.md. */
  storedFacts?: {
    /** Offer memory_recall, memory_store and memory_forget. Default: false. */
    enabled?: boolean;
  };
  /** Reminders that a message brings up: the tool `intent`, and what it has armed. */
  standingIntents?: {
    /** Offer the tool `intent` and show what it has armed, where the host lets this plugin see conversations. Default: true. */
    enabled?: boolean;
  };
  /** The right memories in the prompt before the reply, with the help of a model where the search is not sure. */
  activeMemory?: {
    /** Whether it runs. Default: false. */
    enabled?: boolean;
    /** Agents it runs for. Default: every agent for which it is on. */
    agents?: string[];
    /** Kinds of conversation it serves. Default: direct. */
    allowedChatTypes?: ("direct" | "group" | "channel" | "explicit")[];
    /** When not empty, the only conversations it serves. */
    allowedChatIds?: string[];
    /** Conversations it never serves. */
    deniedChatIds?: string[];
    /** When a model is asked: escalate = when a message asks for something remembered and the search is not sure; always = whenever the search has a clue; native = never. off shows nothing. Default: escalate. */
    mode?: "escalate" | "always" | "native" | "off";
    /** single asks a model once over what was found; agent lets it search by itself with toolsAllow, on hosts from 2026.6. Default: single. */
    engine?: "single" | "agent";
    /** Tools of engine agent; the host's own and groups of tools are left out. Default: memory_search, memory_get. */
    toolsAllow?: string[];
    /** Whether engine agent answers in the host's fast mode, on hosts from 2026.8. Default: the conversation's. */
    fastMode?: boolean | "auto";
    /** What engine agent may take beside timeoutMs to begin, in milliseconds. Default: 0. */
    setupGraceTimeoutMs?: number;
    /** pick shows stored passages word for word; summary shows a line of the model, when the passages hold all it says. Default: pick. */
    answer?: "pick" | "summary";
    /** Model to ask, as provider/model; needs llm.allowModelOverride. Default: the conversation's where that is allowed, else the agent's. */
    model?: string;
    /** Model for an agent that has none, on hosts before 2026.6. */
    modelFallback?: string;
    /** How much the model thinks, on hosts from 2026.8. Default: off. */
    thinking?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "adaptive" | "max";
    /** Longest a reply waits, in milliseconds; 15000 by itself for engine agent. Default: 2500. */
    timeoutMs?: number;
    /** How long a call that missed its limit runs on, for the next turn, in milliseconds. Default: 10000. */
    lateMs?: number;
    /** What the model sees of the conversation. Default: recent. */
    queryMode?: "message" | "recent" | "full";
    /** How readily memories are shown. Default: by queryMode. */
    promptStyle?: "balanced" | "strict" | "contextual" | "recall-heavy" | "precision-heavy" | "preference-only";
    /** Instructions in place of ours, at most 1500 characters. */
    promptOverride?: string;
    /** Instructions beside them, at most 800 characters. */
    promptAppend?: string;
    /** Longest summary. Default: 220. */
    maxSummaryChars?: number;
    /** Turns of the user before the message. Default: 2. */
    recentUserTurns?: number;
    /** Turns of the assistant. Default: 1. */
    recentAssistantTurns?: number;
    /** Most of each turn of the user. Default: 220. */
    recentUserChars?: number;
    /** Most of each turn of the assistant. Default: 180. */
    recentAssistantChars?: number;
    /** How long an answer is used again for the same question over the same passages, in milliseconds. Default: 600000. */
    cacheTtlMs?: number;
    /** Failed calls in a row before a pause. Default: 3. */
    circuitBreakerMaxTimeouts?: number;
    /** That pause, in milliseconds. Default: 60000. */
    circuitBreakerCooldownMs?: number;
    /** Confidence below which a passage is no clue. Default: 0.15. */
    floor?: number;
    /** Confidence above which no model is asked. Default: 1. */
    sure?: number;
    /** Passages the model is shown. Default: 8. */
    maxPassages?: number;
    /** Most of the message that it is shown. Default: 1000. */
    maxQueryChars?: number;
    /** A line in the log for every turn. Default: false. */
    logging?: boolean;
    /** Keep what was asked and answered, for a week. Default: false. */
    persistTranscripts?: boolean;
    /** Folder for that. Default: active-memory. */
    transcriptDir?: string;
  };
  /** What was met again and again becomes an entry of MEMORY.md, in a section of its own; every run can be taken back. */
  consolidation?: {
    /** Whether runs are only planned, or also carried out by themselves. Default: off. */
    mode?: "off" | "plan" | "apply";
    /** When a run is due, in the five fields of cron. Default: 0 3 * * *. */
    schedule?: string;
    /** IANA name of the zone of the schedule. Default: the user's. */
    timeZone?: string;
    /** Who finds the words: the best sentence as it stands, or your model, once a run; what it adds to its sources is refused. Default: extractive. */
    writer?: "extractive" | "abstractive";
    /** Model of the abstractive writer. Default: the agent's. */
    model?: string;
    /** Most characters of MEMORY.md after a run; the host's bootstrapMaxChars counts too. Default: 10000. */
    maxFileChars?: number;
    /** Most new entries of a run. Default: 10. */
    maxNew?: number;
    /** Longest entry in characters. Default: 240. */
    maxEntryChars?: number;
    /** Days on which a statement must have been met. Default: 2. */
    minDays?: number;
    /** How often it must have been met: said, noted, read, or found by different questions. Default: 3. */
    minUses?: number;
    /** Days for which that counts. Default: 30. */
    lookbackDays?: number;
    /** Share of our entries that a run may move to memory/learned-archive.md. Default: 0.25. */
    maxLoss?: number;
    /** Tell of runs that changed something in DREAMS.md. Default: true. */
    report?: boolean;
    /** Let the abstractive writer add a few sentences there. Default: false. */
    diary?: boolean;
    /** Runs that can be taken back. Default: 30. */
    keepRuns?: number;
  };
  /** What memory may take from conversations. For memory-core the same names mean the same. */
  memoryPolicy?: {
    /** Conversations that nothing is taken from: no transcript, capture, note, short-term record or evidence. One match is enough. */
    excludeSessions?: {
      /** Sources of hooks that began the conversation, such as gmail; hosts from 2026.8 tell. Default: none. */
      hookExternalContentSources?: string[];
      /** Channels, such as telegram. Default: none. */
      channels?: string[];
      /** Kinds of conversation. Default: none. */
      chatTypes?: ("direct" | "group" | "channel")[];
    };
  };
  /** The same settings for one agent, by its id. */
  agents?: Record<string, Omit<PluginSettings, "agents">>;
}
