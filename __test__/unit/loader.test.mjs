// Hosts since 2026.9.5 load a plugin several times in one process, each time from a new copy of its files.

import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { writeBundle } from "../../scripts/ship/bundle.mjs";
import { BUNDLE, MODULES, PLUGIN, SCOPE } from "../../scripts/ship/stale.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What hosts copy: nothing in folders called node_modules. */
const COPIED = [BUNDLE, "package.json", "openclaw.plugin.json"];

beforeAll(async () => await writeBundle(root));

/** The package as it is installed, and as many copies of it, in a folder of letters that addresses have to escape. @param {number} copies */
async function packages(copies) {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "plugin – 記憶 #1 ")));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const names = ["installed", ...Array.from({ length: copies }, (_, n) => `copy ${n}`)];
  const places = names.map((name) => path.join(folder, name));
  const [installed, ...copied] = places;
  for (const file of [...MODULES, SCOPE, ...COPIED]) await cp(path.join(root, file), path.join(installed, file));
  for (const place of copied) for (const file of COPIED) await cp(path.join(root, file), path.join(place, file));
  return places;
}

/** Another build of the same plugin. @param {string} file @param {string} build */
async function rebuilt(file, build) {
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace(/(BUILD = |exports\.build = )"[0-9a-f]{16}"/, `$1"${build}"`));
}

/**
 * Loads each file and registers it as the command line is described, in a process of its own; then tells which plugins are in
 * memory and what was registered.
 * @param {string} code What it does: `load(place, root)` is one registration.
 */
function inProcess(code) {
  const script = `
    import { createRequire } from "node:module";
    import { cp } from "node:fs/promises";
    const { cache } = createRequire(import.meta.url);
    const registered = [];
    const load = async (file, rootDir) => {
      const { default: plugin } = await import(file);
      plugin.register({ rootDir, registrationMode: "cli-metadata", registerCli: (cli, options) => registered.push(options) });
    };
    const loaded = () => Object.keys(cache).filter((file) => file.endsWith("plugin.cjs"));
    let error;
    try {
      ${code}
    } catch (cause) {
      error = cause.message;
    }
    console.log(JSON.stringify({ loaded: loaded().sort(), registered: registered.length, error }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const at = (/** @type {string} */ place, /** @type {string} */ file) => path.join(place, file);
const url = (/** @type {string} */ place) => JSON.stringify(pathToFileURL(at(place, BUNDLE)).href);

test("three copies run one plugin, that of the place where it is installed", async () => {
  const [installed, ...copies] = await packages(3);
  const rootDir = JSON.stringify(installed);
  const outcome = inProcess(copies.map((copy) => `await load(${url(copy)}, ${rootDir});`).join("\n"));
  expect(outcome).toEqual({ loaded: [at(installed, PLUGIN)], registered: expect.any(Number) });
  expect(outcome.registered % 3).toBe(0);
  expect(outcome.registered).toBeGreaterThan(0);
});

test("a host that does not say where the plugin is installed runs the file beside what it loaded", async () => {
  const [installed] = await packages(0);
  expect(inProcess(`await load(${url(installed)}); await load(${url(installed)}, "");`)).toMatchObject({
    loaded: [at(installed, PLUGIN)],
    registered: expect.any(Number),
  });
});

test("what was installed while the process ran is loaded anew", async () => {
  const [installed, before, after] = await packages(2);
  await rebuilt(at(after, BUNDLE), "0123456789abcdef");
  await cp(at(installed, PLUGIN), at(after, PLUGIN));
  await rebuilt(at(after, PLUGIN), "0123456789abcdef");
  const rootDir = JSON.stringify(installed);
  const outcome = inProcess(`
    await load(${url(before)}, ${rootDir});
    const old = cache[loaded()[0]].exports;
    await cp(${JSON.stringify(at(after, PLUGIN))}, ${JSON.stringify(at(installed, PLUGIN))});
    await load(${url(after)}, ${rootDir});
    if (cache[loaded()[0]].exports === old) throw new Error("the old one serves on");`);
  expect(outcome).toEqual({ loaded: [at(installed, PLUGIN)], registered: expect.any(Number) });
});

test("a copy of a plugin that was installed anew since takes what is installed, which goes on as it runs", async () => {
  const [installed, copy, later] = await packages(2);
  await rebuilt(at(installed, PLUGIN), "0123456789abcdef");
  await rebuilt(at(later, BUNDLE), "0123456789abcdef");
  const rootDir = JSON.stringify(installed);
  const outcome = inProcess(`
    await load(${url(later)}, ${rootDir});
    const running = cache[loaded()[0]].exports;
    await load(${url(copy)}, ${rootDir});
    await load(${url(later)}, ${rootDir});
    if (cache[loaded()[0]].exports !== running) throw new Error("another one serves");`);
  expect(outcome).toEqual({ loaded: [at(installed, PLUGIN)], registered: expect.any(Number) });
  expect(inProcess(`await load(${url(copy)}, ${rootDir});`)).toMatchObject({
    loaded: [at(installed, PLUGIN)],
    registered: expect.any(Number),
  });
});

test("a plugin whose file is missing says what to do", async () => {
  const [installed] = await packages(0);
  await rm(at(installed, PLUGIN));
  expect(inProcess(`await load(${url(installed)});`)).toMatchObject({
    registered: 0,
    error: expect.stringMatching(/plugin\.cjs is missing.*openclaw plugins install memory-core-rs/),
  });
});
