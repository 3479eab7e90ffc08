// What `npm pack` makes of a fresh clone: a tarball with the engine, or the reason why there is none.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { ADDON_FOLDER, platformTriple } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { BESIDE } from "../../scripts/ship/stale.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const addon = `${ADDON_FOLDER}/${PLUGIN_ID}.${platformTriple()}.node`;
const TRACKED = [
  "package.json",
  "package-lock.json",
  "index.js",
  ...BESIDE.filter((name) => !name.startsWith("lib/")),
  "openclaw.plugin.json",
  "lib",
  "plugin",
  "scripts/bundle.mjs",
  "scripts/setup.mjs",
  "scripts/ship",
  "tsconfig.json",
  "page/index.html",
  "page/pictures",
  "page/style.css",
  "page/tsconfig.json",
  "page/src",
];

/** @param {string} name */
const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));

/**
 * A clone whose dependencies are there, on a machine that has Node and a shell. Its programs are scripts of Node.
 * @param {{cargo?: string, napi?: string}} programs
 */
async function fresh({ cargo, napi }) {
  const home = await realpath(await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-clone-")));
  onTestFinished(async () => await rm(home, { recursive: true, force: true }));
  const [clone, bin] = [path.join(home, "clone"), path.join(home, "bin")];
  for (const name of TRACKED) await cp(path.join(root, name), path.join(clone, name), { recursive: true });
  await mkdir(path.join(clone, "src"));
  await writeFile(path.join(clone, "src/lib.rs"), "");
  await mkdir(path.join(clone, "node_modules/.bin"), { recursive: true });
  await writeFile(path.join(clone, "node_modules/.package-lock.json"), "{}");
  for (const name of ["rolldown", "preact", "@resvg", "dejavu-fonts-ttf", "axe-core"]) {
    await symlink(path.join(root, "node_modules", name), path.join(clone, "node_modules", name));
  }
  await mkdir(bin);
  for (const name of ["npm", "sh", "env"]) await symlink(/** @type {string} */ (onPath(name)), path.join(bin, name));
  await symlink(process.execPath, path.join(bin, "node"));
  const script = async (/** @type {string} */ file, /** @type {string} */ text) => {
    await writeFile(file, `#!/usr/bin/env node\n${text}\n`);
    await chmod(file, 0o755);
  };
  if (cargo !== undefined) await script(path.join(bin, "cargo"), cargo);
  if (napi !== undefined) await script(path.join(clone, "node_modules/.bin/napi"), napi);
  const env = { PATH: bin, HOME: home, npm_config_cache: path.join(home, "cache"), npm_config_offline: "true" };
  const options = { cwd: clone, env, encoding: /** @type {const} */ ("utf8") };
  return {
    clone,
    pack: () => spawnSync("npm", ["pack", "--json", "--foreground-scripts"], options),
    quick: () => spawnSync("node", ["scripts/setup.mjs", "--quick"], options),
  };
}

/** Builds as the real one does: talks, and leaves the addon. */
const BUILDS = `
  console.log("Compiling all");
  require("node:fs").mkdirSync("${ADDON_FOLDER}", { recursive: true });
  require("node:fs").writeFileSync("${addon}", "engine");`;

/** Compiles as Cargo does: talks, leaves a library and says where, among what it says of others. */
const COMPILES = `
  if (process.argv.includes("build")) {
    console.error("Compiling", process.argv.includes("--no-default-features") ? "a part" : "all");
    require("node:fs").writeFileSync("library", "a part of the engine");
    const made = (name, file) => ({ reason: "compiler-artifact", target: { name }, filenames: [file] });
    const said = [made("sqlite_vec", "/other"), made("memory_core_rs", process.cwd() + "/library"), { reason: "build-finished" }];
    for (const one of said) console.log(JSON.stringify(one));
  }`;

// Nothing built the engine before packing: the tarball of a fresh clone could be installed and did nothing.
test.runIf(process.platform !== "win32")(
  "the engine is built before it is packed, and standard output holds npm's answer alone",
  async () => {
    const { pack } = await fresh({ cargo: "", napi: BUILDS });
    const { status, stdout, stderr } = pack();
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const [{ files }] = JSON.parse(stdout);
    expect(files.map((/** @type {{path: string}} */ file) => file.path)).toEqual(expect.arrayContaining([addon, "dist/index.js"]));
    expect(stderr).toContain("Compiling all");
  },
);

test.runIf(process.platform !== "win32")("what the demo built in a hurry is not what is packed", async () => {
  const { clone, pack, quick } = await fresh({ cargo: COMPILES, napi: BUILDS });
  expect(quick().stderr).toContain("Compiling a part");
  expect(await readFile(path.join(clone, addon), "utf8")).toBe("a part of the engine");
  expect(existsSync(path.join(clone, "dist"))).toBe(false);
  expect(quick()).toMatchObject({ status: 0, stderr: "" });
  const { status, stdout, stderr } = pack();
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining("Compiling all") });
  expect(stdout).not.toContain("lacks-parts");
  expect(pack().stderr).not.toContain("Compiling");
});

test.runIf(process.platform !== "win32").each([
  ["without Rust", { napi: BUILDS }, /needs Rust: install it from https:\/\/rustup\.rs/],
  ["with a build that fails", { cargo: "", napi: 'console.error("no space left"); process.exit(3)' }, /no space left[\s\S]*build" failed/],
  ["with a build that leaves nothing", { cargo: "", napi: "" }, /left no native/],
])("%s there is no tarball, and the reason is told", async (_, programs, reason) => {
  const { pack } = await fresh(programs);
  const { status, stdout, stderr } = pack();
  expect(status).not.toBe(0);
  expect(stderr).toMatch(reason);
  expect(stdout).not.toContain(".tgz");
});
