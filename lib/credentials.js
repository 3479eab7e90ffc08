// Keys and headers for embedding providers, from most to least specific: `remote` of the memory settings, the host's
// `models.providers`, the host's own key lookup, the environment.

import { isDeepStrictEqual } from "node:util";
import { isRecord, searchOverview } from "./config.js";
import { processEnv, providerKeyFromEnv } from "./env.js";
import { errorMessage } from "./errors.js";

/**
 * @typedef {{apiKey?: string, headers?: Record<string, string>}} Credential
 * @typedef {(provider: string) => Promise<string | undefined>} KeyLookup Asks the host for the key of a provider.
 * @typedef {(reference: unknown) => Promise<string | undefined>} SecretLookup Resolves a secret reference of the configuration.
 * @typedef {{lookupKey?: KeyLookup, resolveSecret?: SecretLookup, env?: import("./env.js").Env}} CredentialSources
 */

/** Providers tried in this order when none is named. */
const AUTOMATIC_PROVIDERS = ["openai", "gemini", "voyage", "mistral"];

/** Providers that never need a key. */
const KEYLESS = new Set(["none", "embedded", "local", "ollama", "lmstudio"]);

/**
 * Credentials of every provider that the agent's settings could use, and one sentence for each that could not be read.
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} agentId
 * @param {CredentialSources} [sources]
 * @returns {Promise<{credentials: Record<string, Credential>, problems: string[]}>}
 */
export async function resolveCredentials(cfg, agentId, sources = {}) {
  const overview = searchOverview(cfg, agentId);
  const requested = overview.provider ?? "auto";
  const primary = requested === "auto" ? AUTOMATIC_PROVIDERS : [requested];
  const fallback = overview.fallback && overview.fallback !== "none" ? [overview.fallback] : [];
  /** @type {Record<string, Credential>} */
  const credentials = {};
  /** @type {string[]} */
  const problems = [];
  for (const provider of new Set([...primary, ...fallback])) {
    // `remote` belongs to the configured provider; a fallback provider has an account of its own.
    const remote = primary.includes(provider) ? overview.remote : {};
    const credential = await resolveOne(cfg, provider, remote, sources, problems);
    if (credential) credentials[provider] = credential;
  }
  return { credentials, problems };
}

/**
 * @param {import("./config.js").HostConfig} cfg
 * @param {string} provider
 * @param {Record<string, any>} remote
 * @param {CredentialSources} sources
 * @param {string[]} problems
 * @returns {Promise<Credential | undefined>}
 */
async function resolveOne(cfg, provider, remote, sources, problems) {
  const model = isRecord(cfg.models?.providers?.[provider]) ? cfg.models.providers[provider] : {};
  /** @param {unknown} value @param {string} where */
  const read = (value, where) => resolveValue(value, where, sources, problems);
  const headers = /** @type {Record<string, string>} */ ({});
  for (const [where, values] of Object.entries({
    [`models.providers.${provider}.headers`]: model.headers,
    "remote.headers": remote.headers,
  })) {
    for (const [name, value] of Object.entries(isRecord(values) ? values : {})) {
      const text = await read(value, `${where}.${name}`);
      if (text !== undefined) headers[name] = text;
    }
  }
  const apiKey =
    (await read(remote.apiKey, "remote.apiKey")) ??
    (await read(model.apiKey, `models.providers.${provider}.apiKey`)) ??
    (KEYLESS.has(provider) ? undefined : await sources.lookupKey?.(provider)) ??
    providerKeyFromEnv(provider, sources.env ?? processEnv());
  if (apiKey === undefined && Object.keys(headers).length === 0) return undefined;
  return { ...(apiKey === undefined ? {} : { apiKey }), ...(Object.keys(headers).length > 0 ? { headers } : {}) };
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
    const name = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value.trim())?.[1];
    if (!name) return value.trim() || undefined;
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
