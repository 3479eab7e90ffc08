import { expect, test } from "vitest";
import { embedWith, hostAdapter } from "../../plugin/host-embeddings.js";

/** @param {Record<string, unknown>} search */
const owner = (search, models = {}) => ({ cfg: { memory: { search }, models }, agentId: "main", agentDir: "/agents/main" });

test("only ids that the engine does not speak go to the host", () => {
  const native = ["openai", "openai-compatible", "gemini", "google", "voyage", "mistral", "ollama", "lmstudio", "llama-server", "Voyage"];
  for (const provider of [undefined, "auto", "none", "embedded", ...native]) {
    expect(hostAdapter(owner({ provider })), provider).toBeUndefined();
  }
  for (const provider of ["bedrock", "github-copilot", "deepinfra", "local", "my-server"]) {
    expect(hostAdapter(owner({ provider })), provider).toMatchObject({ providers: [provider] });
  }
  // A model file is what `auto` tries first; the engine asked for an adapter that was never made.
  expect(hostAdapter(owner({ provider: "auto", local: { modelPath: "/models/m.gguf" } }))).toMatchObject({ providers: ["local"] });
  expect(hostAdapter(owner({ provider: "auto", local: { modelPath: "hf:u/r/m.gguf" } }))).toBeUndefined();
  expect(hostAdapter(owner({ provider: "openai", fallback: "bedrock" }))).toMatchObject({ providers: ["bedrock"] });
});

// The adapter served the first of two: a fallback that the host speaks as well was never asked.
test("a provider and a fallback that the host speaks are both served", async () => {
  const adapter = hostAdapter(owner({ provider: "bedrock", fallback: "acme" }));
  expect(adapter?.providers).toEqual(["bedrock", "acme"]);
  for (const id of ["bedrock", "acme"]) await expect(adapter?.embed(["a"], "document", id)).rejects.toThrow(`"${id}"`);
});

test("the same settings give the same adapter, other settings another one", () => {
  const first = hostAdapter(owner({ provider: "bedrock", model: "a" }));
  expect(hostAdapter(owner({ provider: "bedrock", model: "a" }))).toBe(first);
  expect(hostAdapter(owner({ provider: "bedrock", model: "b" }))).not.toBe(first);
  expect(hostAdapter(owner({ provider: "bedrock", model: "a", outputDimensionality: 256 }))).not.toBe(first);
  expect(hostAdapter(owner({ provider: "bedrock", model: "a", documentInputType: "passage" }))).not.toBe(first);
  const server = { providers: { bedrock: { baseUrl: "http://127.0.0.1:1" } } };
  expect(hostAdapter(owner({ provider: "bedrock", model: "a" }, server))).not.toBe(first);
});

test("queries and documents reach the adapter by the names of each host version", async () => {
  /** @type {import("../../plugin/host-embeddings.js").HostProvider["embedBatch"]} */
  const embedBatch = async (texts, { inputType }) => texts.map((text) => /** @type {any} */ ([String(text).length, inputType]));
  const newer = embedWith(async () => ({ embed: async (text, { inputType }) => [text.length, inputType], embedBatch }));
  expect(await newer(["ab"], "query")).toEqual([[2, "query"]]);
  expect(await newer(["ab", "c"], "document")).toEqual([
    [2, "document"],
    [1, "document"],
  ]);
  const older = embedWith(async () => ({ embedQuery: async (text) => [text.length, 7], embedBatch }));
  expect(await older(["ab", "c"], "query")).toEqual([
    [2, 7],
    [1, 7],
  ]);
});

test("a failed provider is made anew, a good one is kept", async () => {
  let made = 0;
  const embed = embedWith(async () => {
    const number = ++made;
    return {
      embedBatch: async () => {
        if (number === 1) throw new Error("401 token expired");
        return [[number]];
      },
    };
  });
  await expect(embed(["a"], "document")).rejects.toThrow("401");
  expect(await embed(["a"], "document")).toEqual([[2]]);
  expect(await embed(["a"], "document")).toEqual([[2]]);
});

// On OpenClaw 2026.9.6 status said "your server expects.. Enable the host's plugin".
test("what a host says of a provider that cannot be made ends as every cause does", async () => {
  const embed = embedWith(async () => Promise.reject(new Error("missing model. Set it to a model id.")));
  await expect(embed(["a"], "document")).rejects.toThrow(/^the host's provider cannot be set up: missing model\. Set it to a model id$/);
});

test("a provider that the host does not have is named, with a remedy", async () => {
  const adapter = hostAdapter(owner({ provider: "no-such-provider" }));
  await expect(adapter?.embed(["a"], "document", "no-such-provider")).rejects.toThrow(
    /no embedding provider "no-such-provider"; enable its plugin/,
  );
});
