// Lays out packages as they are published, in folders that `npm pack` and `npm publish` take as they are.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { WEIGHTS } from "../../lib/model.js";
import { ADDON_FOLDER, platformTriple } from "../../lib/native.js";
import { addonFile, mainManifest, modelManifest, offlineManifest, platformManifest } from "./packages.mjs";
import { isPackStale } from "./stale.mjs";
import { findFaults } from "./targets.mjs";

/** @typedef {import("./targets.mjs").Target} Target */
/** @typedef {import("./packages.mjs").Manifest} Manifest */
/** @typedef {{path: string, size: number}} PackedFile */
/** @typedef {{file: string, name: string, size: number, unpackedSize: number, files: PackedFile[]}} Packed */

/** @param {string} file @returns {Manifest} */
export const readManifest = (file) => JSON.parse(readFileSync(file, "utf8"));

/** @param {string} file @param {unknown} value */
export function writeJson(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Makes a tarball of a folder, or with `dryRun` only says what would be in it. No script of the package runs.
 * @param {string} folder
 * @param {string} into
 * @param {boolean} [dryRun]
 * @returns {Packed}
 */
export function packFolder(folder, into, dryRun = false) {
  mkdirSync(into, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into, ...(dryRun ? ["--dry-run"] : [])];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`"npm pack" failed in ${folder}: ${stderr}`);
  const [{ filename, name, size, unpackedSize, files }] = JSON.parse(stdout);
  return { file: path.join(into, filename), name, size, unpackedSize, files };
}

/** Makes the module and the page that are packed, unless they are there: a bare Node in which an addon is tried has no bundler. @param {string} root */
function bundle(root) {
  if (!isPackStale(root)) return;
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, "scripts/bundle.mjs")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the module that is packed could not be made: ${stderr}`);
}

/** @param {string} name */
const isLarge = (name) => name.startsWith(`${path.posix.dirname(ADDON_FOLDER)}/`) || name.startsWith("model/");

export class Stage {
  /** @param {string} root @param {string} into */
  constructor(root, into) {
    this.root = root;
    this.into = into;
    this.main = readManifest(path.join(root, "package.json"));
    this.model = readManifest(path.join(root, "npm/model/package.json"));
    rmSync(into, { recursive: true, force: true });
  }

  /**
   * The built addon for a platform: what `npm run build:targets` or the release workflow made, else a build for this
   * machine. Undefined when there is none.
   * @param {Target} target
   */
  findAddon(target) {
    const built = path.join(this.root, "npm", target.platform, addonFile(target));
    const own = path.join(this.root, addonFile(target));
    return [built, ...(target.platform === platformTriple() ? [own] : [])].find((file) => existsSync(file));
  }

  /** @param {Target} target @param {string} folder */
  #copyAddon(target, folder) {
    const addon = this.findAddon(target);
    if (!addon) throw new Error(`there is no addon for ${target.platform}: "npm run build:targets -- ${target.platform}" makes it`);
    const faults = findFaults(target, readFileSync(addon)).filter((fault) => !fault.startsWith("it needs glibc"));
    if (faults.length > 0) throw new Error(`${addon} is not what it is called: ${faults.join(" and ")}`);
    cpSync(addon, path.join(folder, addonFile(target)));
  }

  /** @param {string} name @param {string} folder @param {string} [as] */
  #copy(name, folder, as = name) {
    cpSync(path.join(this.root, name), path.join(folder, as), { recursive: true });
  }

  /** What `npm pack` takes of the repository, less the large files. @param {string} folder */
  #copyBody(folder) {
    bundle(this.root);
    for (const { path: name } of packFolder(this.root, this.into, true).files) {
      if (name !== "package.json" && !isLarge(name)) this.#copy(name, folder);
    }
  }

  /** @param {string} name @param {Manifest} manifest */
  #folder(name, manifest) {
    const folder = path.join(this.into, name);
    writeJson(path.join(folder, "package.json"), manifest);
    return folder;
  }

  /** @param {Target} target */
  platform(target) {
    const manifest = platformManifest(this.main, target);
    const folder = this.#folder(manifest.name, manifest);
    this.#copyAddon(target, folder);
    // Beside the addon: hosts that copy a plugin's packages at each registration leave out folders of that name.
    for (const name of ["LICENSE", "THIRD-PARTY-NOTICES.md"]) this.#copy(name, folder, `${ADDON_FOLDER}/${name}`);
    return folder;
  }

  /** The weights. */
  weights() {
    const folder = this.#folder(this.model.name, modelManifest(this.main, this.model));
    this.#copy(WEIGHTS, folder);
    for (const name of ["LICENSE", "NOTICE", "README.md", "all-minilm-l6-v2.sha256"]) {
      this.#copy(`model/${name}`, folder, `${path.posix.dirname(WEIGHTS)}/${name}`);
    }
    return folder;
  }

  /** The main package, which asks npm for the others. @param {Target[]} targets */
  body(targets) {
    const folder = this.#folder(this.main.name, mainManifest(this.main, targets, this.model));
    this.#copyBody(folder);
    return folder;
  }

  /** The main package with the addons of some platforms and the weights inside. @param {Target[]} targets */
  offline(targets) {
    const folder = this.#folder(this.main.name, offlineManifest(this.main));
    this.#copyBody(folder);
    for (const target of targets) this.#copyAddon(target, folder);
    for (const name of this.main.files.filter((/** @type {string} */ name) => name.startsWith("model/"))) this.#copy(name, folder);
    return folder;
  }
}
