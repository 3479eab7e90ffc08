import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { explainSettings } from "../../lib/manager.js";
import { makeWorkspace } from "./workspace.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(await readFile(`${root}/openclaw.plugin.json`, "utf8"));
const info = JSON.parse(await readFile(`${root}/package.json`, "utf8"));

/** @returns {Promise<{path: string, size: number}[]>} */
async function pack() {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    maxBuffer: 1 << 24,
  });
  return JSON.parse(stdout)[0].files;
}

/** @returns {Promise<string[]>} */
async function packedFiles() {
  return (await pack()).map((file) => file.path);
}

test("manifest and package agree", () => {
  expect(manifest).toMatchObject({ id: info.name, version: info.version, kind: "memory" });
  expect(info.openclaw.extensions).toEqual([info.main]);
});

test("the package holds what a host needs, and no test, source or model", async () => {
  const files = await packedFiles();
  expect(files).toEqual(
    expect.arrayContaining(["index.js", "index.d.ts", "openclaw.plugin.json", "package.json", "plugin/entry.js", "lib/native.js"]),
  );
  expect(files.filter((file) => /^(?:__test__|src|target|bench|eval|scripts|npm)\//.test(file))).toEqual([]);
});

test("what a host copies at every registration stays under 1 MB", async () => {
  // Hosts from 2026.9.5 copy the package body, but no folder called node_modules: addon and weights lie in such folders.
  const copied = (await pack()).filter((file) => !file.path.includes("node_modules/"));
  expect(copied.reduce((sum, file) => sum + file.size, 0)).toBeLessThan(1 << 20);
});

test("the declared exports are those there are", async () => {
  const declared = await readFile(`${root}/${info.types}`, "utf8");
  const values = /export \{ ([^}]+) \} from/.exec(declared)?.[1].split(", ").sort();
  expect(values).toEqual(Object.keys(await import("../../index.js")).sort());
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
