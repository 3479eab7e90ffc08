// What is published, installed by name from a registry: a main package without any binary, the addon of this platform,
// and the weights.

import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformTriple } from "../../lib/native.js";
import { LoopbackRegistry, publishAll } from "../../scripts/ship/loopback.mjs";
import { platformManifest, platformPackage } from "../../scripts/ship/packages.mjs";
import { readManifest, Stage } from "../../scripts/ship/stage.mjs";
import { packedName } from "../../scripts/ship/stale.mjs";
import { chooseTargets, shippedTargets } from "../../scripts/ship/targets.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const targets = shippedTargets(root);
const [own] = chooseTargets(targets, [platformTriple()]);
const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-published-")));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Searches by meaning, and prints what came of it. */
const PROGRAM = `
  import { MemoryIndexManager } from "memory-core-rs";
  const [workspace, stateDir] = process.argv.slice(2);
  const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "embedded" } } };
  const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: {} });
  await manager.sync();
  const hits = await manager.search("when do I put out the trash");
  const { provider, chunks } = manager.status();
  await manager.close();
  console.log(JSON.stringify({ provider, chunks, paths: hits.map((hit) => hit.path) }));`;

test("npm/ holds the manifests that belong to this version", () => {
  const main = readManifest(path.join(root, "package.json"));
  for (const target of targets) {
    expect(readManifest(path.join(root, "npm", target.platform, "package.json"))).toEqual(platformManifest(main, target));
  }
});

// A host copies what a plugin depends on, the main file included: it must lie where nothing is copied from.
test("no package names a large file outside of a folder called node_modules", () => {
  const main = readManifest(path.join(root, "package.json"));
  for (const target of targets) {
    const { main: entry, exports } = platformManifest(main, target);
    expect(entry).toBeUndefined();
    expect(exports["."]).toMatch(/\/node_modules\/[^/]+\.node$/);
  }
});

describe("installed by name", () => {
  const app = path.join(folder, "app");
  /** @type {string[]} */
  let fetched;

  beforeAll(async () => {
    const registry = new LoopbackRegistry();
    await registry.start();
    await publishAll(new Stage(root, path.join(folder, "stage")), targets, registry);
    ({ fetched } = registry);
    await mkdir(app);
    await writeFile(path.join(app, "package.json"), '{ "private": true, "type": "module" }');
    await writeFile(path.join(app, "program.js"), PROGRAM);
    const quiet = ["--no-audit", "--no-fund", "--cache", path.join(folder, "cache"), "--registry", registry.url];
    await run("npm", ["install", ...quiet, "memory-core-rs"], { cwd: app });
    registry.close();
  }, 120_000);

  test("fetches the main package, one platform and the weights", async () => {
    expect([...fetched].sort()).toEqual(["memory-core-rs", "memory-core-rs-model", platformPackage(own)].sort());
    const installed = (await readdir(path.join(app, "node_modules"))).filter((name) => !name.startsWith("."));
    expect(installed.sort()).toEqual([...fetched].sort());
  });

  test("the main package holds no binary, no weights and no script", async () => {
    const body = path.join(app, "node_modules/memory-core-rs");
    expect((await readdir(body)).filter((name) => ["native", "model", "scripts"].includes(name))).toEqual([]);
    expect(readManifest(path.join(body, "package.json"))).not.toHaveProperty("scripts");
  });

  test("every package brings its licences", async () => {
    const modules = path.join(app, "node_modules");
    for (const [name, files] of [
      ["memory-core-rs", ["LICENSE", packedName("THIRD-PARTY-NOTICES.md")]],
      [platformPackage(own), ["native/node_modules/LICENSE", "native/node_modules/THIRD-PARTY-NOTICES.md"]],
      ["memory-core-rs-model", ["model/node_modules/LICENSE", "model/node_modules/NOTICE"]],
    ]) {
      for (const file of files) expect(existsSync(path.join(modules, /** @type {string} */ (name), file)), `${name}/${file}`).toBe(true);
    }
    expect(readFileSync(path.join(modules, "memory-core-rs-model/model/node_modules/LICENSE"), "utf8")).toContain("Apache License");
  });

  // Hosts since 2026.9.5 copy these packages too at each registration, but no folder called node_modules.
  test("of what the main package needs, a host copies manifests", async () => {
    for (const name of [platformPackage(own), "memory-core-rs-model"]) {
      const folder = path.join(app, "node_modules", name);
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
      const inside = files.map((file) => path.relative(folder, path.join(file.parentPath, file.name)));
      expect(inside.filter((file) => !file.split(path.sep).includes("node_modules"))).toEqual(["package.json"]);
    }
  });

  test("searches by meaning", async () => {
    const workspace = path.join(folder, "notes");
    cpSync(path.join(root, "examples/workspace"), workspace, { recursive: true });
    const { stdout } = await run(process.execPath, ["program.js", workspace, path.join(folder, "state")], { cwd: app });
    const { provider, chunks, paths } = JSON.parse(stdout);
    expect(provider).toBe("embedded");
    expect(chunks).toBeGreaterThan(3);
    expect(paths.length).toBeGreaterThan(0);
  });

  test("without the package of its platform it names it", async () => {
    await rm(path.join(app, "node_modules", platformPackage(own)), { recursive: true });
    const failed = await run(process.execPath, ["program.js", folder, path.join(folder, "other")], { cwd: app }).catch((error) => error);
    expect(failed.stderr).toContain(`the package ${platformPackage(own)} is not installed`);
  });
});
