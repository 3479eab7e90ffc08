import { expect, test } from "vitest";
import { resolveCredentials, withPlainSecrets } from "../../lib/credentials.js";

const search = (/** @type {object} */ settings) => ({ memory: { search: settings } });

test("remote settings come before the host's provider, its key store and the environment", async () => {
  const models = { providers: { openai: { apiKey: "model-key", headers: { A: "1" } } } };
  const sources = { lookupKey: async () => "store-key", env: { OPENAI_API_KEY: "env-key" } };
  const key = async (/** @type {object} */ cfg, /** @type {object} */ from) =>
    (await resolveCredentials({ ...cfg, ...search({ provider: "openai", .../** @type {any} */ (cfg).remote }) }, "main", from)).credentials
      .openai?.apiKey;
  expect(await key({ models, remote: { remote: { apiKey: "remote-key" } } }, sources)).toBe("remote-key");
  expect(await key({ models }, sources)).toBe("model-key");
  expect(await key({}, sources)).toBe("store-key");
  expect(await key({}, { env: sources.env })).toBe("env-key");
  expect(await key({}, { env: {} })).toBeUndefined();
});

test("headers of the provider and of the memory settings go together, the latter win", async () => {
  const cfg = {
    ...search({ provider: "openai", remote: { headers: { B: "mine", C: "3" } } }),
    models: { providers: { openai: { headers: { A: "1", B: "2" } } } },
  };
  const { credentials } = await resolveCredentials(cfg, "main", { env: {} });
  expect(credentials.openai).toEqual({ headers: { A: "1", B: "mine", C: "3" } });
});

test("without a named provider every automatic one is looked up", async () => {
  const { credentials } = await resolveCredentials({}, "main", { env: { GEMINI_API_KEY: "g", MISTRAL_API_KEY: "m" } });
  expect(Object.keys(credentials)).toEqual(["gemini", "mistral"]);
});

test("the fallback has an account of its own", async () => {
  const cfg = search({ provider: "openai", fallback: "voyage", remote: { apiKey: "only-openai" } });
  const { credentials } = await resolveCredentials(cfg, "main", { env: { VOYAGE_API_KEY: "v" } });
  expect(credentials).toEqual({ openai: { apiKey: "only-openai" }, voyage: { apiKey: "v" } });
});

test("references are resolved by the host, then from the environment, else named as a problem", async () => {
  const cfg = search({ provider: "openai", remote: { apiKey: { source: "env", provider: "default", id: "MY_KEY" } } });
  const byHost = await resolveCredentials(cfg, "main", { env: {}, resolveSecret: async () => "resolved" });
  expect(byHost.credentials.openai.apiKey).toBe("resolved");
  const byEnv = await resolveCredentials(cfg, "main", { env: { MY_KEY: "from-env" } });
  expect(byEnv.credentials.openai.apiKey).toBe("from-env");
  const file = search({ provider: "openai", remote: { apiKey: { source: "file", id: "/x" } } });
  const missing = await resolveCredentials(file, "main", { env: {} });
  expect(missing.credentials).toEqual({});
  expect(missing.problems).toEqual([expect.stringMatching(/^remote\.apiKey is a secret reference \(source "file"\)/)]);
});

test("a variable that is not set is named as a problem", async () => {
  const { credentials, problems } = await resolveCredentials(
    search({ provider: "openai", remote: { apiKey: ["$", "{NO_SUCH}"].join("") } }),
    "main",
    {
      env: {},
    },
  );
  expect(credentials).toEqual({});
  expect(problems).toEqual(["remote.apiKey names the environment variable NO_SUCH, which is not set"]);
});

test("providers on this machine are not looked up in a key store", async () => {
  const lookedUp = /** @type {string[]} */ ([]);
  const lookupKey = async (/** @type {string} */ provider) => {
    lookedUp.push(provider);
    return "key";
  };
  await resolveCredentials(search({ provider: "none" }), "main", { env: {}, lookupKey });
  await resolveCredentials(search({ provider: "ollama" }), "main", { env: {}, lookupKey });
  expect(lookedUp).toEqual([]);
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
