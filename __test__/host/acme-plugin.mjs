// A plugin of somebody else that brings an embedding provider, written for a host as its documentation says.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const MANIFEST = {
  id: "acme-embeddings",
  name: "Acme embeddings",
  version: "1.0.0",
  description: "The embedding models of Acme.",
  activation: { onStartup: true },
  configSchema: { type: "object", additionalProperties: false, properties: {} },
};

const PACKAGE = { name: "acme-embeddings", version: "1.0.0", type: "module", main: "./index.js", openclaw: { extensions: ["./index.js"] } };

/** The registrar and the shape of a provider differ; what is sent does not. The host resolves the key. */
const ENTRY = `
async function request({ base, model, key, input, inputType }) {
  const headers = { "content-type": "application/json", authorization: "Bearer " + key };
  const body = JSON.stringify({ model, input, input_type: inputType });
  const answer = await fetch(base + "/embeddings", { method: "POST", headers, body });
  if (!answer.ok) throw new Error("Acme embeddings failed: HTTP " + answer.status);
  return (await answer.json()).data.map((row) => row.embedding);
}

export default {
  id: "acme-embeddings",
  name: "Acme embeddings",
  register(api) {
    // One of its models takes pictures, as parts of an input.
    const sent = (input) => (typeof input === "string" ? input : JSON.stringify(input));
    const register = api.registerEmbeddingProvider ?? api.registerMemoryEmbeddingProvider;
    register({
      id: "acme",
      defaultModel: "acme-small",
      transport: "remote",
      authProviderId: "acme",
      supportsMultimodalEmbeddings: ({ model }) => model === "acme-eyes",
      async create({ config, agentDir, model }) {
        const { apiKey: key } = await api.runtime.modelAuth.resolveApiKeyForProvider({ provider: "acme", cfg: config, agentDir });
        const base = config.models.providers.acme.baseUrl;
        const send = (input, inputType) => request({ base, model, key, input, inputType });
        const provider = {
          id: "acme",
          model,
          embed: async (text, options) => (await send([text], options?.inputType))[0],
          embedQuery: async (text) => (await send([text], "query"))[0],
          embedBatch: (texts, options) => send(texts.map(sent), options?.inputType ?? "document"),
        };
        return { provider };
      },
    });
  },
};
`;

/**
 * Writes the plugin for a host and installs it, as a user would.
 * @param {import("./harness.mjs").TestHost} host
 */
export async function installAcme(host) {
  const dir = path.join(host.dir, "acme-embeddings");
  await mkdir(dir);
  const contract = host.atLeast("2026.6.1") ? "embeddingProviders" : "memoryEmbeddingProviders";
  await writeFile(path.join(dir, "openclaw.plugin.json"), JSON.stringify({ ...MANIFEST, contracts: { [contract]: ["acme"] } }));
  await writeFile(path.join(dir, "package.json"), JSON.stringify(PACKAGE));
  await writeFile(path.join(dir, "index.js"), ENTRY);
  await host.ok("plugins", "install", dir, ...(host.atLeast("2026.8.1") ? ["--force", "--accept-capabilities"] : []));
}
