// Accounts of embedding providers: address, key and headers, resolved together and once.
//
// Address: `remote.baseUrl`, else that of the provider in `models.providers`, else its public one. A provider's own key
// and headers are for its own address only; `remote.apiKey` and `remote.headers` are for whatever `remote.baseUrl` says.
// A fallback provider has no `remote`.

import { isDeepStrictEqual } from "node:util";
import { DATABASE_PARTS, databaseSetting, isRecord, remoteSettings, searchOverview } from "./config.js";
import { firstSet, processEnv } from "./env.js";
import { codedError, errorMessage } from "./errors.js";
import { AUTOMATIC_PROVIDERS, isKeyVariable, isSameDestination, isSameHost, knownProvider, normalAddress } from "./providers.js";

/**
 * @typedef {import("../index.d.ts").ProviderAccount} ProviderAccount
 * @typedef {import("./providers.js").KnownProvider & {api?: string}} KnownProvider
 * @typedef {{apiKey: string, source?: string}} FoundKey
 * @typedef {(provider: string) => Promise<string | FoundKey | undefined>} KeyLookup Asks the host for the key of a provider.
 * @typedef {(reference: unknown) => Promise<string | undefined>} SecretLookup Resolves a secret reference of the configuration.
 * @typedef {{lookupKey?: KeyLookup, resolveSecret?: SecretLookup, env?: import("./env.js").Env}} CredentialSources
 * @typedef {ReturnType<typeof remoteSettings>} Remote
 * @typedef {{key?: string, keyFrom?: string, spareKeys?: string[], headers: Record<string, string>}} Credentials
 */

/** What the host writes in the place of a key where there is none to send. */
const NO_KEY =
  /^(?:ollama-local|lmstudio-local|custom-local|codex-app-server|gcp-vertex-credentials|secretref-managed|minimax-oauth|oauth:.*|\{.*)$/s;

/**
 * The accounts of every provider that the agent's settings could use, and one sentence for each secret that could not be
 * read. Those that `auto` may choose stand first, in its order.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} agentId
 * @param {CredentialSources} [sources]
 * @returns {Promise<{accounts: ProviderAccount[], problems: string[]}>}
 */
export async function resolveAccounts(cfg, agentId, sources = {}) {
  const overview = searchOverview(cfg, agentId);
  const requested = (overview.provider ?? "auto").toLowerCase();
  const remote = remoteSettings(cfg, agentId);
  const automatic = requested === "auto";
  const primary = automatic ? AUTOMATIC_PROVIDERS : [requested];
  const fallback = overview.fallback?.toLowerCase();
  /** @type {ProviderAccount[]} */
  const accounts = [];
  /** @type {string[]} */
  const problems = [];
  for (const [at, provider] of primary.entries()) {
    // Nobody named a provider: `remote` is for the first one that `auto` tries, and no other may have its key.
    const account = await resolveAccount(cfg, provider, at === 0 ? remote : {}, sources, problems);
    if (account) accounts.push(automatic ? { ...account, automatic } : account);
  }
  if (fallback && !primary.includes(fallback)) {
    const account = await resolveAccount(cfg, fallback, {}, sources, problems);
    if (account) accounts.push(account);
  }
  return { accounts, problems };
}

/**
 * The account of one provider; undefined when it needs none.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} provider
 * @param {Remote} remote
 * @param {CredentialSources} sources
 * @param {string[]} [problems] Secrets that could not be read are added.
 * @returns {Promise<ProviderAccount | undefined>}
 */
export async function resolveAccount(cfg, provider, remote, sources, problems = []) {
  const known = knownProvider(provider, entryOf(cfg, provider)?.entry);
  return known && (await accountOf(cfg, provider, known, remote, sources, problems));
}

/**
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} provider
 * @param {KnownProvider} known
 * @param {Remote} remote
 * @param {CredentialSources} sources
 * @param {string[]} problems
 * @returns {Promise<ProviderAccount>}
 */
async function accountOf(cfg, provider, known, remote, sources, problems) {
  const entries = known.owners.map((owner) => entryOf(cfg, owner)).filter((found) => found !== undefined);
  const own = ownAddress(entries, known);
  const ownNormal = own && normalAddress(own.written, known);
  const ownCredentials = () => credentialsOf(entries, known, ownNormal, sources, problems);
  const asked = remote.baseUrl ? { written: remote.baseUrl.value, from: remote.baseUrl.path } : own;
  /** @type {ProviderAccount} */
  const account = { provider, ...(known.api ? { api: known.api } : {}), addressFrom: asked?.from };
  if (!asked) return isSpoken(provider, known) ? { ...account, problem: noAddress(provider) } : withKey(account, await ownCredentials());
  const address = normalAddress(asked.written, known);
  if (!address) return { ...account, problem: badAddress(asked.from) };
  const owns = isSameDestination(address, ownNormal);
  const given = await remoteCredentials(remote, address, known, sources, problems);
  /** @type {Credentials} */
  const kept = owns ? await ownCredentials() : { headers: {} };
  const headers = mergeHeaders(kept.headers, given.headers);
  const { key, keyFrom, spareKeys } = given.key === undefined ? kept : given;
  const reached = withKey({ ...account, baseUrl: address }, { key, keyFrom, spareKeys, headers });
  const isKeyed = key !== undefined || Object.keys(headers).some((name) => isKeyHeader(name, known));
  if (isKeyed) return reached;
  if (owns) return known.needsKey && isPublic(address, known) ? { ...reached, problem: noKey(provider, known) } : reached;
  // Other servers may want no key, or one in a header of their own. Whoever has a key of the provider meant it to be used.
  const isMeant = known.needsKey && Object.keys(given.headers).length === 0 && (await ownCredentials()).key !== undefined;
  return isMeant ? { ...reached, problem: foreignAddress(provider, address, ownNormal) } : reached;
}

/** Whether the engine speaks to it, so that it needs an address. @param {string} provider @param {KnownProvider} known */
function isSpoken(provider, known) {
  return known.api !== undefined || known.endings !== undefined || provider === "openai-compatible";
}

/** @param {string} address @param {KnownProvider} known */
function isPublic(address, known) {
  return known.baseUrl !== undefined && isSameDestination(address, normalAddress(known.baseUrl, known));
}

/** @param {string} name @param {KnownProvider} known */
function isKeyHeader(name, { keyHeader }) {
  return name.toLowerCase() === "authorization" || name.toLowerCase() === keyHeader;
}

/**
 * @param {ProviderAccount} account
 * @param {Credentials} credentials
 * @returns {ProviderAccount}
 */
function withKey(account, { key, keyFrom, spareKeys, headers }) {
  return {
    ...account,
    ...(key === undefined ? {} : { apiKey: key, keyFrom }),
    ...(spareKeys?.length ? { spareKeys } : {}),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
}

/**
 * The entry of `models.providers` under a name, whatever its case.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} name
 * @returns {{name: string, entry: Record<string, any>} | undefined}
 */
function entryOf(cfg, name) {
  const providers = isRecord(cfg.models?.providers) ? cfg.models.providers : {};
  const key = Object.hasOwn(providers, name) ? name : Object.keys(providers).find((other) => other.trim().toLowerCase() === name);
  return key !== undefined && isRecord(providers[key]) ? { name: key, entry: providers[key] } : undefined;
}

/**
 * @typedef {{name: string, entry: Record<string, any>}} Entry
 * @param {Entry[]} entries
 * @param {KnownProvider} known
 * @returns {{written: unknown, from: string} | undefined}
 */
function ownAddress(entries, known) {
  const found = entries.find(({ entry }) => entry.baseUrl !== undefined && entry.baseUrl !== null && entry.baseUrl !== "");
  if (found) return { written: found.entry.baseUrl, from: `models.providers.${found.name}.baseUrl` };
  return known.baseUrl === undefined ? undefined : { written: known.baseUrl, from: "default" };
}

/**
 * What a provider's own account holds: `models.providers`, then the host's key store, then the environment.
 * @param {Entry[]} entries
 * @param {KnownProvider} known
 * @param {string | undefined} address The provider's own address: an entry that names another one keeps its key.
 * @param {CredentialSources} sources
 * @param {string[]} problems
 * @returns {Promise<Credentials>}
 */
async function credentialsOf(entries, known, address, sources, problems) {
  const here = entries.filter(({ entry }) => !entry.baseUrl || isSameDestination(normalAddress(entry.baseUrl, known), address));
  /** @type {Record<string, string>} */
  let headers = {};
  for (const { name, entry } of here) {
    headers = mergeHeaders(await readHeaders(entry.headers, `models.providers.${name}.headers`, sources, problems), headers);
  }
  const env = sources.env ?? processEnv();
  // Nobody said that keys of the environment are for a server of the user's own, unless the first one is from there.
  const isForEnvironment = address !== undefined && isPublic(address, known);
  const spare = (/** @type {string} */ key) => (isForEnvironment ? { spareKeys: keysOfEnvironment(known, env, key) } : {});
  for (const { name, entry } of here) {
    const where = `models.providers.${name}.apiKey`;
    const key = realKey(await resolveValue(entry.apiKey, where, sources, problems));
    if (key !== undefined) return { key, keyFrom: where, ...spare(key), headers };
  }
  if (known.needsKey || known.api === undefined) {
    // Servers of the user's own machine have no account in a key store.
    for (const owner of isLocal(known) ? [] : known.owners) {
      const found = await sources.lookupKey?.(owner);
      const { apiKey, source } = typeof found === "string" ? { apiKey: found, source: undefined } : (found ?? {});
      const key = realKey(apiKey);
      if (key !== undefined)
        return { key, keyFrom: `the host's account "${owner}"${source ? ` (${source})` : ""}`, ...spare(key), headers };
    }
  }
  const single = firstSet(known.keyVariables ?? [], env);
  const list = firstSet(known.keyLists ?? [], env);
  const first = single?.value ?? keysOf(list?.value)[0];
  if (first === undefined) return { headers };
  return { key: first, keyFrom: (single ?? list)?.name, spareKeys: keysOfEnvironment(known, env, first), headers };
}

/**
 * The keys of the environment that take turns with another one, in the host's order.
 * @param {KnownProvider} known
 * @param {import("./env.js").Env} env
 * @param {string} key
 */
function keysOfEnvironment({ keyVariables = [], keyLists = [] }, env, key) {
  if (keyLists.length === 0) return [];
  const numbered = Object.keys(env).filter((name) =>
    keyVariables.some((variable) => name.startsWith(variable) && /^_\d+$/.test(name.slice(variable.length))),
  );
  const single = [...keyVariables, ...numbered.sort()].map((name) => env[name]?.trim() ?? "");
  const keys = [...keyLists.flatMap((name) => keysOf(env[name])), ...single].filter(Boolean);
  return [...new Set(keys)].filter((other) => other !== key);
}

/** @param {string | undefined} list @returns {string[]} */
const keysOf = (list) => list?.split(/[\s,;]+/).filter(Boolean) ?? [];

/** @param {KnownProvider} known */
function isLocal({ baseUrl, needsKey }) {
  return baseUrl !== undefined && !needsKey;
}

/**
 * `remote.apiKey` and `remote.headers`, unless they were written for a server on another host than the one in use.
 * @param {Remote} remote
 * @param {string} address
 * @param {KnownProvider} known
 * @param {CredentialSources} sources
 * @param {string[]} problems
 * @returns {Promise<Credentials>}
 */
async function remoteCredentials({ apiKey, headers }, address, known, sources, problems) {
  /** @param {import("./config.js").RemoteValue | undefined} part */
  const isForHere = (part) => {
    if (!part) return false;
    const meantFor = part.meantFor === undefined ? undefined : normalAddress(part.meantFor, known);
    if (meantFor === undefined || isSameHost(meantFor, address)) return true;
    problems.push(`${part.path} is written for ${new URL(meantFor).origin} and is not sent to ${new URL(address).origin}`);
    return false;
  };
  const plainHeaders = isForHere(headers) ? await readHeaders(headers?.value, headers?.path ?? "", sources, problems) : {};
  const key = isForHere(apiKey) ? realKey(await resolveValue(apiKey?.value, apiKey?.path ?? "", sources, problems)) : undefined;
  return { key, keyFrom: apiKey?.path, headers: plainHeaders };
}

/**
 * @param {unknown} values
 * @param {string} where
 * @param {CredentialSources} sources
 * @param {string[]} problems
 */
async function readHeaders(values, where, sources, problems) {
  /** @type {Record<string, string>} */
  const headers = {};
  for (const [name, value] of Object.entries(isRecord(values) ? values : {})) {
    const text = await resolveValue(value, `${where}.${name}`, sources, problems);
    if (text !== undefined) headers[name] = text;
  }
  return headers;
}

/**
 * Headers of both; the stronger ones win, however they are capitalised.
 * @param {Record<string, string>} weaker
 * @param {Record<string, string>} stronger
 */
function mergeHeaders(weaker, stronger) {
  const names = new Set(Object.keys(stronger).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(weaker).filter(([name]) => !names.has(name.toLowerCase()))), ...stronger };
}

/** @param {string | undefined} key */
function realKey(key) {
  return key === undefined || NO_KEY.test(key) ? undefined : key;
}

/** @param {string} provider */
function noAddress(provider) {
  return {
    code: "MEM_CONFIG",
    message: `there is no address for the embedding provider ${provider}`,
    remedy: `Set remote.baseUrl of the memory settings, or models.providers.${provider}.baseUrl, for example http://127.0.0.1:8080/v1`,
  };
}

/** @param {string} from */
function badAddress(from) {
  return {
    code: "MEM_CONFIG",
    message: `${from} is no http(s) address without user and password, so nothing is sent to an embedding provider`,
    remedy: "Set it to something like https://api.openai.com/v1, and give keys in remote.apiKey or remote.headers",
  };
}

/** @param {string} provider @param {KnownProvider} known */
function noKey(provider, { owners, keyVariables = [] }) {
  const variable = keyVariables[0] ? ` or ${keyVariables[0]}` : "";
  return {
    code: "MEM_PROVIDER_AUTH",
    message: `there is no API key for the embedding provider ${provider}`,
    remedy: `Log in to "${owners[0]}" in OpenClaw, or set models.providers.${owners[0]}.apiKey${variable}; with provider \`embedded\` no key is needed`,
  };
}

/** @param {string} provider @param {string} address @param {string | undefined} own */
function foreignAddress(provider, address, own) {
  return {
    code: "MEM_CONFIG",
    message: `the key of ${provider} belongs to ${shown(own)} and is not sent to ${shown(address)}`,
    remedy: "Set remote.apiKey or remote.headers for this address, or provider `openai-compatible` for a server that wants no key",
  };
}

/** An address without its query, which may hold a key. @param {string | undefined} address */
function shown(address) {
  return address?.replace(/\?.*$/s, "") ?? "its own address";
}

/**
 * A part of the configuration with its key and its headers as text. What cannot be read stays as it is: whoever needs it
 * knows best what to say of it. The same object when there was nothing to read.
 * @template T
 * @param {T} part
 * @param {CredentialSources} sources
 * @returns {Promise<T>}
 */
export async function withPlainSecrets(part, sources) {
  if (!isRecord(part)) return part;
  /** @param {unknown} value */
  const read = async (value) => (await resolveValue(value, "", sources, [])) ?? value;
  const { apiKey, headers } = part;
  /** @type {Record<string, any>} */
  const plain = { ...part };
  if (apiKey !== undefined) plain.apiKey = await read(apiKey);
  if (isRecord(headers)) {
    plain.headers = Object.fromEntries(await Promise.all(Object.entries(headers).map(async ([name, value]) => [name, await read(value)])));
  }
  return isDeepStrictEqual(plain, part) ? part : /** @type {T} */ (plain);
}

/**
 * The address of the database that the settings of an agent name, as text.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} agentId
 * @param {CredentialSources} sources
 * @param {string[]} problems A secret that could not be read is added.
 */
export async function resolveDatabaseUrl(cfg, agentId, sources, problems) {
  const written = databaseSetting(cfg, agentId, "url");
  return written && (await resolveValue(written.value, written.path, sources, problems));
}

/**
 * What the settings of an agent name of a database instead of its address, as text; undefined where they name nothing of it.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} agentId
 * @param {CredentialSources} sources
 * @param {string[]} problems A variable that is not set is added.
 * @returns {Promise<import("../index.d.ts").DatabaseParts | undefined>}
 */
export async function resolveDatabaseParts(cfg, agentId, sources, problems) {
  /** @type {import("../index.d.ts").DatabaseParts} */
  const parts = { besideUrl: databaseSetting(cfg, agentId, "url") !== undefined };
  let isWritten = false;
  for (const name of DATABASE_PARTS) {
    const written = databaseSetting(cfg, agentId, name);
    if (!written) continue;
    isWritten = true;
    const value = typeof written.value === "number" ? String(written.value) : written.value;
    parts[name] = await resolveValue(value, written.path, sources, problems);
  }
  return isWritten ? parts : undefined;
}

/**
 * What tells the password of the database that the settings of an agent name, as it is when it is asked: it may be a token
 * that expires. Undefined where they name none.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} agentId
 * @param {CredentialSources} sources
 * @returns {(() => Promise<string>) | undefined}
 */
export function databasePassword(cfg, agentId, sources) {
  const written = databaseSetting(cfg, agentId, "password");
  if (!written) return undefined;
  return async () => {
    /** @type {string[]} */
    const problems = [];
    const password = await resolveValue(written.value, written.path, sources, problems);
    if (password === undefined) throw codedError("MEM_CONFIG", problems[0] ?? `${written.path} is empty`);
    return password;
  };
}

/**
 * The settings of an agent that hold a password of a database in plain text.
 * @param {import("./config.js").HostConfig} cfg As it is written: a host fills variables in.
 * @param {string} agentId
 * @returns {string[]}
 */
export function plainDatabaseSecrets(cfg, agentId) {
  const isText = (/** @type {unknown} */ value) => typeof value === "string" && variableOf(value.trim()) === undefined;
  const [url, password] = /** @type {const} */ (["url", "password"]).map((name) => databaseSetting(cfg, agentId, name));
  const plain = [];
  if (url && isText(url.value) && /^[^/]*:\/\/[^/@:]*:(?!\$\{)[^@]+@/.test(String(url.value))) plain.push("store.postgres.url");
  if (password && isText(password.value)) plain.push("store.postgres.password");
  return plain;
}

/**
 * The environment variable that a text stands for. The host writes the name alone in some places.
 * @param {string} text
 */
function variableOf(text) {
  return /^(?:\$\{|secretref-env:)([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(text)?.[1] ?? (isKeyVariable(text) ? text : undefined);
}

/**
 * A secret of the configuration: plain text, `${NAME}`, or a reference `{source, provider?, id}`.
 * @param {unknown} value
 * @param {string} where
 * @param {CredentialSources} sources
 * @param {string[]} problems
 */
async function resolveValue(value, where, sources, problems) {
  if (value === undefined || value === null || value === "") return undefined;
  const env = sources.env ?? processEnv();
  if (typeof value === "string") {
    const text = value.trim();
    const name = variableOf(text);
    if (!name) return text || undefined;
    if (env[name]) return env[name];
    problems.push(`${where} names the environment variable ${name}, which is not set`);
    return undefined;
  }
  if (!isRecord(value)) {
    problems.push(`${where} is neither text nor a secret reference`);
    return undefined;
  }
  try {
    const resolved = await sources.resolveSecret?.(value);
    if (resolved) return resolved;
  } catch (error) {
    problems.push(`${where} is a secret reference that could not be resolved: ${errorMessage(error)}`);
    return undefined;
  }
  if (value.source === "env" && typeof value.id === "string" && env[value.id]) return env[value.id];
  problems.push(
    `${where} is a secret reference (source "${value.source}") that cannot be resolved here; ` +
      "run the command while the gateway is running, or use an environment variable",
  );
  return undefined;
}
