// The table of embedding providers: whose key it is, where they are, and what an address of theirs looks like.

/**
 * @typedef {object} KnownProvider
 * @property {string[]} owners Ids of `models.providers` and of the host's key store that hold its account, best first.
 * @property {string} [baseUrl] Its own address when `models.providers` names none; none: one must be set.
 * @property {boolean} needsKey Whether nobody is answered there without a key.
 * @property {boolean} [automatic] Whether `auto` may choose it, in the order of this table.
 * @property {string[]} [keyVariables] Environment variables that hold its key; the first one set wins.
 * @property {string[]} [keyLists] Environment variables that hold several keys. A provider with such has keys that take
 *   turns: all of these, of `keyVariables`, and of those with `_` and a number behind their name.
 * @property {string} [keyHeader] Header of the key; default `authorization`.
 * @property {string[]} [endings] Ends of a path that are no part of the address, but are written along with it.
 * @property {string} [path] Path that the address has when none is left.
 */

/** @type {Record<string, KnownProvider>} */
const KNOWN = {
  openai: {
    owners: ["openai"],
    baseUrl: "https://api.openai.com/v1",
    needsKey: true,
    automatic: true,
    keyVariables: ["OPENAI_API_KEY"],
    endings: ["/embeddings"],
  },
  gemini: {
    owners: ["google", "gemini"],
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    needsKey: true,
    automatic: true,
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyLists: ["GEMINI_API_KEYS"],
    keyHeader: "x-goog-api-key",
    endings: ["/openai"],
    path: "/v1beta",
  },
  voyage: {
    owners: ["voyage"],
    baseUrl: "https://api.voyageai.com/v1",
    needsKey: true,
    automatic: true,
    keyVariables: ["VOYAGE_API_KEY"],
    endings: ["/embeddings"],
  },
  mistral: {
    owners: ["mistral"],
    baseUrl: "https://api.mistral.ai/v1",
    needsKey: true,
    automatic: true,
    keyVariables: ["MISTRAL_API_KEY"],
    endings: ["/embeddings"],
  },
  deepinfra: {
    owners: ["deepinfra"],
    baseUrl: "https://api.deepinfra.com/v1/openai",
    needsKey: true,
    keyVariables: ["DEEPINFRA_API_KEY"],
    endings: ["/embeddings"],
  },
  ollama: { owners: ["ollama"], baseUrl: "http://127.0.0.1:11434", needsKey: false, endings: ["/v1"] },
  lmstudio: { owners: ["lmstudio"], baseUrl: "http://127.0.0.1:1234/v1", needsKey: false, endings: ["/embeddings"], path: "/v1" },
  "llama-server": { owners: ["llama-server"], baseUrl: "http://127.0.0.1:8080/v1", needsKey: false, endings: ["/embeddings"] },
  "openai-compatible": { owners: ["openai-compatible"], needsKey: false, endings: ["/embeddings"] },
};

/** Other names of known providers. */
const ALIASES = /** @type {Record<string, string>} */ ({ google: "gemini" });

/** Names of embedding providers whose account has another name. The host's adapters speak them, and know where they are. */
const OWNERS = /** @type {Record<string, string>} */ ({ bedrock: "amazon-bedrock" });

/** Environment variables of keys that only the host's adapters use. */
const ADAPTER_KEYS = /** @type {Record<string, string[]>} */ ({ "github-copilot": ["COPILOT_GITHUB_TOKEN"] });

/** Values of `api` in `models.providers` that are OpenAI's wire format. */
const OPENAI_APIS = new Set(["openai-completions", "openai-responses"]);

/** Providers that `auto` tries in turn. */
export const AUTOMATIC_PROVIDERS = Object.keys(KNOWN).filter((id) => KNOWN[id].automatic);

/** Ids that need no account: texts stay in this process, or are not embedded. */
const WITHOUT_ACCOUNT = new Set(["none", "embedded", "local"]);

/**
 * What is known of an id. `api` is set for an entry of `models.providers` under a name of the user's own: the known
 * provider that it speaks like.
 * @param {string} id
 * @param {Record<string, any>} [entry] The id's own entry in `models.providers`.
 * @returns {(KnownProvider & {api?: string}) | undefined} Undefined when there is no account to look for.
 */
export function knownProvider(id, entry) {
  if (WITHOUT_ACCOUNT.has(id)) return undefined;
  const known = KNOWN[ALIASES[id] ?? id];
  if (known) return known;
  const plain = { owners: [OWNERS[id] ?? id], needsKey: false, keyVariables: ADAPTER_KEYS[id] ?? [] };
  const api = typeof entry?.api === "string" ? entry.api.trim().toLowerCase() : "";
  if (api === "ollama") return { ...plain, api: "ollama", endings: KNOWN.ollama.endings };
  const isOpenAi = OPENAI_APIS.has(api) || (api === "" && Boolean(entry?.baseUrl));
  return isOpenAi ? { ...plain, api: "openai-compatible", endings: ["/embeddings"] } : plain;
}

/** Names of environment variables that stand for a key where a key is written. */
const KEY_NAMES = new Set(Object.values(KNOWN).flatMap(({ keyVariables = [] }) => keyVariables));

/** @param {string} text */
export function isKeyVariable(text) {
  return KEY_NAMES.has(text);
}

/**
 * The address in its one form; undefined when it is no http(s) address without user and password.
 * @param {unknown} written
 * @param {KnownProvider} known
 * @returns {string | undefined}
 */
export function normalAddress(written, { baseUrl, endings = [], path }) {
  if (typeof written !== "string" || !URL.canParse(written.trim())) return undefined;
  const url = new URL(written.trim());
  if (!/^https?:$/.test(url.protocol) || !url.hostname || url.username || url.password) return undefined;
  url.hash = "";
  let left = url.pathname.replace(/\/+$/, "");
  for (const ending of endings) if (left.endsWith(ending)) left = left.slice(0, -ending.length).replace(/\/+$/, "");
  // Only Google's own host is known to have its path; servers on the user's machines all have the same.
  const isKnownPath = baseUrl !== undefined && (isLoopback(baseUrl) || new URL(baseUrl).hostname === url.hostname);
  url.pathname = left === "" && path && isKnownPath ? path : left;
  return url.search ? url.href : url.href.replace(/\/$/, "");
}

/**
 * Whether two addresses in their normal form are one destination: scheme, host, port, path and query.
 * @param {string | undefined} one
 * @param {string | undefined} other
 */
export function isSameDestination(one, other) {
  return one !== undefined && other !== undefined && destination(one) === destination(other);
}

/**
 * Whether two addresses are on one host: scheme, name and port.
 * @param {string} one
 * @param {string} other
 */
export function isSameHost(one, other) {
  return new URL(loopback(one)).origin === new URL(loopback(other)).origin;
}

/** @param {string} address */
function destination(address) {
  const url = new URL(loopback(address));
  return `${url.origin}${url.pathname.replace(/\/$/, "")}${url.search}`;
}

/** @param {string} address */
function isLoopback(address) {
  return new URL(loopback(address)).hostname === "127.0.0.1";
}

/** All names of this machine are one. @param {string} address */
function loopback(address) {
  const url = new URL(address);
  if (url.hostname === "localhost" || url.hostname === "[::1]") url.hostname = "127.0.0.1";
  return url.href;
}
