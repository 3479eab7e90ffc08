// What stops a release before anything is published.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  cargoVersion,
  changelogOf,
  checkChangelog,
  checkFiles,
  checkSame,
  checkVersions,
  lockedVersions,
  publishOrder,
} from "../../scripts/ship/release.mjs";
import { packedName } from "../../scripts/ship/stale.mjs";

/** @param {string} name */
const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");

describe("the changelog", () => {
  const log = "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.1.0] - 2026-11-24\n\n### Added\n\n- This.\n\n## [1.0.0] - 2026-11-01\n";

  test("has a part for a version with a date", () => {
    expect(changelogOf(log, "1.1.0")).toBe("### Added\n\n- This.");
    expect(checkChangelog(log, "1.1.0")).toEqual([]);
  });

  test("is refused without the version, without a date, and with nothing to say", () => {
    expect(checkChangelog(log, "1.2.0")).toEqual(['CHANGELOG.md has no part "## [1.2.0] - <year-month-day>"']);
    expect(checkChangelog(log, "1.1")).toHaveLength(1);
    expect(checkChangelog("## [1.0.0] - soon\n\n- This.\n", "1.0.0")).toHaveLength(1);
    expect(checkChangelog(log, "1.0.0")).toEqual(["CHANGELOG.md says nothing of 1.0.0"]);
  });
});

describe("versions", () => {
  test("that differ are told with where they stand", () => {
    expect(checkVersions("1.0.0", { a: "1.0.0", b: "1.0.1", c: undefined })).toEqual([
      "b says 1.0.1, package.json 1.0.0",
      "c says no version, package.json 1.0.0",
    ]);
  });

  test("are read from Cargo's files", () => {
    const cargo =
      '[workspace]\nmembers = ["x"]\n\n[workspace.package]\nedition = "2024"\nversion = "1.2.3"\n\n[package]\nversion = "9.9.9"\n';
    expect(cargoVersion(cargo)).toBe("1.2.3");
    expect(cargoVersion('[workspace.package]\nedition = "2024"\n\n[package]\nversion = "9.9.9"\n')).toBeUndefined();
    const lock = ["", 'name = "ours"\nversion = "1.2.3"\n', 'name = "ours"\nversion = "0.1.0"\nsource = "registry"\n'].join(
      "\n[[package]]\n",
    );
    expect(lockedVersions(lock, ["ours"])).toEqual(["1.2.3"]);
    const { version } = JSON.parse(read("package.json"));
    expect(cargoVersion(read("Cargo.toml"))).toBe(version);
    expect(lockedVersions(read("Cargo.lock"), ["memory-core-rs", "engine", "text"])).toEqual([version]);
  });
});

describe("the files of the main package", () => {
  const top = [
    "LICENSE",
    "README.md",
    "dist/index.js",
    "dist/manager.js",
    "dist/manager.d.ts",
    ...["plugin.cjs", "package.json", "CHANGELOG.md", "THIRD-PARTY-NOTICES.md", "index.d.ts"].map(packedName),
    ...["engine", "page", "settings", "types"].map((name) => packedName(`lib/${name}.d.ts`)),
    "openclaw.plugin.json",
    "package.json",
    ...["index.html", "page.css", "page.js", "preact.LICENSE"].map((name) => `dist/node_modules/memory-core-rs-page/${name}`),
    ...["DejaVuSans.ttf", "dejavu.LICENSE", "draw.mjs", "resvg.LICENSE", "resvg.mjs", "resvg.wasm"].map(
      (name) => `dist/node_modules/memory-core-rs-pictures/${name}`,
    ),
  ];
  const tracked = ["lib/a.d.ts", "lib/a.js", "plugin/b.js", "scripts/c.mjs"];
  const packed = (/** @type {string[]} */ ...names) => names.map((path) => ({ path, size: 10 }));

  test("are the listed ones and the types that are tracked in lib", () => {
    expect(checkFiles(packed(...top, packedName("lib/a.d.ts")), tracked)).toEqual([]);
  });

  test("a missing one, a dev file, a file nobody committed and too large a body are told", () => {
    expect(checkFiles(packed(...top, "plugin/b.js", "scripts/c.mjs", packedName("lib/try.d.ts")), tracked)).toEqual([
      "plugin/b.js is in the package and should not be",
      "scripts/c.mjs is in the package and should not be",
      `${packedName("lib/try.d.ts")} is in the package and should not be`,
      `${packedName("lib/a.d.ts")} is not in the package`,
    ]);
    const large = packed(...top, packedName("lib/a.d.ts")).map((file) => ({ ...file, size: 1 << 20 }));
    expect(checkFiles(large, tracked)).toEqual([expect.stringContaining("hosts should not copy more than")]);
  });
});

test("lists that should be the same are compared both ways", () => {
  expect(checkSame("x", ["a", "b"], ["b", "a"])).toEqual([]);
  expect(checkSame("targets differ", ["a", "b"], ["b", "c"])).toEqual(["targets differ: a, c"]);
});

test("the main package is published last, and nothing where a package is missing", () => {
  expect(publishOrder(["own", "own-b", "own-model", "own-a"], "own", 2)).toEqual(["own-model", "own-a", "own-b", "own"]);
  expect(() => publishOrder(["own", "own-model", "own-a"], "own", 2)).toThrow("1 of 2 platforms");
  expect(() => publishOrder(["own", "own-a"], "own", 1)).toThrow("weights are not staged");
});
