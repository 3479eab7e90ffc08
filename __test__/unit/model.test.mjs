// Where the weights of the embedded model are looked for.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

import { modelPaths } from "../../lib/model.js";
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
