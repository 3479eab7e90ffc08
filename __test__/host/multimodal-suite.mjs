// Pictures on a real host: they are found by what they show, and nothing that is left out reaches the provider.

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { mediaOf, png, startGemini } from "../support/gemini.mjs";
import { installAcme } from "./acme-plugin.mjs";
import { TestHost } from "./harness.mjs";
import { eventually, MAIN, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n\nThe favourite tea is sencha.\n",
  "memory/2026-11-02.md": "# 2026-11-02\n\n- Grandmother Gerda in Porto ![](../pics/img_01.png)\n",
};
const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  {
    match: "picture of the lighthouse",
    tool: "memory_search",
    toolCall: { name: "memory_search", arguments: { query: "lighthouse at the harbour" } },
  },
  { on: "tool", match: ".", reply: "DONE" },
  { match: ".", reply: "HELLO" },
];
const PICTURE = "pics/img_01.png";

/** @param {string} version */
export function multimodalSuite(version) {
  describe.sequential(`Pictures on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    /** @type {Awaited<ReturnType<typeof startGemini>>} */
    let gemini;
    steps();
    beforeAll(async () => {
      gemini = await startGemini();
      host = await TestHost.start(version, { files: FILES, rules: RULES });
      await host.addPlugin(inject("tarball").file);
      await mkdir(path.join(host.workspace, "pics"), { recursive: true });
      await put(PICTURE, png("lighthouse at the harbour"));
      await put("pics/large.png", Buffer.concat([png("large"), Buffer.alloc(11 << 20)]));
      await put("pics/fake.png", "# a note that was renamed\n");
      await put("memory/private.png", png("private"));
      await use({ enabled: false });
    });
    afterAll(() => gemini.stop());

    /** @param {string} name @param {Buffer | string} content */
    const put = async (name, content) => await writeFile(path.join(host.workspace, name), content);
    /** @param {Record<string, unknown>} multimodal @param {Record<string, unknown>} [more] */
    const use = async (multimodal, more) => {
      const remote = { baseUrl: gemini.baseUrl, apiKey: "sk-owner" };
      // The oldest host knows the model by its first name.
      const model = host.atLeast("2026.8.1") ? "gemini-embedding-2" : "gemini-embedding-2-preview";
      const search = { provider: "gemini", model, remote, extraPaths: ["pics"], multimodal, ...more };
      await host.edit((_, config) => {
        if (host.atLeast("2026.8.1")) config.memory.search = search;
        else config.agents.defaults.memorySearch = search;
      });
    };
    /** Indexes, and tells which files the provider was sent for it. */
    const index = async () => {
      gemini.take();
      await host.ok("memory", "index");
      return mediaOf(gemini.take()).map(({ text, mimeType, key }) => ({ text, mimeType, key }));
    };
    /** @param {string} query @returns {Promise<string[]>} */
    const found = async (query) => (await host.json("memory", "search", query)).results.map((/** @type {any} */ hit) => hit.path);

    test("nothing is sent while it is off", async () => {
      expect(await index()).toEqual([]);
      expect(await found("lighthouse at the harbour")).not.toContain(PICTURE);
    });

    test("only pictures below extra paths that are whole and small enough are sent, with the owner's key", async () => {
      await use({ enabled: true });
      expect(await index()).toEqual([{ text: `Image file: ${PICTURE}`, mimeType: "image/png", key: "sk-owner" }]);
      const [{ scan }] = await host.json("memory", "status", "--deep");
      const codes = Object.fromEntries(scan.skipped.map((/** @type {any} */ one) => [one.path, one.code]));
      expect(codes).toMatchObject({ "pics/large.png": "too-large", "pics/fake.png": "wrong-content" });
      expect(Object.keys(codes)).not.toContain("memory/private.png");
    });

    test("a picture is found by what it shows, by its name and by its caption", async () => {
      expect((await found("lighthouse at the harbour"))[0]).toBe(PICTURE);
      expect(await found("img_01.png")).toContain(PICTURE);
      expect(await found("Gerda")).toContain(PICTURE);
    });

    test("the model gets it through the tool", async () => {
      await host.startGateway();
      await host.chat(MAIN, "Is there a picture of the lighthouse?");
      const answered = async () => toolAnswers(host.peekChats()).some((answer) => answer.includes(PICTURE));
      expect(await eventually(answered)).toBe(true);
      await host.stopGateway();
    });

    test("a new name costs nothing, new content is another picture, and what is removed is gone", async () => {
      await rename(path.join(host.workspace, PICTURE), path.join(host.workspace, "pics/größe 猫.png"));
      expect(await index()).toEqual([]);
      expect((await found("lighthouse at the harbour"))[0]).toBe("pics/größe 猫.png");
      await put("pics/größe 猫.png", png("zebra with an umbrella"));
      expect(await index()).toHaveLength(1);
      expect((await found("zebra umbrella"))[0]).toBe("pics/größe 猫.png");
      await rm(path.join(host.workspace, "pics/größe 猫.png"));
      expect(await index()).toEqual([]);
      expect(await found("zebra umbrella")).not.toContain("pics/größe 猫.png");
    });

    test("an adapter of another plugin gets pictures for the model that takes them, and for no other", async () => {
      await installAcme(host);
      host.env.ACME_KEY = "sk-acme";
      await put(PICTURE, png("boat in the rain"));
      const baseUrl = host.baseUrl.replace(/\/v1$/, "/acme/v1");
      const sentFor = async (/** @type {string} */ model) => {
        await host.edit((_, config) => {
          const apiKey = { source: "env", provider: "default", id: "ACME_KEY" };
          Object.assign(config.models.providers, { acme: { baseUrl, apiKey, models: [] } });
        });
        await use({ enabled: true }, { provider: "acme", model, remote: undefined });
        host.takeChats();
        await host.ok("memory", "index");
        const requests = host.peekRecords().filter(({ path: url }) => url === "/acme/v1/embeddings");
        return requests.flatMap(({ body }) => body.input);
      };
      const before = await sentFor("acme-small");
      expect(before.length).toBeGreaterThan(0);
      expect(before.join()).not.toContain("inline-data");
      const parts = (await sentFor("acme-eyes")).filter((input) => input.startsWith("{")).map((input) => JSON.parse(input));
      const data = png("boat in the rain").toString("base64");
      const text = `Image file: ${PICTURE}`;
      const file = { type: "inline-data", mimeType: "image/png", data };
      expect(parts).toEqual([{ text, parts: [{ type: "text", text }, file] }]);
      expect((await found("img_01.png"))[0]).toBe(PICTURE);
    });

    test("a fallback is an error of the configuration, as in memory-core", async () => {
      await use({ enabled: true }, { fallback: "openai" });
      const { stdout, stderr } = await host.run("memory", "index");
      expect(`${stdout}${stderr}`).toMatch(/multimodal/);
    });
  });
}
