// What can be said of a release without publishing it. Each check returns its complaints.

import { BODY_FILES, PAGE_FILES, PICTURE_FILES, packedName } from "./stale.mjs";

/** @typedef {{name: string, version: string}} Named */

/**
 * The part of a changelog about one version; undefined when there is none with a date.
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined}
 */
export function changelogOf(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const [title, ...lines] = parts.find((part) => part.startsWith(`[${version}] - `))?.split("\n") ?? [];
  return title && /\] - \d{4}-\d\d-\d\d$/.test(title.trim()) ? lines.join("\n").trim() : undefined;
}

/**
 * @param {string} changelog
 * @param {string} version
 */
export function checkChangelog(changelog, version) {
  const part = changelogOf(changelog, version);
  if (part === undefined) return [`CHANGELOG.md has no part "## [${version}] - <year-month-day>"`];
  return part === "" ? [`CHANGELOG.md says nothing of ${version}`] : [];
}

/**
 * Everything that carries the version of the release.
 * @param {string} version
 * @param {Record<string, string | undefined>} found What is written where.
 */
export function checkVersions(version, found) {
  return Object.entries(found)
    .filter(([, other]) => other !== version)
    .map(([where, other]) => `${where} says ${other ?? "no version"}, package.json ${version}`);
}

/** The version of the crates. @param {string} cargo Cargo.toml */
export function cargoVersion(cargo) {
  return /^\[workspace\.package\]\s*(?:(?!\[).*\n)*?version = "([^"]+)"/m.exec(cargo)?.[1];
}

/** Versions that the lock file has for the named crates, each once. @param {string} lock @param {string[]} names */
export function lockedVersions(lock, names) {
  const found = lock.split("[[package]]").map((part) => /name = "([^"]+)"\nversion = "([^"]+)"(?!\nsource)/.exec(part));
  return [...new Set(found.filter((match) => match && names.includes(match[1])).map((match) => match?.[2]))];
}

/** What may be in the main package. */
const WANTED = ["LICENSE", "README.md", ...BODY_FILES, "openclaw.plugin.json", "package.json", ...PAGE_FILES, ...PICTURE_FILES];

/** Largest body that a host may have to copy at every registration, in bytes. */
const MAX_BODY = 2 << 20;

/**
 * The files of the main package against those of the repository.
 * @param {{path: string, size: number}[]} packed
 * @param {string[]} tracked
 */
export function checkFiles(packed, tracked) {
  const names = packed.map((file) => file.path);
  // The header of `index.d.ts` is in it.
  const types = tracked.filter((name) => /^lib\/.*(?<!\.header)\.d\.ts$/.test(name)).map(packedName);
  const wanted = [...new Set([...WANTED, ...types])];
  const size = packed.reduce((sum, file) => sum + (file.path.includes("node_modules/") ? 0 : file.size), 0);
  return [
    ...names.filter((name) => !wanted.includes(name)).map((name) => `${name} is in the package and should not be`),
    ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is not in the package`),
    ...(size > MAX_BODY ? [`the body of the package is ${size} bytes, hosts should not copy more than ${MAX_BODY}`] : []),
  ];
}

/** What a list has that another has not, both ways. @param {string} what @param {string[]} left @param {string[]} right */
export function checkSame(what, left, right) {
  const odd = [...left.filter((name) => !right.includes(name)), ...right.filter((name) => !left.includes(name))];
  return odd.length > 0 ? [`${what}: ${odd.join(", ")}`] : [];
}

/**
 * The packages in an order in which nobody can install one whose parts are not there yet. Throws when one is missing.
 * @param {string[]} names
 * @param {string} main
 * @param {number} platforms How many there must be.
 */
export function publishOrder(names, main, platforms) {
  const model = `${main}-model`;
  const others = names.filter((name) => name !== main && name !== model && name.startsWith(`${main}-`)).sort();
  if (others.length !== platforms) throw new Error(`${others.length} of ${platforms} platforms are staged: npm run stage -- --all`);
  if (!names.includes(main) || !names.includes(model)) throw new Error("main package or weights are not staged: npm run stage -- --all");
  return [model, ...others, main];
}
