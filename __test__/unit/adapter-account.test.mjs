// What an adapter of the host is given of a provider's account. The host is a stand-in that this process seems to run.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hostAdapter } from "../../plugin/host-embeddings.js";

const OWN = { apiKey: "canary-key", headers: { "x-own": "canary-header" } };
const FOREIGN = "http://127.0.0.1:9/v1";

/** A module that hands over, as the vector's place, what its adapter was given. */
const SDK = `
export const getMemoryEmbeddingProvider = (id) => ({
  defaultModel: "m",
  create: async (request) => ({ provider: { embedBatch: async (texts) => texts.map(() => JSON.stringify(request)) } }),
});
`;

/** @type {string} */
let dir;

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-sdk-"));
  const openclaw = path.join(dir, "node_modules", "openclaw");
  await mkdir(openclaw, { recursive: true });
  const exports = { "./plugin-sdk/memory-core-host-engine-embeddings": "./sdk.mjs" };
  await writeFile(path.join(openclaw, "package.json"), JSON.stringify({ name: "openclaw", exports }));
  await writeFile(path.join(openclaw, "sdk.mjs"), SDK);
  const entry = path.join(dir, "openclaw.mjs");
  await writeFile(entry, "");
  vi.spyOn(process, "argv", "get").mockReturnValue(["node", entry]);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

/**
 * What the adapter is given for these settings.
 * @param {string} provider
 * @param {Record<string, unknown>} remote
 * @param {Record<string, unknown>} providers
 */
async function given(provider, remote, providers) {
  const cfg = { memory: { search: { provider, remote } }, models: { providers } };
  const adapter = hostAdapter({ cfg, agentId: "main", agentDir: "/agents/main", credentialSources: { env: {} } });
  const [request] = /** @type {any[]} */ ((await adapter?.embed(["a"], "document", provider)) ?? []);
  return JSON.parse(request);
}

const PROVIDERS = /** @type {[string, string, Record<string, unknown>][]} */ ([
  ["deepinfra", "deepinfra", OWN],
  ["deepinfra", "DeepInfra", OWN],
  ["bedrock", "amazon-bedrock", { ...OWN, baseUrl: "http://127.0.0.1:8" }],
  ["my-server", "my-server", { ...OWN, baseUrl: "http://127.0.0.1:8/v1", api: "openai-completions" }],
]);

// Hosts before 2026.8 send the key and the headers of a provider to whatever `remote.baseUrl` says.
test.each(PROVIDERS)("an adapter of %s, account %s, has nothing of the account for another address", async (provider, name, own) => {
  const remote = { baseUrl: FOREIGN, apiKey: "remote-key", headers: { "x-remote": "remote-header" } };
  const request = await given(provider, remote, { [name]: own, other: { apiKey: "others-key" } });
  expect(JSON.stringify(request)).not.toContain("canary");
  expect(request.remote).toEqual(remote);
  expect(request.config.models.providers.other).toEqual({ apiKey: "others-key" });
});

test.each(PROVIDERS)("an adapter of %s, account %s, has all of it for the account's own address", async (provider, name, own) => {
  const baseUrl = own.baseUrl ?? "https://api.deepinfra.com/v1/openai/";
  const request = await given(provider, { baseUrl }, { [name]: own });
  expect(request.config.models.providers[name]).toMatchObject(OWN);
});

test("another address without a key of its own is refused when the account has a key", async () => {
  const asked = given("deepinfra", { baseUrl: FOREIGN }, { deepinfra: OWN });
  await expect(asked).rejects.toThrow(
    /the key of deepinfra belongs to https:\/\/api\.deepinfra\.com\/v1\/openai and is not sent to http:\/\/127\.0\.0\.1:9\/v1\. Set remote\.apiKey/,
  );
  await expect(asked).rejects.not.toThrow("canary");
});

/** Provider of the host, account it has, where that is asked, whether it is known and needs a key. */
const MATRIX = /** @type {[string, string, string, boolean][]} */ ([
  ["deepinfra", "deepinfra", "https://api.deepinfra.com/v1/openai", true],
  ["deepinfra", "deepinfra", "http://127.0.0.1:8/v1/openai", true],
  ["bedrock", "amazon-bedrock", "http://127.0.0.1:8", false],
]);

const CASES = MATRIX.flatMap(([provider, owner, address, isKnown]) =>
  ["inherited", "same", "foreign"].flatMap((base) =>
    ["own key", "remote key", "both keys", "no key"].map((keys) => /** @type {const} */ ([provider, address, base, keys, owner, isKnown])),
  ),
);

// A change of the account was not seen where its name is not the provider's: Bedrock went on with the former key. As the
// engine's own providers in accounts.test.mjs: those of the host are never asked over loopback by the engine, so it
// is what their adapter is given that tells.
test.each(CASES)("an adapter of %s at %s, remote address %s, %s", async (provider, address, base, keys, owner, isKnown) => {
  const hasOwn = keys === "own key" || keys === "both keys";
  const hasRemote = keys === "remote key" || keys === "both keys";
  const remote = {
    ...(base === "same" ? { baseUrl: `${address}/` } : base === "foreign" ? { baseUrl: FOREIGN } : {}),
    ...(hasRemote ? { apiKey: "remote-key" } : {}),
  };
  const isWritten = address.startsWith("http:");
  const account = { ...(isWritten ? { baseUrl: address } : {}), ...(hasOwn ? OWN : {}) };
  const asked = given(provider, remote, { [owner]: account });
  if (base === "foreign" && hasOwn && !hasRemote && isKnown) {
    await expect(asked).rejects.toThrow(/is not sent to http:\/\/127\.0\.0\.1:9\/v1\. Set remote\.apiKey/);
    await expect(asked).rejects.not.toThrow("canary");
    return;
  }
  const request = await asked;
  const text = JSON.stringify(request);
  expect(text.includes("canary")).toBe(hasOwn && base !== "foreign");
  expect(text.includes("remote-key")).toBe(hasRemote);
  expect(request.remote?.baseUrl).toBe(remote.baseUrl);
  if (base !== "foreign" && isWritten) expect(request.config.models.providers[owner].baseUrl).toBe(address);
});
