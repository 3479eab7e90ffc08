// Embedding providers that the host knows and the engine does not, on a real host: another plugin's, endpoints of
// `models.providers`, the host's own adapters. The requests that reach the provider are the evidence.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { installAcme } from "./acme-plugin.mjs";
import { TestHost } from "./harness.mjs";
import { eventually, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const NOTE = "memory/2026-11-02.md";
const FACT = "Project Falcon uses PostgreSQL 17 as its database.";
const FILES = { "MEMORY.md": "# Memory\n", [NOTE]: `# 2026-11-02\n\n- ${FACT}\n` };

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "which database does falcon",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "falcon database engine" } },
  },
  { on: "tool", match: "PostgreSQL (\\d+)", reply: "ANSWER: PostgreSQL {{1}}." },
  { on: "tool", match: ".", reply: "ANSWER: nothing." },
  { match: ".", reply: "HELLO" },
];

/** @param {string} id */
const fromEnvironment = (id) => ({ source: "env", provider: "default", id });

/** @param {string} version */
export function providersSuite(version) {
  describe.sequential(`Providers of the host on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    /** Hosts outside this machine that somebody wanted to reach: the log of a proxy that lets nobody through. @type {string[]} */
    const outside = [];
    const proxy = createServer().on("connect", ({ url }, socket) => {
      outside.push(url ?? "");
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    steps();
    afterAll(() => {
      proxy.close();
    });
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: RULES });
      Object.assign(host.env, { ACME_KEY: "sk-acme", SERVER_KEY: "sk-server", COPILOT_KEY: "sk-copilot", OWN_KEY: "sk-own" });
      await host.addPlugin(inject("tarball").file);
    });

    /** Address of the loopback provider under a name of its own, so that its log tells them apart. @param {string} name */
    const address = (name) => host.baseUrl.replace(/\/v1$/, `/${name}/v1`);

    /**
     * Settings of memory search, and an entry of `models.providers`.
     * @param {Record<string, unknown>} search
     * @param {Record<string, Record<string, unknown> | undefined>} [providers]
     */
    const use = async (search, providers = {}) => {
      await host.edit((_, config) => {
        if (host.atLeast("2026.8.1")) config.memory.search = search;
        else config.agents.defaults.memorySearch = search;
        Object.assign(config.models.providers, providers);
      });
      host.takeChats();
    };

    /** Requests for vectors since the last look: path, key, model and texts. @returns {any[]} */
    const requests = () => {
      const records = host.peekRecords().filter((record) => /(?:\/embed(?:dings)?|EmbedContents)$/.test(record.path));
      host.takeChats();
      return records;
    };

    /** @param {any[]} records @param {string} field */
    const each = (records, field) => [...new Set(records.map((record) => record[field] ?? record.body[field]))];

    /** Indexes, and tells what the provider was sent for it. */
    const index = async () => {
      const [{ status, report }] = await host.json("memory", "index");
      return { status, report, sent: requests() };
    };

    /** Searches, and tells what the provider was sent for it. */
    const search = async () => {
      const { results, mode } = await host.json("memory", "search", "falcon database");
      expect(results[0]).toMatchObject({ path: NOTE });
      return { mode, sent: requests() };
    };

    test("a provider of another plugin gets the notes and the queries, with the key that the host resolves", async () => {
      await installAcme(host);
      const server = { baseUrl: address("acme"), apiKey: fromEnvironment("ACME_KEY"), models: [] };
      await use({ provider: "acme", model: "acme-large" }, { acme: server });
      const { status, report, sent } = await index();
      expect(status).toMatchObject({ provider: "acme", model: "acme-large" });
      expect(report).toMatchObject({ pending: 0 });
      expect(each(sent, "path")).toEqual(["/acme/v1/embeddings"]);
      expect(each(sent, "authorization")).toEqual(["Bearer sk-acme"]);
      expect(each(sent, "model")).toEqual(["acme-large"]);
      expect(each(sent, "input_type")).toEqual(["document"]);
      expect(sent.flatMap((record) => record.body.input).join("\n")).toContain(FACT);
      const found = await search();
      expect(found.mode).toBe("hybrid");
      expect(found.sent.map((record) => record.body)).toEqual([{ model: "acme-large", input: ["falcon database"], input_type: "query" }]);
    });

    test("so it does in the gateway", async () => {
      await host.startGateway();
      expect(await host.turn("Which database does Falcon use?", { local: false })).toContain("ANSWER: PostgreSQL 17");
      const answered = toolAnswers(host.peekChats()).join("\n");
      expect(answered).toMatch(/"provider": ?"acme"/);
      expect(requests().map((record) => [record.authorization, ...record.body.input])).toEqual([
        ["Bearer sk-acme", "falcon database engine"],
      ]);
      await host.stopGateway();
    });

    test("a model that is not named is the one that the plugin says", async () => {
      await use({ provider: "acme" });
      const { sent } = await index();
      expect(each(sent, "model")).toEqual(["acme-small"]);
    });

    test("an endpoint of models.providers is used with its key, dimensions and input types", async ({ skip }) => {
      skip(!host.atLeast("2026.8.1"), "older hosts know no such provider for embeddings");
      const server = { api: "openai-completions", baseUrl: address("server"), apiKey: fromEnvironment("SERVER_KEY"), models: [] };
      const types = { queryInputType: "search_query", documentInputType: "search_document" };
      await use({ provider: "my-server", model: "my-server/bge", outputDimensionality: 64, ...types }, { "my-server": server });
      const { status, report, sent } = await index();
      expect(status).toMatchObject({ provider: "my-server" });
      expect(report).toMatchObject({ pending: 0 });
      expect(each(sent, "path")).toEqual(["/server/v1/embeddings"]);
      expect(each(sent, "authorization")).toEqual(["Bearer sk-server"]);
      expect(each(sent, "model")).toEqual(["bge"]);
      expect(each(sent, "dimensions")).toEqual([64]);
      expect(each(sent, "input_type")).toEqual(["search_document"]);
      expect(sent.flatMap((record) => record.body.input).join("\n")).toContain(FACT);
      const found = await search();
      expect(found.mode).toBe("hybrid");
      expect(found.sent.map((record) => record.body)).toEqual([
        { model: "bge", input: ["falcon database"], dimensions: 64, input_type: "search_query" },
      ]);
    });

    test("an endpoint that names an adapter of the host is spoken to by that adapter", async ({ skip }) => {
      skip(!host.atLeast("2026.8.1"), "older hosts know no such provider for embeddings");
      const box = { api: "ollama", baseUrl: address("box").replace(/\/v1$/, ""), apiKey: "ollama-local", models: [] };
      await use({ provider: "gpu-box", model: "qwen3-embedding:0.6b" }, { "gpu-box": box });
      const { status, sent } = await index();
      expect(status).toMatchObject({ provider: "gpu-box" });
      expect(each(sent, "path")).toEqual(["/box/api/embed"]);
      expect(each(sent, "model")).toEqual(["qwen3-embedding:0.6b"]);
      expect(sent.flatMap((record) => record.body.input).join("\n")).toContain(FACT);
      expect(await search()).toMatchObject({ mode: "hybrid", sent: [{ path: "/box/api/embed" }] });
    });

    test("GitHub Copilot is asked for its models and then for vectors", async ({ skip }) => {
      skip(!host.atLeast("2026.8.1"), "older hosts have no such adapter");
      await use({ provider: "github-copilot", remote: { baseUrl: address("copilot"), apiKey: fromEnvironment("COPILOT_KEY") } });
      const { status, sent } = await index();
      expect(status).toMatchObject({ provider: "github-copilot" });
      expect(each(sent, "path")).toEqual(["/copilot/v1/embeddings"]);
      expect(each(sent, "authorization")).toEqual(["Bearer sk-copilot"]);
      expect(each(sent, "model")).toEqual(["text-embedding-3-small"]);
      expect(await search()).toMatchObject({ mode: "hybrid", sent: [{ authorization: "Bearer sk-copilot" }] });
    });

    /** What `memory status` says of the address and its key, for people and for programs. */
    const endpoint = async () => {
      const { stdout } = await host.ok("memory", "status");
      const [{ status }] = await host.json("memory", "status");
      return { lines: stdout.match(/^(?:Address|Key): .*$/gm), json: status.custom.endpoint };
    };

    // The address of models.providers was read by nothing, and all notes went to the public one.
    test("notes and key go to the address of the provider's account, and status tells both", async () => {
      proxy.listen(0, "127.0.0.1");
      await once(proxy, "listening");
      const { port } = /** @type {import("node:net").AddressInfo} */ (proxy.address());
      host.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
      const gemini = "/google/v1beta/models/gemini-embedding-001:batchEmbedContents";
      const providers = [
        {
          provider: "openai",
          account: "openai",
          base: address("own"),
          path: "/own/v1/embeddings",
          key: { authorization: "Bearer sk-own" },
        },
        { provider: "gemini", account: "google", base: `${address("google")}beta`, path: gemini, key: { googleKey: "sk-own" } },
      ];
      for (const { provider, account, base, path, key } of providers) {
        await use({ provider }, { [account]: { baseUrl: base, apiKey: fromEnvironment("OWN_KEY"), models: [] } });
        const { status, report, sent } = await index();
        expect(status).toMatchObject({ provider });
        expect(report).toMatchObject({ pending: 0 });
        expect(each(sent, "path")).toEqual([path]);
        for (const request of sent) expect(request).toMatchObject(key);
        expect(JSON.stringify(sent)).toContain(FACT);
        expect(await search()).toMatchObject({ mode: "hybrid", sent: [{ path, ...key }] });
        const from = `models.providers.${account}`;
        expect(await endpoint()).toEqual({
          lines: [`Address: ${base} (${from}.baseUrl)`, `Key: from ${from}.apiKey`],
          json: { address: base, addressFrom: `${from}.baseUrl`, keyFrom: `${from}.apiKey` },
        });
      }
      expect(outside.filter((name) => /openai|google/.test(name))).toEqual([]);
    });

    test("another address gets neither notes nor the key of the provider's account, and status says what to do", async () => {
      const remote = { baseUrl: address("foreign") };
      // A model that embedded nothing yet: else there would be nothing to send.
      await use({ provider: "openai", model: "text-embedding-3-large", remote });
      await host.run("memory", "index");
      const { output } = await host.run("memory", "status", "--deep");
      expect(output).toMatch(/the key of openai belongs to \S+\/own\/v1 and is not sent to \S+\/foreign\/v1[\s\S]*Set remote\.apiKey/);
      // Nothing was sent while indexing and asking, nor for this search.
      expect(await search()).toMatchObject({ mode: "fts-only", sent: [] });
      await use({ provider: "openai", model: "text-embedding-3-large", remote: { ...remote, apiKey: "sk-foreign" } });
      const { sent } = await index();
      expect(each(sent, "path")).toEqual(["/foreign/v1/embeddings"]);
      expect(each(sent, "authorization")).toEqual(["Bearer sk-foreign"]);
      expect(outside.filter((name) => /openai|google/.test(name))).toEqual([]);
      delete host.env.HTTPS_PROXY;
    });

    test("a model that is swapped behind its name is told, priced, and rebuilt when the user says so", async () => {
      await use({ provider: "openai", model: "text-embedding-ada-002", remote: { baseUrl: address("swap"), apiKey: "sk-swap" } });
      const before = await index();
      expect(before.report).toMatchObject({ pending: 0 });
      const texts = before.sent.flatMap((record) => record.body.input).length;
      expect(texts).toBeGreaterThan(0);
      await host.control({ swapped: true });
      const { output } = await host.run("memory", "doctor");
      expect(output).toMatch(/the embedding model answers otherwise than when the notes were embedded \(cosine [-\d.]+\)/);
      expect(output).toContain("openclaw memory index --rebuild --dry-run");
      requests();
      // Nothing is compared with the vectors of the other model, and who asks is told so.
      const kept = await host.json("memory", "search", "falcon database");
      expect(kept).toMatchObject({ mode: "fts-only", partial: true, results: [{ path: NOTE }], degraded: { provider: "openai" } });
      expect((await host.ok("memory", "status")).stdout).toContain("keywords – the embedding model answers otherwise");
      const dry = await host.ok("memory", "index", "--rebuild", "--dry-run");
      expect(dry.stdout).toMatch(new RegExp(`To send to openai .*: ${texts} texts?, about \\d+ tokens`));
      expect(requests()).toEqual([]);
      await host.ok("memory", "index", "--rebuild");
      expect(requests().flatMap((record) => record.body.input)).toHaveLength(texts);
      expect(await search()).toMatchObject({ mode: "hybrid" });
      expect((await host.run("memory", "doctor")).output).toContain("answers as when the notes were embedded");
      await host.control({ swapped: false });
      requests();
    });

    test("an outage is told and bridged by words, or refused, as onOutage says, and its end is noticed", async () => {
      // A model that nobody asked before: the vectors of a question are kept.
      await use({ provider: "openai", model: "text-embedding-outage", remote: { baseUrl: address("outage"), apiKey: "sk-outage" } });
      expect((await index()).report).toMatchObject({ pending: 0 });
      await host.control({ failEmbeddings: "401" });
      await host.startGateway();
      const ask = async () => {
        host.takeChats();
        const said = await host.turn("Which database does Falcon use?", { local: false });
        return { said, told: JSON.parse(toolAnswers(host.peekChats()).at(-1) ?? "") };
      };
      const degraded = { provider: "openai", reason: expect.any(String), since: expect.any(String), action: expect.any(String) };
      const bridged = await ask();
      expect(bridged.said).toContain("ANSWER: PostgreSQL 17");
      expect(Object.keys(bridged.told)[0]).toBe("degraded");
      expect(bridged.told).toMatchObject({ degraded, results: [{ path: NOTE }] });
      const found = await host.json("memory", "search", "falcon database");
      expect(found).toMatchObject({ mode: "fts-only", degraded, results: [{ path: NOTE }] });
      await host.configure({ onOutage: "fail" });
      const refused = await ask();
      expect(refused.said).toContain("ANSWER: nothing.");
      const words = { error: expect.any(String), warning: expect.any(String), action: expect.any(String) };
      expect(refused.told).toMatchObject({ results: [], disabled: true, unavailable: true, ...words });
      const { code, output } = await host.run("memory", "search", "falcon database");
      expect(output).toContain("MEM_PROVIDER_AUTH");
      expect(code).toBe(1);
      await host.control({ failEmbeddings: null });
      expect(await eventually(async () => (await ask()).said.includes("ANSWER: PostgreSQL 17"))).toBe(true);
      expect((await ask()).told.degraded).toBeUndefined();
      await host.configure({ onOutage: "keywords" });
      await host.stopGateway();
    });

    test("a provider whose plugin or key is missing is named with a remedy, and words still find", async () => {
      /** @type {[string, RegExp][]} */
      const missing = [
        ["bedrock", /no embedding provider "bedrock"[\s\S]*Enable the host's plugin for this provider[\s\S]*search by words goes on/],
        ["deepinfra", /no API key for the embedding provider deepinfra\..*set models\.providers\.deepinfra\.apiKey/],
      ];
      for (const [provider, told] of missing) {
        await use({ provider });
        const { output } = await host.run("memory", "status", "--deep");
        expect(output).toMatch(told);
        expect(await search()).toMatchObject({ mode: "fts-only", sent: [] });
      }
      expect(await host.turn("Which database does Falcon use?")).toContain("ANSWER: PostgreSQL 17");
    });

    test("what the engine warns of stands once in the log of the gateway, without the notes, and in status", async () => {
      // A provider whose plugin every host brings, since a gateway does not start while one is missing; and without its key.
      await use({ provider: "gemini" }, { google: undefined });
      const secret = "The lighthouse keeper of Nordeste is called Amaro.";
      await writeFile(path.join(host.workspace, "memory", "2026-11-03.md"), `# 2026-11-03\n\n- ${secret}\n`);
      await host.startGateway();
      const message = /vectors were not made; words are searched all the same: MEM_PROVIDER_AUTH/;
      const told = () => host.gatewayOutput.split("\n").filter((line) => message.test(line));
      expect(await eventually(async () => told().length > 0), host.gatewayOutput.slice(-3000)).toBe(true);
      // The next pass meets the same.
      await writeFile(path.join(host.workspace, "memory", "2026-11-04.md"), `# 2026-11-04\n\n- ${secret} He paints.\n`);
      const warnings = async () => (await host.json("memory", "status"))[0].status.custom.lastWarnings;
      expect(await eventually(async () => (await warnings())[0]?.count > 0), host.gatewayOutput.slice(-3000)).toBe(true);
      expect(await host.turn("Which database does Falcon use?", { local: false })).toContain("ANSWER: PostgreSQL 17");
      await host.stopGateway();
      expect(told()).toHaveLength(1);
      expect(told()[0]).toMatch(/memory-core-rs: agent main: /);
      expect(await warnings()).toContainEqual({
        level: "warn",
        message: expect.stringMatching(message),
        count: expect.any(Number),
        sinceMs: expect.any(Number),
        atMs: expect.any(Number),
      });
      expect((await host.run("memory", "status")).output).toMatch(
        /Last warnings:\n {2}\d{4}-\d\d-\d\d \d\d:\d\d [A-Z].*vectors were not made/,
      );
      expect(JSON.stringify([told(), await warnings()])).not.toContain("lighthouse");
    });
  });
}
