// The Rust packages that end up in the addon, as Cargo resolves them for the shipped platforms.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * @typedef {{name: string, version: string, licence: string, authors: string[], repository?: string, folder: string, files: Record<string, string>}} Crate
 *   `folder` is where its sources lie, `files` the licence files of it by name.
 */

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|unlicense|copyright)(?:[-_.]|$)/i;

/** @param {string} root @param {string[]} args */
function cargo(root, args) {
  return execFileSync("cargo", args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "inherit"] });
}

/**
 * Packages linked into the addon on any of the targets, ours left out, by name and version. Packages that only run
 * while it is built are not in it.
 * @param {string} root
 * @param {string[]} targets
 * @returns {Crate[]}
 */
export function linkedCrates(root, targets) {
  const platforms = targets.flatMap((target) => ["--target", target]);
  const tree = cargo(root, [
    ...["tree", "--locked", "-p", "memory-core-rs", "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"],
    ...platforms,
  ]);
  const linked = new Set(tree.split("\n").flatMap((line) => /^(\S+) v(\S+)/.exec(line)?.slice(1).join("@") ?? []));
  const { packages } = JSON.parse(cargo(root, ["metadata", "--locked", "--format-version", "1"]));
  /** @type {Crate[]} */
  const crates = [];
  for (const found of packages) {
    if (found.source === null || !linked.has(`${found.name}@${found.version}`)) continue;
    const { name, version, license, authors, repository } = found;
    if (!license) throw new Error(`${name} ${version} declares no licence`);
    const folder = path.dirname(found.manifest_path);
    crates.push({ name, version, licence: license, authors, repository, folder, files: licenceFiles(folder) });
  }
  return crates.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** @param {string} folder @returns {Record<string, string>} */
function licenceFiles(folder) {
  const folders = [folder, path.join(folder, "LICENSES")].filter((at) => existsSync(at));
  const files = folders.flatMap((at) => readdirSync(at, { withFileTypes: true }).map((entry) => ({ at, entry })));
  const wanted = files.filter(({ at, entry }) => entry.isFile() && (at !== folder || LICENCE_FILE.test(entry.name)));
  wanted.sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  return Object.fromEntries(wanted.map(({ at, entry }) => [entry.name, readFileSync(path.join(at, entry.name), "utf8")]));
}
