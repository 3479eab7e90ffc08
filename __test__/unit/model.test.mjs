// Where the weights of the embedded model are looked for.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { MODEL_PACKAGE, modelPaths, WEIGHTS } from "../../lib/model.js";
import { setPackageRoot } from "../../lib/package-root.js";

test("a checkout finds its own weights, and the installed package goes first once it is known", () => {
  setPackageRoot(undefined);
  const own = modelPaths();
  expect(own).toHaveLength(1);
  expect(statSync(own[0]).size).toBeGreaterThan(20_000_000);

  const root = resolve("/where/the/package/is");
  setPackageRoot(root);
  expect(modelPaths()).toEqual([resolve(root, "model/node_modules/all-minilm-l6-v2.bin"), ...own]);
});

// Registries deliver addon and weights as packages of their own, which npm puts below a plugin or beside it.
test.each([
  ["below the package", "plugin", "plugin/node_modules"],
  ["beside it", "node_modules/plugin", "node_modules"],
  ["in a folder above", "a/b/node_modules/plugin", "node_modules"],
])("a package of its own is found %s, after the package itself", (_, plugin, modules) => {
  const folder = mkdtempSync(join(tmpdir(), "memory-core-rs-places-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, plugin);
  const weights = join(folder, modules, MODEL_PACKAGE, WEIGHTS);
  mkdirSync(root, { recursive: true });
  setPackageRoot(root);
  expect(modelPaths()).not.toContain(weights);
  mkdirSync(dirname(weights), { recursive: true });
  writeFileSync(weights, "");
  expect(modelPaths().slice(0, 1)).toEqual([join(root, WEIGHTS)]);
  expect(modelPaths().slice(2)).toEqual([weights]);
});

test.runIf(process.platform !== "win32")("a package that is a link finds the neighbours of what it links to", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "memory-core-rs-places-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, ".store/node_modules");
  mkdirSync(join(store, "plugin"), { recursive: true });
  mkdirSync(dirname(join(store, MODEL_PACKAGE, WEIGHTS)), { recursive: true });
  writeFileSync(join(store, MODEL_PACKAGE, WEIGHTS), "");
  symlinkSync(join(store, "plugin"), join(folder, "plugin"));
  setPackageRoot(join(folder, "plugin"));
  expect(modelPaths()).toContain(join(store, MODEL_PACKAGE, WEIGHTS));
});
