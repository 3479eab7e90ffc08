// Pictures and sounds over a real connection to a provider that takes them, and through an adapter of the host.

import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { embedWith, hostAdapter } from "../../plugin/host-embeddings.js";
import { commandLine } from "../support/command-line.mjs";
import { embed } from "../support/fake-provider.mjs";
import { mediaOf, png, startGemini } from "../support/gemini.mjs";
import { makeWorkspace } from "../support/workspace.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n\nThe favourite tea is sencha.\n",
  "memory/a.md": "- Grandmother Gerda in Porto ![](../pics/img_1.png)\n",
};

/** @param {Record<string, unknown>} [more] */
async function home(more) {
  const gemini = await startGemini();
  onTestFinished(gemini.stop);
  const search = {
    provider: "gemini",
    model: "gemini-embedding-2",
    remote: { baseUrl: gemini.baseUrl, apiKey: "sk-owner" },
    extraPaths: ["pics"],
    multimodal: { enabled: true },
    ...more,
  };
  const line = await commandLine(search, { files: FILES });
  const pics = path.join(line.workspace, "pics");
  await mkdir(pics);
  /** @param {string} name @param {Buffer | string} content */
  const put = async (name, content) => await writeFile(path.join(pics, name), content);
  /** @param {string} query @returns {Promise<any[]>} */
  const found = async (query) => (await line.json("search", query)).results;
  return { ...line, gemini, search, pics, put, found };
}

test("a picture goes to the owner's provider once, with the owner's key, and is found by what it shows", async () => {
  const { gemini, json, run, put, found, pics } = await home();
  await put("img_1.png", png("lighthouse at the harbour"));
  expect((await run("index", "--dry-run")).output).toMatch(/3 texts/);
  expect(gemini.take()).toEqual([]);
  await json("index");
  const [picture, ...others] = mediaOf(gemini.take());
  expect(others).toEqual([]);
  expect(picture).toMatchObject({ text: "Image file: pics/img_1.png", mimeType: "image/png", key: "sk-owner" });
  expect(picture.path).toBe("/v1beta/models/gemini-embedding-2:batchEmbedContents");
  expect(picture.bytes?.equals(png("lighthouse at the harbour"))).toBe(true);
  expect((await found("harbour lighthouse"))[0]).toMatchObject({ path: "pics/img_1.png", startLine: 1, endLine: 1, source: "memory" });
  expect((await found("Gerda")).map(({ path: at }) => at)).toContain("pics/img_1.png");
  gemini.take();
  await rename(path.join(pics, "img_1.png"), path.join(pics, "größe 猫.png"));
  await json("index", "--force");
  expect(mediaOf(gemini.take())).toEqual([]);
  expect((await found("harbour lighthouse"))[0].path).toBe("pics/größe 猫.png");
});

test("what is left out has a reason in the status, and none of it is sent", async () => {
  const { gemini, json, run, put, pics, workspace } = await home();
  await put("large.png", Buffer.concat([png("large"), Buffer.alloc(11 << 20)]));
  await put("fake.png", "# a note that was renamed\n");
  await put("empty.png", "");
  await put("cut.png", png("").subarray(0, 40));
  await writeFile(path.join(workspace, "memory", "private.png"), png("private"));
  await symlink(path.join(workspace, "memory", "private.png"), path.join(pics, "link.png"));
  await json("index");
  expect(mediaOf(gemini.take())).toEqual([]);
  const [{ scan }] = await json("status", "--deep");
  const codes = Object.fromEntries(scan.skipped.map((/** @type {any} */ one) => [path.basename(one.path), one.code]));
  expect(codes).toEqual({
    "large.png": "too-large",
    "fake.png": "wrong-content",
    "empty.png": "wrong-content",
    "cut.png": "wrong-content",
    "link.png": "link",
  });
  const { output } = await run("status", "--deep", "--verbose");
  expect(output).toContain("Indexed: 2/2 files");
  expect(output).toContain("named like an image file, but holds content of no known kind");
});

test("nothing is sent while it is off, and removed pictures are gone", async () => {
  const { gemini, json, put, found, pics, written, write, search } = await home({ multimodal: { enabled: false } });
  await put("img_1.png", png("lighthouse at the harbour"));
  await json("index");
  expect(mediaOf(gemini.take())).toEqual([]);
  expect(await found("img_1 png pics")).not.toContainEqual(expect.objectContaining({ path: "pics/img_1.png" }));
  write({ ...written(), memory: { search: { ...search, multimodal: { enabled: true, modalities: ["image"] } } } });
  await json("index");
  expect(mediaOf(gemini.take())).toHaveLength(1);
  await rm(path.join(pics, "img_1.png"));
  await json("index");
  expect((await found("harbour lighthouse")).map(({ path: at }) => at)).not.toContain("pics/img_1.png");
});

test("another provider gets words alone, and the status says so once", async () => {
  const { gemini, json, run, put, found } = await home({ model: "gemini-embedding-001" });
  await put("img_1.png", png("lighthouse at the harbour"));
  await json("index");
  const sent = gemini.take();
  expect(mediaOf(sent)).toEqual([]);
  expect(sent.map(({ text }) => text)).toContain("Image file: pics/img_1.png — Grandmother Gerda in Porto");
  expect((await found("Gerda")).map(({ path: at }) => at)).toContain("pics/img_1.png");
  const { output } = await run("status");
  expect(output.split("embeds text only")).toHaveLength(2);
});

test.each(["gemini-embedding-2", "gemini-embedding-001"])("with %s a caption that is forgotten is gone with its line", async (model) => {
  const { json, run, put, stateDir, found } = await home({ model });
  await put("img_1.png", png("lighthouse at the harbour"));
  await json("index");
  const own = path.join(stateDir, "memory-core-rs");
  const holding = async () => {
    const names = (await readdir(own, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const contents = await Promise.all(names.map((entry) => readFile(path.join(entry.parentPath, entry.name), "latin1")));
    return names.filter((_, at) => /gerda/i.test(contents[at])).map((entry) => entry.name);
  };
  expect(await holding()).toContain("index.sqlite");
  expect((await run("forget", "--path", "memory/a.md", "--lines", "1-1", "--final", "--yes")).code).toBe(0);
  expect(await holding()).toEqual([]);
  expect(await found("Gerda")).toEqual([]);
  expect((await found("img_1.png")).map(({ path: at }) => at)).toContain("pics/img_1.png");
});

test("a picture that is forgotten is not sent again, whatever becomes of it", async () => {
  const { gemini, json, run, put, found } = await home();
  await put("img_1.png", png("lighthouse at the harbour"));
  await json("index");
  expect(mediaOf(gemini.take())).toHaveLength(1);
  expect((await run("forget", "--path", "pics/img_1.png", "--yes")).code).toBe(0);
  await put("img_1.png", png("zebra with an umbrella"));
  await json("index");
  expect(mediaOf(gemini.take())).toEqual([]);
  expect((await found("zebra umbrella")).map(({ path: at }) => at)).not.toContain("pics/img_1.png");
});

test("a fallback is refused as the host refuses it", async () => {
  const { run } = await home({ fallback: "openai" });
  expect((await run("index")).output).toContain("multimodal does not go together with a fallback provider");
});

test("an adapter of the host that takes pictures gets them as parts", async () => {
  const { request, config, workspace } = await makeWorkspace(FILES);
  await mkdir(path.join(workspace, "pics"));
  await writeFile(path.join(workspace, "pics", "img_1.png"), png("lighthouse at the harbour"));
  /** @type {any[]} */
  const inputs = [];
  const embedInput = embedWith(async () => ({
    embed: async (text) => embed(text),
    embedBatch: async (texts) => {
      inputs.push(...texts);
      return texts.map((text) => embed(typeof text === "string" ? text : "lighthouse at the harbour"));
    },
  }));
  const search = { provider: "acme", model: "m", extraPaths: ["pics"], multimodal: { enabled: true } };
  const open = async (/** @type {boolean} */ takes) => {
    const adapter = {
      providers: ["acme"],
      embed: async (/** @type {string[]} */ texts, /** @type {any} */ kind, /** @type {string} */ _provider, /** @type {any} */ media) =>
        await embedInput(texts, kind, media),
      takesMedia: async () => takes,
    };
    const manager = await MemoryIndexManager.get({ ...request, cfg: config(search), adapter });
    await manager?.sync({ reason: "test" });
    return manager;
  };
  await open(false);
  expect(inputs.every((input) => typeof input === "string")).toBe(true);
  const manager = await open(true);
  const [picture, ...more] = inputs.filter((input) => typeof input !== "string");
  expect(more).toEqual([]);
  const text = "Image file: pics/img_1.png";
  const data = png("lighthouse at the harbour").toString("base64");
  expect(picture).toEqual({
    text,
    parts: [
      { type: "text", text },
      { type: "inline-data", mimeType: "image/png", data },
    ],
  });
  const [hit] = (await manager?.search("harbour lighthouse")) ?? [];
  expect(hit.path).toBe("pics/img_1.png");
});

test("an adapter that cannot be asked takes no pictures", async () => {
  const adapter = hostAdapter({ cfg: { memory: { search: { provider: "acme" } } }, agentId: "main", agentDir: "/agents/main" });
  expect(await adapter?.takesMedia?.()).toBe(false);
});
