// Where each embedding provider is asked and with which key: resolved from the configuration, and as servers on loopback
// see it.

import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { resolveAccounts, withPlainSecrets } from "../../lib/accounts.js";
import { Host } from "../../plugin/host.js";
import { makeWorkspace } from "../support/workspace.mjs";

const search = (/** @type {object} */ settings) => ({ memory: { search: settings } });

/** The account of a provider, or undefined. @param {object} cfg @param {import("../../lib/accounts.js").CredentialSources} [sources] */
const resolved = async (cfg, sources = { env: {} }, provider = "openai") =>
  (await resolveAccounts(cfg, "main", sources)).accounts.find((account) => account.provider === provider);

test("remote settings come before the host's provider, its key store and the environment", async () => {
  const models = { providers: { openai: { apiKey: "model-key", headers: { A: "1" } } } };
  const sources = { lookupKey: async () => "store-key", env: { OPENAI_API_KEY: "env-key" } };
  const remote = { apiKey: "remote-key" };
  const openai = { provider: "openai" };
  const found = async (/** @type {object} */ cfg, /** @type {any} */ from) => {
    const account = await resolved(cfg, from);
    return [account?.apiKey, account?.keyFrom];
  };
  expect(await found({ models, ...search({ ...openai, remote }) }, sources)).toEqual(["remote-key", "memory.search.remote.apiKey"]);
  expect(await found({ models, ...search(openai) }, sources)).toEqual(["model-key", "models.providers.openai.apiKey"]);
  expect(await found(search(openai), sources)).toEqual(["store-key", 'the host\'s account "openai"']);
  expect(await found(search(openai), { env: sources.env })).toEqual(["env-key", "OPENAI_API_KEY"]);
  const none = await resolved(search(openai));
  expect(none?.problem).toMatchObject({ code: "MEM_PROVIDER_AUTH", message: expect.stringContaining("openai") });
});

test("headers of the provider and of the memory settings go together, the latter win", async () => {
  const cfg = {
    ...search({ provider: "openai", remote: { headers: { b: "mine", C: "3" } } }),
    models: { providers: { openai: { headers: { A: "1", B: "2" } } } },
  };
  expect((await resolved(cfg))?.headers).toEqual({ A: "1", b: "mine", C: "3" });
});

test("without a named provider every automatic one is looked up, and only the first may have the remote settings", async () => {
  const cfg = search({ remote: { apiKey: "only-openai", headers: { A: "1" } } });
  const { accounts } = await resolveAccounts(cfg, "main", { env: { GEMINI_API_KEY: "g", MISTRAL_API_KEY: "m" } });
  expect(accounts.map(({ provider, apiKey, headers }) => [provider, apiKey, headers])).toEqual([
    ["openai", "only-openai", { A: "1" }],
    ["gemini", "g", undefined],
    ["voyage", undefined, undefined],
    ["mistral", "m", undefined],
  ]);
  expect(accounts.every((account) => account.automatic)).toBe(true);
});

test("the fallback has an account of its own, and none of the remote settings", async () => {
  const remote = { baseUrl: "http://foreign.example/v1", apiKey: "only-openai", headers: { A: "1" } };
  const cfg = search({ provider: "openai", fallback: "voyage", remote });
  const voyage = await resolved(cfg, { env: { VOYAGE_API_KEY: "v" } }, "voyage");
  expect(voyage).toEqual({
    provider: "voyage",
    baseUrl: "https://api.voyageai.com/v1",
    addressFrom: "default",
    apiKey: "v",
    keyFrom: "VOYAGE_API_KEY",
  });
});

test("references are resolved by the host, then from the environment, else named as a problem", async () => {
  const cfg = search({ provider: "openai", remote: { apiKey: { source: "env", provider: "default", id: "MY_KEY" } } });
  expect((await resolved(cfg, { env: {}, resolveSecret: async () => "resolved" }))?.apiKey).toBe("resolved");
  expect((await resolved(cfg, { env: { MY_KEY: "from-env" } }))?.apiKey).toBe("from-env");
  const file = search({ provider: "openai", remote: { apiKey: { source: "file", id: "/x" } } });
  const { problems } = await resolveAccounts(file, "main", { env: {} });
  expect(problems).toEqual([expect.stringMatching(/remote\.apiKey is a secret reference \(source "file"\)/)]);
  const unset = search({ provider: "openai", remote: { apiKey: ["$", "{NO_SUCH}"].join("") } });
  expect((await resolveAccounts(unset, "main", { env: {} })).problems).toEqual([
    "memory.search.remote.apiKey names the environment variable NO_SUCH, which is not set",
  ]);
});

test("providers on this machine are not looked up in a key store, and marks of the host are no keys", async () => {
  const lookedUp = /** @type {string[]} */ ([]);
  const lookupKey = async (/** @type {string} */ provider) => {
    lookedUp.push(provider);
    return "key";
  };
  const models = { providers: { ollama: { baseUrl: "http://127.0.0.1:1", apiKey: "ollama-local" } } };
  expect((await resolveAccounts(search({ provider: "none" }), "main", { env: {}, lookupKey })).accounts).toEqual([]);
  const ollama = await resolved({ models, ...search({ provider: "ollama" }) }, { env: {}, lookupKey }, "ollama");
  expect([ollama?.apiKey, lookedUp]).toEqual([undefined, []]);
});

// The account of Gemini was looked for under a name that no host uses.
test("Gemini's account is google, whose key auto finds; the former name goes on working", async () => {
  const gemini = search({ provider: "gemini" });
  const lookupKey = async (/** @type {string} */ owner) =>
    owner === "google" ? { apiKey: "g", source: "profile:google:default" } : undefined;
  const byProfile = await resolved({}, { env: {}, lookupKey }, "gemini");
  expect([byProfile?.apiKey, byProfile?.keyFrom]).toEqual(["g", 'the host\'s account "google" (profile:google:default)']);
  const entry = { apiKey: "k", baseUrl: "http://127.0.0.1:1/v1beta" };
  for (const name of ["google", "gemini"]) {
    const account = await resolved({ models: { providers: { [name]: entry } }, ...gemini }, { env: {} }, "gemini");
    expect(account).toMatchObject({ ...entry, addressFrom: `models.providers.${name}.baseUrl` });
  }
  const both = { models: { providers: { google: { baseUrl: "http://127.0.0.1:1/v1beta" }, gemini: { apiKey: "for-google" } } }, ...gemini };
  expect((await resolved(both, { env: {} }, "gemini"))?.apiKey).toBe("for-google");
  const listed = await resolved(gemini, { env: { GEMINI_API_KEYS: "first, second" } }, "gemini");
  expect([listed?.apiKey, listed?.keyFrom]).toEqual(["first", "GEMINI_API_KEYS"]);
});

// Only the first of several keys was known.
test("the keys of Gemini's account in the environment take turns with its own, at Google's own address only", async () => {
  const env = {
    GEMINI_API_KEYS: "one, two",
    GEMINI_API_KEY: "three",
    GEMINI_API_KEY_2: "four",
    GEMINI_API_KEY_FILE: "/x",
    GOOGLE_API_KEY: "one",
  };
  const keys = async (/** @type {object} */ google, /** @type {object} */ settings = {}) => {
    const cfg = { ...search({ provider: "gemini", ...settings }), models: { providers: { google } } };
    const account = await resolved(cfg, { env }, "gemini");
    return [account?.apiKey, account?.spareKeys];
  };
  expect(await keys({})).toEqual(["three", ["one", "two", "four"]]);
  expect(await keys({ apiKey: "two" })).toEqual(["two", ["one", "three", "four"]]);
  expect(await keys({ apiKey: "own", baseUrl: "http://127.0.0.1:1/v1beta" })).toEqual(["own", undefined]);
  expect(await keys({}, { remote: { apiKey: "remote" } })).toEqual(["remote", undefined]);
  expect(await keys({}, { remote: { apiKey: "remote", baseUrl: "http://127.0.0.1:1/v1beta" } })).toEqual(["remote", undefined]);
  const openai = await resolved(search({ provider: "openai" }), { env: { OPENAI_API_KEY: "a", OPENAI_API_KEY_2: "b" } });
  expect([openai?.apiKey, openai?.spareKeys]).toEqual(["a", undefined]);
});

test("a key of Gemini that has used up its rate makes way for the next one", async () => {
  const used = /** @type {string[]} */ ([]);
  const server = createServer(async (request, response) => {
    const { requests } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    used.push(String(request.headers["x-goog-api-key"]));
    if (used.at(-1) !== "third-key") {
      response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify({ error: { status: "RESOURCE_EXHAUSTED" } }));
      return;
    }
    const embeddings = requests.map(() => ({ values: [1, 0] }));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ embeddings }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const { config, request } = await makeWorkspace({ "MEMORY.md": "The boiler code is E17." });
  const models = { providers: { google: { baseUrl: `http://127.0.0.1:${port}/v1beta` } } };
  const env = { GEMINI_API_KEYS: "first-key second-key third-key" };
  const manager = await MemoryIndexManager.get({ ...request, cfg: { ...config({ provider: "gemini" }), models }, env });
  try {
    expect(await manager?.sync({ reason: "test", force: true })).toMatchObject({ pending: 0 });
    await manager?.search("What is the boiler code?");
    expect(used).toEqual(["first-key", "second-key", "third-key", "third-key"]);
  } finally {
    await manager?.close();
    server.close();
  }
});

test("a key is not taken along when a stronger setting names a server on another host", async () => {
  const cfg = {
    agents: {
      defaults: { memorySearch: { provider: "openai", remote: { baseUrl: "https://a.example/v1", apiKey: "for-a", headers: { H: "a" } } } },
    },
    ...search({ remote: { baseUrl: "https://b.example/v1" } }),
  };
  const { accounts, problems } = await resolveAccounts(cfg, "main", { env: {} });
  expect(accounts[0]).toMatchObject({ baseUrl: "https://b.example/v1" });
  expect(JSON.stringify(accounts)).not.toMatch(/for-a|"H"/);
  expect(problems.join()).toContain("is written for https://a.example and is not sent to https://b.example");
});

test("one destination may be written in many ways, another is another", async () => {
  const models = { providers: { openai: { baseUrl: "https://Proxy.example:443/v1/", apiKey: "own" } } };
  for (const [baseUrl, own] of /** @type {[string, boolean][]} */ ([
    ["https://proxy.example/v1", true],
    ["https://proxy.example/v1/embeddings", true],
    ["https://PROXY.example/v1/", true],
    ["http://proxy.example/v1", false],
    ["https://proxy.example:444/v1", false],
    ["https://proxy.example/v2", false],
    ["https://proxy.example/v1?tenant=1", false],
    ["https://proxy.example.evil/v1", false],
  ])) {
    const account = await resolved({ models, ...search({ provider: "openai", remote: { baseUrl } }) });
    expect(account?.apiKey === "own", baseUrl).toBe(own);
    expect(account?.problem === undefined, baseUrl).toBe(own);
  }
});

test("an address that cannot be used is told, and no other is used instead", async () => {
  for (const baseUrl of ["ftp://x", "localhost:1234", "https://user:secret@x/v1", "https://", 7]) {
    const account = await resolved(search({ provider: "openai", remote: { baseUrl, apiKey: "k" } }));
    expect(account?.baseUrl, String(baseUrl)).toBeUndefined();
    expect(account?.problem).toMatchObject({
      code: "MEM_CONFIG",
      message: expect.stringMatching(/^memory\.search\.remote\.baseUrl is no http/),
    });
    expect(JSON.stringify(account)).not.toContain("secret");
  }
});

test("a server without a known address needs one, and an id of the user's own never has the key of openai", async () => {
  const env = { OPENAI_API_KEY: "openai-key" };
  for (const cfg of [
    search({ provider: "openai-compatible" }),
    { models: { providers: { box: { api: "ollama" } } }, ...search({ provider: "box" }) },
  ]) {
    const { accounts } = await resolveAccounts(cfg, "main", { env });
    expect(accounts[0].problem).toMatchObject({ code: "MEM_CONFIG", remedy: expect.stringContaining("baseUrl") });
  }
  const box = { baseUrl: "http://127.0.0.1:1/v1", api: "openai-completions" };
  const own = (/** @type {object} */ entry) =>
    resolved({ models: { providers: { Box: entry } }, ...search({ provider: "box" }) }, { env }, "box");
  expect(await own(box)).toMatchObject({ api: "openai-compatible", baseUrl: box.baseUrl });
  expect((await own(box))?.apiKey).toBeUndefined();
  expect((await own({ ...box, apiKey: "box-key" }))?.apiKey).toBe("box-key");
});

// A subscription login is no key for embeddings; the environment's key stands in.
test("a login by OAuth never counts as a key", async () => {
  const api = {
    runtime: {
      version: "2026.9.6",
      state: { resolveStateDir: () => "/state" },
      modelAuth: { resolveApiKeyForProvider: async () => ({ apiKey: "oauth-canary", mode: "oauth", source: "profile:openai:codex" }) },
    },
  };
  const cfg = search({ provider: "openai" });
  const { credentialSources } = new Host(api).managerRequest({ cfg, agentId: "main" });
  expect(await credentialSources?.lookupKey?.("openai")).toBeUndefined();
  expect((await resolved(cfg, { ...credentialSources, env: {} }))?.problem).toMatchObject({ code: "MEM_PROVIDER_AUTH" });
  expect((await resolved(cfg, { ...credentialSources, env: { OPENAI_API_KEY: "env-key" } }))?.apiKey).toBe("env-key");
});

describe("what servers on loopback see", () => {
  const OWN_KEY = "canary-provider-key";
  const OWN_HEADER = "canary-provider-header";

  /** @type {{path: string, authorization?: string, google?: string, all: string}[][]} */
  const seen = [[], []];
  /** @type {import("node:http").Server[]} */
  const servers = [];
  /** @type {string[]} */
  const hosts = [];

  beforeAll(async () => {
    for (const log of seen) {
      const server = createServer(async (request, response) => {
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
        const { authorization, "x-goog-api-key": google } = request.headers;
        const key = Array.isArray(google) ? google[0] : google;
        log.push({ path: request.url ?? "", authorization, google: key, all: JSON.stringify([request.headers, request.url]) });
        const count = (body.requests ?? body.input).length;
        const vectors = Array.from({ length: count }, () => [1, 0]);
        const answer = body.requests
          ? { embeddings: vectors.map((values) => ({ values })) }
          : request.url?.endsWith("/api/embed")
            ? { embeddings: vectors }
            : { data: vectors.map((embedding, index) => ({ index, embedding })) };
        response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
      servers.push(server);
      hosts.push(`http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`);
    }
  });

  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** Provider, owner of its account, end of its address, path of a request, whether a key of its own must be used. */
  const PROVIDERS = /** @type {[string, string, string, string, boolean][]} */ ([
    ["openai", "openai", "/v1", "/v1/embeddings", true],
    ["gemini", "google", "/v1beta", "/v1beta/models/gemini-embedding-001:batchEmbedContents", true],
    ["voyage", "voyage", "/v1", "/v1/embeddings", true],
    ["mistral", "mistral", "/v1", "/v1/embeddings", true],
    ["ollama", "ollama", "", "/api/embed", false],
    ["lmstudio", "lmstudio", "/v1", "/v1/embeddings", false],
    ["llama-server", "llama-server", "/v1", "/v1/embeddings", false],
    ["openai-compatible", "openai-compatible", "/v1", "/v1/embeddings", false],
    ["my-server", "my-server", "/v1", "/v1/embeddings", false],
    ["gpu-box", "gpu-box", "", "/api/embed", false],
  ]);
  const CASES = PROVIDERS.flatMap((provider) =>
    ["inherited", "same", "foreign"].flatMap((base) =>
      ["own key", "remote key", "both keys", "no key"].map((keys) => /** @type {const} */ ([provider[0], base, keys, provider])),
    ),
  );

  // The address of `models.providers` was read by nothing: all texts and its key went to the public address, and the key
  // of a provider went to whatever `remote.baseUrl` said.
  test.each(CASES)("%s, address %s, %s", async (provider, base, keys, [, owner, end, path, needsKey]) => {
    for (const log of seen) log.length = 0;
    const hasOwn = keys === "own key" || keys === "both keys";
    const hasRemote = keys === "remote key" || keys === "both keys";
    const [ownHost, foreignHost] = hosts;
    const api = provider === "gpu-box" ? { api: "ollama" } : provider === "my-server" ? { api: "openai-completions" } : {};
    const own = hasOwn ? { apiKey: OWN_KEY, headers: { "x-own": OWN_HEADER } } : {};
    const remote = {
      ...(base === "same" ? { baseUrl: `${ownHost}${end}/` } : base === "foreign" ? { baseUrl: `${foreignHost}${end}` } : {}),
      ...(hasRemote ? { apiKey: "remote-key" } : {}),
    };
    const { config, request } = await makeWorkspace({ "MEMORY.md": "The boiler code is E17." });
    const cfg = { ...config({ provider, remote }), models: { providers: { [owner]: { baseUrl: `${ownHost}${end}`, ...api, ...own } } } };
    const manager = await MemoryIndexManager.get({ ...request, cfg, env: {} });
    try {
      const report = await manager?.sync({ reason: "test", force: true }).catch((error) => error);
      const status = JSON.stringify(manager?.status());
      const [atOwn, atForeign] = seen;
      expect(status).not.toMatch(/canary|remote-key/);
      // Whatever happens, what belongs to the provider stays away from another server.
      expect(JSON.stringify(atForeign)).not.toContain("canary");
      if (base === "foreign" && needsKey && keys === "own key") {
        expect([atOwn, atForeign], JSON.stringify(report)).toEqual([[], []]);
        expect(manager?.status().custom?.providerError).toMatchObject({
          code: "MEM_CONFIG",
          message: expect.stringContaining("Set remote.apiKey"),
        });
        return;
      }
      const [used, unused] = base === "foreign" ? [atForeign, atOwn] : [atOwn, atForeign];
      const key = hasRemote ? "remote-key" : hasOwn && base !== "foreign" ? OWN_KEY : undefined;
      expect(unused).toEqual([]);
      expect(used.length, JSON.stringify(report)).toBeGreaterThan(0);
      for (const { path: asked, authorization, google } of used) {
        expect(asked).toBe(path);
        expect(provider === "gemini" ? google : authorization).toBe(key && (provider === "gemini" ? key : `Bearer ${key}`));
      }
      expect(JSON.stringify(used).includes(OWN_HEADER)).toBe(hasOwn && base !== "foreign");
      expect(manager?.status().custom?.endpoint).toEqual({
        address: `${base === "foreign" ? foreignHost : ownHost}${end}`,
        addressFrom: base === "inherited" ? `models.providers.${owner}.baseUrl` : expect.stringMatching(/remote\.baseUrl$/),
        keyFrom: key === undefined ? null : key === OWN_KEY ? `models.providers.${owner}.apiKey` : expect.stringMatching(/remote\.apiKey$/),
      });
    } finally {
      await manager?.close();
    }
  });
});

test("the secrets of a part become text, and what cannot be read stays for its reader to complain of", async () => {
  const sources = {
    env: { KEY: "sk-env" },
    resolveSecret: async (/** @type {unknown} */ reference) => (/** @type {any} */ (reference).id === "a" ? "sk-a" : undefined),
  };
  const reference = (/** @type {string} */ id) => ({ source: "file", id });
  const part = { baseUrl: "http://h", apiKey: reference("a"), headers: { "x-key": `\${KEY}`, "x-other": reference("b"), plain: "p" } };
  const headers = { "x-key": "sk-env", "x-other": reference("b"), plain: "p" };
  expect(await withPlainSecrets(part, sources)).toEqual({ baseUrl: "http://h", apiKey: "sk-a", headers });
  const plain = { apiKey: "sk", headers: {} };
  expect(await withPlainSecrets(plain, sources)).toBe(plain);
  expect(await withPlainSecrets(undefined, sources)).toBeUndefined();
});
