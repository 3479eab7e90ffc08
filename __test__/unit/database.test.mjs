// The address of a database: out of the configuration, through a secret of any kind, to the engine, and nowhere else.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pruneConfig } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { prepare } from "../../lib/request.js";

/** As people write it in the configuration. */
const OF_ENVIRONMENT = "\u0024{MEMORY_PG_URL}";
const ADDRESS = "postgresql://ana:c4nary@localhost:5432/memory";

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

test("an addon that speaks with no database says so, and not where the database is", async () => {
  const { nativeRequest } = await prepared(ADDRESS);
  const refused = await native()
    .openManager(nativeRequest)
    .catch((/** @type {any} */ error) => error);
  expect(refused).toMatchObject({ code: "MEM_CONFIG", message: expect.stringContaining("speaks with no PostgreSQL") });
  expect(`${refused.stack} ${JSON.stringify(refused)}`).not.toMatch(/c4nary|localhost/);
});
