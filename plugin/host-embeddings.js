// Embedding providers that the host speaks and our engine does not: Bedrock, GitHub Copilot, DeepInfra, those of other
// plugins, and endpoints of `models.providers`. The engine packs, paces and retries; the host's adapter only embeds.

import { resolveAccount, withPlainSecrets } from "../lib/accounts.js";
import { isRecord, remoteSettings, searchOverview } from "../lib/config.js";
import { codedError, errorMessage } from "../lib/errors.js";
import { native } from "../lib/native.js";
import { PACKAGE_VERSION } from "../lib/package-info.js";
import { isSameDestination, knownProvider } from "../lib/providers.js";
import { shared } from "../lib/shared.js";
import { importSdk } from "./sdk.js";

/**
 * @typedef {import("../lib/config.js").HostConfig} HostConfig
 * @typedef {import("../index.d.ts").HostAdapter} HostAdapter
 * @typedef {import("../lib/accounts.js").CredentialSources} CredentialSources
 * @typedef {{model?: string, remote?: Record<string, any>, local?: Record<string, any>}} ProviderOptions
 * @typedef {{embed?: (text: string, options: {inputType: string}) => Promise<unknown>,
 *   embedQuery?: (text: string) => Promise<number[]>,
 *   embedBatch: (texts: (string | MediaInput)[], options: {inputType: string}) => Promise<number[][]>}} HostProvider
 *   A provider of the host: `embed` from 2026.8, `embedQuery` before.
 */

/**
 * @typedef {{text: string, parts: ({type: "text", text: string} | {type: "inline-data", mimeType: string, data: string})[]}} MediaInput
 *   A text with a file, as adapters of the host take it.
 */

/** Ids that mean no provider of their own. */
const NO_PROVIDER = ["auto", "none", "embedded"];

const SDK = "memory-core-host-engine-embeddings";

/**
 * One adapter for each provider with its settings: a new function would count as new settings.
 * @type {Map<string, HostAdapter>}
 */
const knownAdapters = shared(`host-embeddings@${PACKAGE_VERSION}`, () => new Map());

/**
 * The host's adapters for the provider of an agent and for its fallback; undefined when the engine speaks both.
 * @param {{cfg: HostConfig, agentId: string, agentDir: string, credentialSources?: CredentialSources, knowsServers?: boolean}} owner
 *   `knowsServers`: whether the host speaks to servers of `models.providers`, as hosts do from 2026.8.1; else the engine does.
 * @returns {HostAdapter | undefined}
 */
export function hostAdapter({ cfg, agentId, agentDir, credentialSources = {}, knowsServers = true }) {
  const { provider: written, fallback, model, remote, local, outputDimensionality, inputTypes } = searchOverview(cfg, agentId);
  // A model file on this machine is what `auto` tries first.
  const provider = (written ?? "auto") === "auto" && isFile(local.modelPath) ? "local" : written;
  const isOurs = (/** @type {string} */ id) =>
    NO_PROVIDER.includes(id.toLowerCase()) ||
    native().speaksProvider(id.toLowerCase()) ||
    (!knowsServers && isServer(id, cfg.models?.providers?.[id]));
  const ids = new Set([provider ?? "auto", fallback ?? "none"].filter((id) => !isOurs(id)));
  if (ids.size === 0) return undefined;
  // Model, endpoint and options are those of the provider, not of the one that stands in for it. Hosts up to 2026.7 and
  // newer ones have different names for the number of dimensions.
  const sized = outputDimensionality === undefined ? {} : { outputDimensionality, dimensions: outputDimensionality };
  const wanted = [...ids].map((id) => ({ id, options: id === provider ? { model, remote, local, ...sized, ...inputTypes } : {} }));
  const key = JSON.stringify([agentDir, wanted.map(({ id, options }) => [id, options, accountEntries(cfg, id)])]);
  const adapter = knownAdapters.get(key) ?? adapterOf(wanted, { cfg, agentId, agentDir, credentialSources });
  knownAdapters.set(key, adapter);
  return adapter;
}

/**
 * What `models.providers` says of a provider's account, under whichever of its names: Bedrock's is `amazon-bedrock`.
 * @param {HostConfig} cfg
 * @param {string} id
 */
function accountEntries(cfg, id) {
  const names = new Set([id.toLowerCase(), ...(knownProvider(id.toLowerCase())?.owners ?? [])]);
  return Object.entries(cfg.models?.providers ?? {}).filter(([name]) => names.has(name.trim().toLowerCase()));
}

/**
 * @param {{id: string, options: ProviderOptions}[]} wanted
 * @param {{cfg: HostConfig, agentId: string, agentDir: string, credentialSources: CredentialSources}} context
 * @returns {HostAdapter}
 */
function adapterOf(wanted, context) {
  const embeds = new Map(wanted.map(({ id, options }) => [id, embedWith(() => createProvider(id, { ...context, options }))]));
  return {
    providers: [...embeds.keys()],
    embed: async (texts, kind, provider, media) => {
      const embed = embeds.get(provider);
      if (!embed) throw setupFailed(`nobody serves "${provider}"`);
      return await embed(texts, kind, media);
    },
    // The first one is the configured provider; one that stands in for it gets no pictures.
    takesMedia: async () => await takesMedia(wanted[0], context.cfg),
  };
}

/**
 * Whether an adapter says of itself that it embeds pictures and sounds with this model. One that cannot be asked does not.
 * @param {{id: string, options: ProviderOptions}} provider
 * @param {HostConfig} cfg
 */
async function takesMedia({ id, options }, cfg) {
  try {
    const adapter = (await importSdk(SDK))?.getMemoryEmbeddingProvider?.(id, cfg) ?? (await generalAdapter(id, cfg));
    return adapter?.supportsMultimodalEmbeddings?.({ model: options.model ?? adapter.defaultModel ?? "" }) === true;
  } catch {
    return false;
  }
}

/**
 * Whether an entry of `models.providers` says which wire format its server speaks. One that does not may be the account of
 * a provider that another plugin brings.
 * @param {string} id
 * @param {Record<string, any> | undefined} entry
 */
function isServer(id, entry) {
  return Boolean(entry?.api) && knownProvider(id, entry)?.api !== undefined;
}

/** The engine knows the code: no request was made, and none will succeed. @param {string} cause */
function setupFailed(cause) {
  return codedError("HOST_PROVIDER_SETUP", `the host's provider cannot be set up: ${cause}`);
}

/** Whether it is a path and no address. @param {unknown} modelPath */
function isFile(modelPath) {
  return typeof modelPath === "string" && modelPath.trim() !== "" && !/^hf:|:\/\//.test(modelPath);
}

/**
 * @param {() => Promise<HostProvider>} create
 * @returns {(texts: string[], kind: "query" | "document", media?: import("../index.d.ts").InlineData) => Promise<number[][]>}
 */
export function embedWith(create) {
  /** @type {Promise<HostProvider> | null} */
  let creating = null;
  return async (texts, kind, media) => {
    creating ??= create().catch((error) => {
      // A full stop and a remedy follow.
      throw setupFailed(errorMessage(error).replace(/\.$/, ""));
    });
    const current = creating;
    try {
      const provider = await current;
      if (kind === "query") return await Promise.all(texts.map((text) => embedQuery(provider, text)));
      const inputs = media ? texts.map((text) => withFile(text, media)) : texts;
      return await provider.embedBatch(inputs, { inputType: "document" });
    } catch (error) {
      // A token may have run out: the next request starts with a new provider.
      if (creating === current) creating = null;
      throw error;
    }
  };
}

/**
 * @param {string} text
 * @param {import("../index.d.ts").InlineData} file
 * @returns {MediaInput}
 */
function withFile(text, { mimeType, data }) {
  return {
    text,
    parts: [
      { type: "text", text },
      { type: "inline-data", mimeType, data },
    ],
  };
}

/**
 * @param {HostProvider} provider
 * @param {string} text
 * @returns {Promise<number[]>}
 */
async function embedQuery(provider, text) {
  const vector = provider.embedQuery ? await provider.embedQuery(text) : await provider.embed?.(text, { inputType: "query" });
  return /** @type {number[]} */ (vector);
}

/**
 * @param {string} id
 * @param {{cfg: HostConfig, agentId: string, agentDir: string, options: ProviderOptions, credentialSources: CredentialSources}} context
 * @returns {Promise<HostProvider>}
 */
async function createProvider(id, { cfg, agentId, agentDir, options, credentialSources }) {
  const remote = await ownRemote(id, { cfg, agentId, options, credentialSources });
  const sdk = await importSdk(SDK);
  const adapter = sdk?.getMemoryEmbeddingProvider?.(id, cfg) ?? (await generalAdapter(id, cfg));
  const request = {
    ...options,
    config: await withPlainServer(remote.config, id, credentialSources),
    agentDir,
    provider: id,
    fallback: "none",
    model: options.model ?? adapter?.defaultModel ?? "",
    remote: remote.settings,
  };
  if (adapter) {
    const { provider } = await adapter.create(request).catch((/** @type {unknown} */ error) => {
      throw new Error(adapter.formatSetupError?.(error) ?? errorMessage(error));
    });
    if (provider) return provider;
  } else if (id === "local" && typeof sdk?.createLocalEmbeddingProvider === "function") {
    return await sdk.createLocalEmbeddingProvider(request);
  }
  throw new Error(`the host has no embedding provider "${id}"; enable its plugin, or set another provider`);
}

/**
 * An adapter that a plugin offers for any use: hosts between 2026.6 and 2026.8 keep those apart from the ones for memory. The
 * one with this very name goes before the one for any server, which these hosts name first where the provider has an address.
 * @param {string} id
 * @param {HostConfig} cfg
 */
async function generalAdapter(id, cfg) {
  const sdk = await importSdk("embedding-providers");
  const { [id]: _server, ...providers } = cfg.models?.providers ?? {};
  const withoutServer = { ...cfg, models: { ...cfg.models, providers } };
  return sdk?.getEmbeddingProvider?.(id, withoutServer) ?? sdk?.getEmbeddingProvider?.(id, cfg);
}

/**
 * `remote` for an adapter, and the configuration without the provider's own key and headers where that is another server
 * than its own: hosts before 2026.8 send them anywhere.
 * @param {string} id
 * @param {{cfg: HostConfig, agentId: string, options: ProviderOptions, credentialSources: CredentialSources}} context
 * @returns {Promise<{settings: Record<string, any> | undefined, config: HostConfig}>}
 */
async function ownRemote(id, { cfg, agentId, options, credentialSources }) {
  if (!options.remote) return { settings: undefined, config: cfg };
  const account = await resolveAccount(cfg, id.toLowerCase(), remoteSettings(cfg, agentId), credentialSources);
  if (account?.problem && account.problem.code !== "MEM_PROVIDER_AUTH")
    throw new Error(`${account.problem.message}. ${account.problem.remedy}`);
  const settings = await withPlainSecrets(options.remote, credentialSources);
  const own = (await resolveAccount(cfg, id.toLowerCase(), {}, credentialSources))?.baseUrl;
  if (!own || !settings.baseUrl || isSameDestination(account?.baseUrl, own)) return { settings, config: cfg };
  return { settings: { ...settings, apiKey: account?.apiKey, headers: account?.headers }, config: withoutCredentials(cfg, id) };
}

/**
 * The configuration without key and headers of a provider's account.
 * @param {HostConfig} cfg
 * @param {string} id
 * @returns {HostConfig}
 */
function withoutCredentials(cfg, id) {
  const { owners = [] } = knownProvider(id.toLowerCase()) ?? {};
  /** @param {[string, any]} entry @returns {[string, any]} */
  const withoutOwn = ([name, server]) => {
    if (!isRecord(server) || !owners.includes(name.trim().toLowerCase())) return [name, server];
    const { apiKey: _apiKey, headers: _headers, ...rest } = server;
    return [name, rest];
  };
  const providers = Object.entries(cfg.models?.providers ?? {}).map(withoutOwn);
  return { ...cfg, models: { ...cfg.models, providers: Object.fromEntries(providers) } };
}

/**
 * The configuration with the secrets of one entry of `models.providers` as text: commands see references where agents
 * see text, and an adapter takes no reference.
 * @param {HostConfig} cfg
 * @param {string} id
 * @param {CredentialSources} sources
 */
async function withPlainServer(cfg, id, sources) {
  const server = cfg.models?.providers?.[id];
  const plain = await withPlainSecrets(server, sources);
  return plain === server ? cfg : { ...cfg, models: { ...cfg.models, providers: { ...cfg.models.providers, [id]: plain } } };
}
