// Everything about a release that can be checked without publishing it. Ends with 1 when something is wrong.
//   npm run release:check               versions, changelog, files, types, licences, an installation by name
//   npm run release:check -- --hosts    the packed plugin in all supported hosts besides, which takes an hour

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { platformManifest } from "./ship/packages.mjs";
import { cargoVersion, checkChangelog, checkFiles, checkSame, checkVersions, lockedVersions } from "./ship/release.mjs";
import { packFolder, readManifest, Stage } from "./ship/stage.mjs";
import { shippedTargets } from "./ship/targets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** @param {string} name */
const read = (name) => readFileSync(path.join(root, name), "utf8");
/** @param {string} name */
const json = (name) => readManifest(path.join(root, name));
const { values } = parseArgs({ options: { hosts: { type: "boolean" } } });
const main = json("package.json");
const { version } = main;
const targets = shippedTargets(root);

/** What a command says of itself by its exit code. @param {string} command @param {string[]} args */
function runs(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  return status === 0 ? [] : [`"${[command, ...args].join(" ")}" failed`];
}

function versions() {
  const lock = json("package-lock.json");
  const { packages } = JSON.parse(
    execFileSync("cargo", ["metadata", "--locked", "--no-deps", "--format-version", "1"], { cwd: root, encoding: "utf8" }),
  );
  const crates = packages.map((/** @type {{name: string}} */ { name }) => name);
  const tag = process.env.GITHUB_REF_TYPE === "tag" ? { "the tag": process.env.GITHUB_REF_NAME?.replace(/^v/, "") } : {};
  return checkVersions(version, {
    ...tag,
    "Cargo.toml": cargoVersion(read("Cargo.toml")),
    "Cargo.lock": lockedVersions(read("Cargo.lock"), crates).join(" and "),
    "openclaw.plugin.json": json("openclaw.plugin.json").version,
    "package-lock.json": lock.version,
    "package-lock.json (root package)": lock.packages[""].version,
    "README.md (name of the tarball)": /memory-core-rs-(\d[^ ]*?)\.tgz/.exec(read("README.md"))?.[1],
    ...Object.fromEntries(targets.map(({ platform }) => [`npm/${platform}`, json(`npm/${platform}/package.json`).version])),
  });
}

function manifests() {
  const stale = targets.filter((target) => {
    const written = json(`npm/${target.platform}/package.json`);
    return JSON.stringify(written) !== JSON.stringify(platformManifest(main, target));
  });
  const listed = [...(/^targets = \[([^\]]*)\]/m.exec(read("deny.toml"))?.[1].matchAll(/"([^"]+)"/g) ?? [])].map(([, name]) => name);
  return [
    ...stale.map(({ platform }) => `npm/${platform}/package.json is not current: npm run stage -- --manifests`),
    ...checkSame("targets of package.json and of deny.toml differ", main.napi.targets, listed),
  ];
}

function files() {
  const into = path.join(root, "target/release-check");
  const { files: packed } = packFolder(new Stage(root, into).body(targets), into, true);
  const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  return checkFiles(packed, tracked);
}

/** @type {[string, () => string[]][]} */
const checks = [
  ["versions agree", versions],
  ["the changelog has this version", () => checkChangelog(read("CHANGELOG.md"), version)],
  ["manifests and targets agree", manifests],
  ["the package holds what it should, and no dev file", files],
  ["types pass", () => runs("npm", "run", "--silent", "typecheck")],
  ["licences are allowed and listed", () => runs("node", "scripts/notices.mjs", "--check")],
  [
    "packages install and work",
    () => runs("npx", "vitest", "run", "--project", "unit", "__test__/unit/published.test.mjs", "__test__/unit/package.test.mjs"),
  ],
];
if (values.hosts) checks.push(["the plugin works in every host", () => runs("npm", "run", "--silent", "test:hosts")]);

for (const [what, check] of checks) {
  const complaints = check();
  console.log(`${complaints.length === 0 ? "ok  " : "FAIL"} ${what}`);
  for (const complaint of complaints) console.log(`     ${complaint}`);
  if (complaints.length > 0) process.exitCode = 1;
}
