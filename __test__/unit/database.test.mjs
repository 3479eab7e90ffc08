// The address of a database: out of the configuration, through a secret of any kind, to the engine, and nowhere else.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { plainDatabaseSecrets } from "../../lib/accounts.js";
import { pruneConfig } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { prepare } from "../../lib/request.js";

/** As people write it in the configuration. */
const OF_ENVIRONMENT = "\u0024{MEMORY_PG_URL}";
const ADDRESS = "postgresql://ana:c4nary@localhost:5432/memory";
/** No program may listen there. */
const NOBODY = "postgresql://ana:c4nary@127.0.0.1:1/memory";

/** @type {string} */
let state;
beforeEach(async () => {
  state = await mkdtemp(path.join(os.tmpdir(), "mem-database-"));
});
afterEach(() => rm(state, { recursive: true, force: true }));

/** @param {unknown} url */
function config(url) {
  return { plugins: { entries: { "memory-core-rs": { config: { provider: "none", store: { driver: "postgres", postgres: { url } } } } } } };
}

/** @param {unknown} url @param {Record<string, string>} [env] */
function prepared(url, env = {}) {
  return prepare({ cfg: config(url), env: { HOME: state, ...env }, stateDir: state, workspaceDir: path.join(state, "workspace") });
}

test("the address travels beside the configuration, whatever kind of secret it is", async () => {
  for (const [url, env] of /** @type {[unknown, Record<string, string>][]} */ ([
    [ADDRESS, {}],
    [OF_ENVIRONMENT, { MEMORY_PG_URL: ADDRESS }],
    [{ source: "env", provider: "default", id: "MEMORY_PG_URL" }, { MEMORY_PG_URL: ADDRESS }],
  ])) {
    const { nativeRequest, problems } = await prepared(url, env);
    expect(nativeRequest.databaseUrl).toBe(ADDRESS);
    expect(JSON.stringify(nativeRequest.config)).not.toContain("c4nary");
    expect(nativeRequest.config.plugins.entries["memory-core-rs"].config.store).toEqual({ driver: "postgres", postgres: {} });
    expect(problems).toEqual([]);
  }
  const agent = { memorySearch: { store: { postgres: { url: ADDRESS, schema: "s" } } } };
  expect(JSON.stringify(pruneConfig({ agents: { entries: { work: agent }, defaults: agent } }))).not.toContain("c4nary");
});

test("an address that cannot be read is told with its place, and no file is begun in its stead", async () => {
  const { nativeRequest, problems } = await prepared(OF_ENVIRONMENT);
  expect(problems).toEqual([expect.stringContaining("store.postgres.url names the environment variable MEMORY_PG_URL")]);
  await expect(native().openManager(nativeRequest)).rejects.toMatchObject({
    code: "MEM_CONFIG",
    message: expect.stringContaining("store.postgres.url"),
  });
  expect(existsSync(path.join(state, "memory-core-rs"))).toBe(false);
});

test("a database that nobody answers for is told, and not where it is, and no file is begun in its stead", async () => {
  const { nativeRequest } = await prepared(NOBODY);
  const refused = await native()
    .openManager(nativeRequest)
    .catch((/** @type {any} */ error) => error);
  expect(refused).toMatchObject({ code: "MEM_IO", message: expect.stringContaining("the database cannot be reached") });
  expect(`${refused.stack} ${JSON.stringify(refused)}`).not.toMatch(/c4nary|localhost|127\.0/);
  expect(existsSync(path.join(state, "memory-core-rs", "main", "index.sqlite"))).toBe(false);
});

test("a password of its own is asked for each time, and travels with no request", async () => {
  const env = { HOME: state, MEMORY_PG_PASSWORD: "first-c4nary" };
  const cfg = config("postgresql://ana@localhost/memory");
  const reference = { source: "env", id: "MEMORY_PG_PASSWORD" };
  Object.assign(cfg.plugins.entries["memory-core-rs"].config.store.postgres, { password: reference });
  /** @type {unknown[]} */
  const asked = [];
  const resolveSecret = async (/** @type {unknown} */ secret) => {
    asked.push(secret);
    return env.MEMORY_PG_PASSWORD;
  };
  const prepared = await prepare({ cfg, env, stateDir: state, credentialSources: { resolveSecret } });
  expect(asked).toEqual([]);
  expect(await prepared.databasePassword?.()).toBe("first-c4nary");
  env.MEMORY_PG_PASSWORD = "second-c4nary";
  expect(await prepared.databasePassword?.()).toBe("second-c4nary");
  expect(asked).toEqual([reference, reference]);
  expect(JSON.stringify(prepared)).not.toContain("c4nary");
  expect(prepared.nativeRequest.config.plugins.entries["memory-core-rs"].config.store.postgres).toEqual({});
  env.MEMORY_PG_PASSWORD = "";
  await expect(prepared.databasePassword?.()).rejects.toMatchObject({
    code: "MEM_CONFIG",
    message: expect.stringContaining("store.postgres.password is a secret reference"),
  });
  // Another reference is another engine.
  Object.assign(cfg.plugins.entries["memory-core-rs"].config.store.postgres, { password: { ...reference, id: "OTHER" } });
  expect((await prepare({ cfg, env, stateDir: state })).settings).not.toBe(prepared.settings);
  expect((await prepare({ cfg: config(ADDRESS), env, stateDir: state })).databasePassword).toBe(undefined);
});

test("the parts of an address travel beside the configuration as well, each from where it is set", async () => {
  const parts = { host: "c4nary.example", port: 6432, database: "c4nary-memory", user: "\u0024{MEMORY_PG_USER}" };
  const agents = { main: { store: { postgres: { database: "c4nary-main" } } } };
  const settings = { provider: "none", store: { driver: "postgres", postgres: parts }, agents };
  const cfg = { plugins: { entries: { "memory-core-rs": { config: settings } } } };
  const request = { cfg, env: { HOME: state, MEMORY_PG_USER: "c4nary-ana" }, stateDir: state, workspaceDir: path.join(state, "workspace") };
  const { nativeRequest, problems, settings: known } = await prepare(request);
  expect(problems).toEqual([]);
  expect(nativeRequest.databaseUrl).toBe(undefined);
  expect(nativeRequest.databaseParts).toEqual({
    host: "c4nary.example",
    port: "6432",
    database: "c4nary-main",
    user: "c4nary-ana",
    besideUrl: false,
  });
  expect(JSON.stringify(nativeRequest.config)).not.toContain("c4nary");
  expect(JSON.stringify(native().resolveSettings(nativeRequest))).not.toContain("c4nary");
  expect((await prepare({ ...request, env: { ...request.env, MEMORY_PG_USER: "another" } })).settings).not.toBe(known);
  expect((await prepared(ADDRESS)).nativeRequest.databaseParts).toBe(undefined);
});

test("parts that are missing, wrong or beside an address are told by name and not by what they say", async () => {
  for (const [postgres, says, problem] of /** @type {[Record<string, unknown>, string, string?][]} */ ([
    [{ host: "c4nary" }, "no store.postgres.database, store.postgres.user"],
    [{ host: "c4nary", database: "c4nary", user: OF_ENVIRONMENT }, "no store.postgres.user", "store.postgres.user names the environment"],
    [{ host: "c4nary:1", database: "c4nary", user: "c4nary" }, "store.postgres.host is neither"],
    [{ host: "c4nary", port: 70000, database: "c4nary", user: "c4nary" }, "store.postgres.port is no port"],
    [{ host: "c4nary", port: 5432.5, database: "c4nary", user: "c4nary" }, "store.postgres.port is no port"],
    [{ url: ADDRESS, host: "c4nary" }, "names the database twice (url, host)"],
    // Not the other address where that of the secret cannot be read.
    [
      { url: OF_ENVIRONMENT, host: "c4nary", database: "c4nary", user: "c4nary" },
      "twice (url, host, database, user)",
      "store.postgres.url",
    ],
  ])) {
    const cfg = { plugins: { entries: { "memory-core-rs": { config: { provider: "none", store: { driver: "postgres", postgres } } } } } };
    const given = { cfg, env: { HOME: state }, stateDir: state, workspaceDir: path.join(state, "workspace") };
    const { nativeRequest, problems } = await prepare(given);
    expect(problems).toEqual(problem ? [expect.stringContaining(problem)] : []);
    const refused = await native()
      .openManager(nativeRequest)
      .catch((/** @type {any} */ error) => error);
    expect(refused).toMatchObject({ code: "MEM_CONFIG", message: expect.stringContaining(says), remedy: expect.any(String) });
    expect(`${refused.stack} ${JSON.stringify(refused)}`).not.toContain("c4nary");
  }
  expect(existsSync(path.join(state, "memory-core-rs"))).toBe(false);
});

test("a password in plain text is told", () => {
  for (const [url, password, found] of /** @type {[unknown, unknown, string[]][]} */ ([
    [ADDRESS, undefined, ["store.postgres.url"]],
    ["postgresql://ana@localhost/memory", "c4nary", ["store.postgres.password"]],
    ["postgresql://ana@localhost/memory", OF_ENVIRONMENT, []],
    ["postgresql://ana:\u0024{MEMORY_PG_PASSWORD}@localhost/memory", undefined, []],
    [OF_ENVIRONMENT, { source: "exec", id: "token" }, []],
    [undefined, undefined, []],
  ])) {
    const cfg = { plugins: { entries: { "memory-core-rs": { config: { store: { postgres: { url, password } } } } } } };
    expect(plainDatabaseSecrets(cfg, "main")).toEqual(found);
  }
});
