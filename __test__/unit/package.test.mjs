import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { explainSettings } from "../../lib/explain-settings.js";
import { writeBundle } from "../../scripts/ship/bundle.mjs";
import { writePage } from "../../scripts/ship/page.mjs";
import { writePictures } from "../../scripts/ship/pictures.mjs";
import { BODY_FILES, BUNDLE, FACE, FACE_TYPES, MODULES, PAGE_FILES, PICTURE_FILES, PLUGIN } from "../../scripts/ship/stale.mjs";
import { makeWorkspace } from "../support/workspace.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(await readFile(`${root}/openclaw.plugin.json`, "utf8"));
const info = JSON.parse(await readFile(`${root}/package.json`, "utf8"));

const run = promisify(execFile);
const TSC = path.join(root, "node_modules/typescript/bin/tsc");

/** Packs the package, once for all tests. @type {Promise<{tarball: string, files: {path: string, size: number}[]}> | undefined} */
let packing;
/** Where everything of these tests lies: a path with spaces and letters beyond ASCII. */
const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "memória – 記憶 of mine-")));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function pack() {
  packing ??= (async () => {
    await writeBundle(root);
    await writePage(root);
    await writePictures(root);
    const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: root,
      maxBuffer: 1 << 24,
    });
    const [{ filename, files }] = JSON.parse(stdout);
    return { tarball: path.join(folder, filename), files };
  })();
  return await packing;
}

/** @returns {Promise<string[]>} */
async function packedFiles() {
  return (await pack()).files.map((file) => file.path);
}

test("manifest and package agree", () => {
  expect(manifest).toMatchObject({ id: info.name, version: info.version, kind: "memory" });
  expect(info.openclaw.extensions).toEqual([info.main]);
});

test("the package holds what a host needs, and no test, source or model", async () => {
  const files = await packedFiles();
  expect(files).toEqual(expect.arrayContaining([...BODY_FILES, "openclaw.plugin.json", "package.json"]));
  expect(files.some((file) => /^native\/node_modules\/memory-core-rs\.\S+\.node$/.test(file))).toBe(true);
  expect(files.filter((file) => /^(?:__test__|src|target|bench|eval|scripts|npm|plugin)\//.test(file))).toEqual([]);
});

// Hosts copy each file of a package, and resolve each module, several times a command: a hundred and thirty took longer than
// the search, and so did compiling half a megabyte anew each time.
test("all that runs is one module, which needs no package and can be read, and what hosts load is small", async () => {
  const files = await packedFiles();
  // What runs in a browser is no module of the plugin.
  const ours = files.filter((file) => ![...PAGE_FILES, ...PICTURE_FILES].includes(file));
  expect(ours.filter((file) => /\.[cm]?js$/.test(file)).sort()).toEqual(MODULES.toSorted());
  expect(MODULES).toContain(path.posix.normalize(info.main));
  const [loader, plugin] = await Promise.all([BUNDLE, PLUGIN].map((file) => readFile(path.join(root, file), "utf8")));
  for (const source of [loader, plugin]) {
    const needed = [...source.matchAll(/^import (?:.* from )?"([^"]+)"|\bimport\("([^"]+)"\)|\brequire\("([^"]+)"\)/gm)].map(
      ([, fixed, late, required]) => fixed ?? late ?? required,
    );
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter((name) => !/^(node:|url$)/.test(name))).toEqual([]);
  }
  expect(plugin).toContain("// plugin/entry.js");
  expect(plugin.split("\n").length).toBeGreaterThan(5000);
  expect(loader.length).toBeLessThan(4096);
});

// Of the time until a first answer, half was copies of what the host does not load.
test("a host copies what it loads at every registration, and nothing else", async () => {
  // Hosts from 2026.9.5 copy the package of a plugin, but no folder called node_modules: all other things lie in such folders.
  const copied = (await pack()).files.filter((file) => !file.path.includes("node_modules/"));
  expect(copied.map((file) => file.path).sort()).toEqual([
    "LICENSE",
    "README.md",
    BUNDLE,
    FACE_TYPES,
    FACE,
    "openclaw.plugin.json",
    "package.json",
  ]);
  expect(copied.reduce((sum, file) => sum + file.size, 0)).toBeLessThan(100_000);
  expect(await packedFiles()).toEqual(expect.arrayContaining([...PAGE_FILES, ...PICTURE_FILES]));
});

test("the declared exports are those there are", async () => {
  const declared = await readFile(`${root}/lib/types.d.ts`, "utf8");
  const values = /export \{ ([^}]+) \} from/.exec(declared)?.[1].split(", ").sort();
  expect(values).toEqual(Object.keys(await import("../../index.js")).sort());
  await pack();
  expect(values).toEqual(Object.keys(await import(pathToFileURL(path.join(root, info.exports["."].default)).href)).sort());
});

test("nothing in the package is what the install scan of OpenClaw 2026.4.12 refuses", async () => {
  for (const file of (await packedFiles()).filter((name) => /\.[cm]?[jt]s$/.test(name))) {
    const source = await readFile(`${root}/${file}`, "utf8");
    expect(source, file).not.toMatch(/child_process|\beval\s*\(|new\s+Function\s*\(/);
    if (/process\.env/.test(source)) expect(source, file).not.toMatch(/\bfetch\b|\bpost\b|http\.request/i);
  }
});

describe("the configuration schema", () => {
  /** @param {string} key */
  const schemaOf = (key) => key.split(".").reduce((schema, part) => schema?.properties?.[part], manifest.configSchema);

  test("has a place for every setting the engine knows", async () => {
    const { request } = await makeWorkspace();
    const { origins } = /** @type {any} */ (await explainSettings(request));
    // Two settings are known to the engine by what they lead to.
    const names = { databasePath: "store.path", workspaceDir: null };
    for (const origin of Object.keys(origins)) {
      const key = origin in names ? names[/** @type {keyof typeof names} */ (origin)] : origin;
      if (key) expect(schemaOf(key), key).toBeDefined();
    }
  });

  test("tells what each setting does, and hints point to settings", () => {
    const visit = (/** @type {any} */ schema, /** @type {string} */ at) => {
      for (const [name, child] of Object.entries(schema.properties ?? {})) {
        if (name !== "driver" && at !== "dreaming") expect(/** @type {any} */ (child).description, `${at}.${name}`).toMatch(/\S/);
        visit(child, name);
      }
    };
    visit(manifest.configSchema, "config");
    for (const key of Object.keys(manifest.uiHints)) expect(schemaOf(key), key).toBeDefined();
  });

  test("keeps memory-core from being loaded beside us", () => {
    expect(schemaOf("dreaming").default).toEqual({ enabled: false });
  });
});

/**
 * A command that permissions stop. They do not stop root; and another user might not be let in where a clone or the
 * temporary folder lies, so root gives up that right instead.
 * @param {string} command
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
function restrained(command, args) {
  if (process.getuid?.() !== 0) return [command, args];
  const right = "-dac_override";
  return ["setpriv", ["--bounding-set", right, "--inh-caps", right, command, ...args]];
}

/** Uses the package as a program of the user does, and prints what came of it. */
const PROGRAM = `
  import { MemoryIndexManager } from "memory-core-rs";
  const [workspace, stateDir] = process.argv.slice(2);
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
  try {
    const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: process.env });
    await manager.sync();
    const hits = await manager.search("spare key");
    await manager.close();
    console.log(JSON.stringify({ paths: hits.map((hit) => hit.path) }));
  } catch ({ code, message }) {
    console.log(JSON.stringify({ code, message }));
  }`;

describe("the packed tarball, installed where paths have spaces and letters beyond ASCII", () => {
  beforeAll(async () => {
    const app = path.join(folder, "a pasta");
    await mkdir(app);
    await writeFile(path.join(app, "package.json"), '{ "private": true, "type": "module" }');
    await writeFile(path.join(app, "program.js"), PROGRAM);
    const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", path.join(folder, "cache")];
    await run("npm", ["install", ...quiet, (await pack()).tarball], { cwd: app });
  }, 120_000);

  const installed = (/** @type {string} */ name) => path.join(folder, "a pasta/node_modules/memory-core-rs", name);

  /**
   * Runs the program with a HOME that cannot be written.
   * @param {(home: {base: string, readOnly: string}) => string} chooseState
   */
  async function runProgram(chooseState) {
    const base = await mkdtemp(path.join(folder, "casa é "));
    onTestFinished(async () => {
      await chmod(readOnly, 0o755);
    });
    const [workspace, readOnly] = [path.join(base, "notes ☕"), path.join(base, "home")];
    await mkdir(path.join(workspace, "memory"), { recursive: true });
    await writeFile(path.join(workspace, "memory/chá.md"), "The spare key is under the blue pot.\n");
    await mkdir(readOnly);
    await chmod(readOnly, 0o555);
    const args = ["program.js", workspace, chooseState({ base, readOnly })];
    const { stdout, stderr } = await run(...restrained(process.execPath, args), {
      cwd: path.join(folder, "a pasta"),
      env: { PATH: process.env.PATH, HOME: readOnly },
    });
    expect(await readdir(readOnly)).toEqual([]);
    return { stderr, ...JSON.parse(stdout) };
  }

  test("works, and leaves a HOME alone that it cannot write", async () => {
    expect(await runProgram(({ base }) => path.join(base, "estado"))).toEqual({ paths: ["memory/chá.md"], stderr: "" });
  });

  test("says what to do when the index belongs below such a HOME", async () => {
    expect(await runProgram(({ readOnly }) => path.join(readOnly, ".openclaw"))).toEqual({
      code: "MEM_READ_ONLY",
      message: expect.stringContaining("Set `store.path` to a writable place"),
      stderr: "",
    });
  });

  // The declarations had an error that only consumers saw, who check libraries too.
  const readme = /```js\n(import [\s\S]*?)```/.exec(readFileSync(`${root}/README.md`, "utf8"))?.[1] ?? "";
  const libraries = { "with DOM": ["--lib", "ES2022,DOM"], "with Node": ["--lib", "ES2022", "--types", "node"] };
  test.each(["NodeNext", "bundler"].flatMap((resolution) => Object.entries(libraries).map(([name, lib]) => ({ resolution, name, lib }))))(
    "the README's program passes tsc --strict, resolved as $resolution does, $name",
    async ({ resolution, lib }) => {
      const file = path.join(folder, "a pasta", `readme-${resolution}.mts`);
      await writeFile(file, readme);
      const modules = ["--module", resolution === "NodeNext" ? resolution : "ESNext", "--moduleResolution", resolution];
      const flags = ["--ignoreConfig", "--strict", "--noEmit", "--skipLibCheck", "false", "--target", "ES2022", ...modules];
      const types = ["--typeRoots", path.join(root, "node_modules/@types"), ...lib];
      const { stdout } = await run(process.execPath, [TSC, ...flags, ...types, file]).catch((error) => error);
      expect(readme).toContain("MemoryIndexManager.get(");
      expect(stdout).toBe("");
    },
  );

  test("without an addon for the platform, or with a broken one, it says what to install, once", async () => {
    const [addon] = await readdir(installed("native/node_modules"));
    const file = installed(`native/node_modules/${addon}`);
    for (const damage of [() => writeFile(file, "made for another machine"), () => rm(file)]) {
      await damage();
      const { code, message, stderr } = await runProgram(({ base }) => path.join(base, "estado"));
      expect({ code, stderr }).toEqual({ code: "MEM_NATIVE_MISSING", stderr: "" });
      expect(message).toMatch(
        /^memory-core-rs has no native engine that works on \S+: [^\n]+\. Reinstall the plugin with "[^"]+", install the package memory-core-rs-\S+, or build it here with "npm run build"$/,
      );
    }
  });
});
