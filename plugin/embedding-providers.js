// The embedding providers that memory-core gives hosts before 2026.4.20 besides memory: their `/v1/embeddings` uses them.
//
// Without any, such a host looks for one whenever it reads the settings of memory, as a gateway does when it starts. For
// that it loads the plugins of an empty configuration and puts them in the place of the running ones: until the next
// turn of an agent our hooks are not called and memory is memory-core's again.

import { errorMessage } from "../lib/errors.js";
import { importSdk } from "./sdk.js";

/** Where such a host keeps the providers of all its registrations; it takes none twice. */
const REGISTERED = Symbol.for("openclaw.memoryEmbeddingProviders");

/** The providers as memory-core 2026.4.12 describes them, in the order in which `auto` tries them. */
const PROVIDERS = [
  {
    id: "local",
    defaultModel: "hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf",
    transport: "local",
    autoSelectPriority: 10,
    shouldContinueAutoSelection: () => true,
    factory: "createLocalEmbeddingProvider",
  },
  remote("openai", "text-embedding-3-small", "createOpenAiEmbeddingProvider", 20),
  {
    ...remote("gemini", "gemini-embedding-001", "createGeminiEmbeddingProvider", 30),
    supportsMultimodalEmbeddings: (/** @type {{model: string}} */ { model }) => /(^|\/)gemini-embedding-2-preview$/.test(model.trim()),
  },
  remote("voyage", "voyage-4-large", "createVoyageEmbeddingProvider", 40),
  remote("mistral", "mistral-embed", "createMistralEmbeddingProvider", 50),
  remote("lmstudio", "text-embedding-nomic-embed-text-v1.5", "createLmstudioEmbeddingProvider"),
];

/**
 * @param {import("./host.js").PluginApi} api
 * @param {import("./host.js").Host} host
 */
export function registerEmbeddingProviders(api, host) {
  // Commands load few plugins, and look for the providers of the others only while there is none.
  if (!process.argv.includes("gateway")) return;
  // Newer hosts have no such registration, and reading the version while commands are described throws.
  if (typeof api.registerMemoryEmbeddingProvider !== "function" || (api.registrationMode ?? "full") !== "full") return;
  if (host.has("providerPlugins")) return;
  const registered = /** @type {Record<symbol, unknown>} */ (/** @type {unknown} */ (globalThis))[REGISTERED];
  for (const { factory, ...provider } of PROVIDERS) {
    if (registered instanceof Map && registered.has(provider.id)) continue;
    api.registerMemoryEmbeddingProvider({ ...provider, create: (/** @type {object} */ options) => create(provider.id, factory, options) });
  }
}

/**
 * @param {string} id
 * @param {string} defaultModel
 * @param {string} factory Name of the function of the host that makes it.
 * @param {number} [autoSelectPriority] Lower is tried first; `auto` does not try one without.
 */
function remote(id, defaultModel, factory, autoSelectPriority) {
  const chosen =
    autoSelectPriority === undefined
      ? {}
      : {
          autoSelectPriority,
          allowExplicitWhenConfiguredAuto: true,
          shouldContinueAutoSelection: (/** @type {unknown} */ error) => errorMessage(error).includes("No API key found for provider"),
        };
  return { id, defaultModel, transport: "remote", factory, ...chosen };
}

/**
 * @param {string} id
 * @param {string} factory
 * @param {object} options
 */
async function create(id, factory, options) {
  const sdk = await importSdk("memory-core-host-engine-embeddings");
  if (typeof sdk?.[factory] !== "function") throw new Error(`this host has no embedding provider "${id}"`);
  const made = await sdk[factory]({ ...options, provider: id, fallback: "none" });
  return { provider: made.provider ?? made, runtime: { id } };
}
