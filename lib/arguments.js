// Arguments of calls, checked before anything is done with them: a wrong one is a mistake in the calling program, and is
// told in the names that the program used.

const PURPOSES = ["default", "status", "cli"];
const SOURCES = ["memory", "sessions"];

/** Largest number that the engine takes where it counts. */
export const MAX_UNSIGNED = 0xffff_ffff;

/** Longest wrong text that a message repeats. */
const SHOWN_CHARS = 40;

/**
 * @typedef {{wanted: string, fits: (value: any) => boolean, odd?: (value: any) => string}} Kind What a value must be, in words and as
 *   a test; how a message names one that is not so.
 */

/** @param {number} from @param {number} [to] @returns {Kind} */
const whole = (from, to = Number.MAX_SAFE_INTEGER) => ({
  wanted: to < Number.MAX_SAFE_INTEGER ? `a whole number from ${from} to ${to}` : `a whole number of ${from} or more`,
  fits: (value) => Number.isSafeInteger(value) && value >= from && value <= to,
});

/** @param {string[]} choices @returns {Kind} */
const oneOf = (choices) => ({
  wanted: `one of ${choices.map((choice) => `"${choice}"`).join(", ")}`,
  fits: (value) => choices.includes(value),
});

/** @param {Kind} kind @returns {Kind} */
const listOf = (kind) => ({
  wanted: `a list, each ${kind.wanted}`,
  fits: (value) => Array.isArray(value) && value.every(kind.fits),
  odd: (value) => (Array.isArray(value) ? `one that holds ${shown(value.find((one) => !kind.fits(one)))}` : shown(value)),
});

/** @type {Kind} */
const text = { wanted: "a text", fits: (value) => typeof value === "string" };
/** @type {Kind} */
const filledText = { wanted: "a text that is not empty", fits: (value) => typeof value === "string" && value.trim() !== "" };
/** @type {Kind} */
const truth = { wanted: "true or false", fits: (value) => typeof value === "boolean" };
/** @type {Kind} */
const callable = { wanted: "a function", fits: (value) => typeof value === "function" };
/** @type {Kind} */
const record = { wanted: "an object", fits: (value) => typeof value === "object" && value !== null && !Array.isArray(value) };
/** @type {Kind} */
const finite = { wanted: "a number", fits: Number.isFinite };
/** @type {Kind} */
const share = { wanted: "a number from 0 to 1", fits: (value) => typeof value === "number" && value >= 0 && value <= 1 };
/** @type {Kind} */
const milliseconds = {
  wanted: `a number of milliseconds from 0 to ${MAX_UNSIGNED}`,
  fits: (value) => typeof value === "number" && value >= 0 && value <= MAX_UNSIGNED,
};
/** @type {Kind} */
const signal = { wanted: "an AbortSignal", fits: (value) => typeof value?.aborted === "boolean" && callable.fits(value.addEventListener) };

/** @type {Record<string, Kind>} */
const GET = {
  agentId: filledText,
  purpose: oneOf(PURPOSES),
  env: record,
  stateDir: filledText,
  workspaceDir: filledText,
  modelPaths: listOf(text),
  beforeFirstUse: callable,
  describe: callable,
  adapter: record,
  embed: callable,
  sessions: callable,
  credentialSources: record,
  reopens: truth,
};

/** @type {Record<string, Kind>} */
const SEARCH = {
  maxResults: whole(1),
  after: whole(0),
  later: truth,
  minScore: share,
  sources: listOf(oneOf(SOURCES)),
  lexicalOnly: truth,
  explain: truth,
  sessionKey: text,
  deadlineMs: milliseconds,
  nowMs: finite,
  signal,
  onDebug: callable,
  onPartialResults: callable,
  activeProjectKeys: listOf(text),
  conversations: listOf(text),
  since: filledText,
  until: filledText,
  paths: listOf(filledText),
};

/** @type {Record<string, Kind>} */
const SYNC = { reason: text, force: truth, textOnly: truth, signal, progress: callable };

/** @type {Record<string, Kind>} */
const FORGET = {
  paths: listOf(filledText),
  fromLine: whole(1),
  toLine: whole(1),
  sessions: listOf(filledText),
  conversations: listOf(record),
  people: listOf(filledText),
  sinceMs: finite,
  untilMs: finite,
  query: text,
  search: record,
  quotes: truth,
  dryRun: truth,
  final: truth,
  agent: record,
};

/** @type {Record<string, Kind>} */
const CONVERSATION = { sessionId: filledText, sessionKey: filledText, fromMs: finite, toMs: finite };

/**
 * A mistake in the calling program.
 * @param {string} message
 */
function wrongArgument(message) {
  return Object.assign(new TypeError(message), { code: "MEM_ARGUMENT" });
}

/** A wrong value for a message: never the inside of an object, and no long text. @param {unknown} value */
function shown(value) {
  if (value === undefined || value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "string") return value.length <= SHOWN_CHARS ? JSON.stringify(value) : "a longer text";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {Kind} kind
 */
function check(name, value, kind) {
  if (!kind.fits(value)) throw wrongArgument(`${name} must be ${kind.wanted}, not ${kind.odd?.(value) ?? shown(value)}`);
}

/**
 * Checks the fields of options that are given; unknown ones are left to newer hosts.
 * @param {string} name
 * @param {unknown} options
 * @param {Record<string, Kind>} kinds
 */
function checkOptions(name, options, kinds) {
  if (options === undefined || options === null) return;
  check(name, options, record);
  for (const [key, kind] of Object.entries(kinds)) {
    const value = /** @type {Record<string, unknown>} */ (options)[key];
    if (value !== undefined && value !== null) check(key, value, kind);
  }
}

/** Of `MemoryIndexManager.get`. @param {unknown} request */
export function checkGet(request) {
  check("the request", request, record);
  const { cfg, adapter } = /** @type {import("../index.d.ts").ManagerRequest} */ (request);
  check("cfg", cfg, { ...record, wanted: "the configuration of the host, an object" });
  checkOptions("the request", request, GET);
  if (!adapter) return;
  check("adapter.providers", adapter.providers, listOf(filledText));
  check("adapter.embed", adapter.embed, callable);
}

/** Of `search` and `searchDetailed`. @param {unknown} query @param {unknown} options */
export function checkSearch(query, options) {
  check("query", query, text);
  checkOptions("the search options", options, SEARCH);
}

/** Kinds of the options of curated entries. @type {Record<string, Kind>} */
const CURATED = { limit: whole(1), activeProjectKeys: listOf(text) };

/** Of the methods about curated entries. @param {unknown} options */
export function checkCurated(options) {
  checkOptions("the options", options, CURATED);
}

/** Of `readFile`. @param {unknown} request */
export function checkReadFile(request) {
  check("the request", request, record);
  check("relPath", /** @type {Record<string, unknown>} */ (request).relPath, text);
  checkOptions("the request", request, { from: whole(0), lines: whole(0) });
}

/** Of `sync`. @param {unknown} options */
export function checkSync(options) {
  checkOptions("the sync options", options, SYNC);
}

/** Of `forget`. @param {unknown} request */
export function checkForget(request) {
  check("the request", request, record);
  checkOptions("the request", request, FORGET);
  const { search, conversations } = /** @type {import("../index.d.ts").ForgetRequest} */ (request);
  checkOptions("search", search, SEARCH);
  for (const conversation of conversations ?? []) {
    check("sessionId", conversation.sessionId, filledText);
    checkOptions("the conversation", conversation, CONVERSATION);
  }
}

/** Of `plan`, `reset` and `doctor`: options that are true or false. @param {unknown} options @param {...string} names */
export function checkSwitches(options, ...names) {
  checkOptions("the options", options, Object.fromEntries(names.map((name) => [name, truth])));
}

/** A text that must not be empty. @param {string} name @param {unknown} value */
export function checkText(name, value) {
  check(name, value, filledText);
}

/** Of `chunkMarkdown`. @param {unknown} markdown @param {unknown} tokens @param {unknown} overlap */
export function checkChunking(markdown, tokens, overlap) {
  check("text", markdown, text);
  checkOptions("the chunk size", { tokens, overlap }, { tokens: whole(1, MAX_UNSIGNED), overlap: whole(0, MAX_UNSIGNED) });
}
