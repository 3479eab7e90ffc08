// Publishes what `npm run stage -- --all` has laid out: the weights, the platforms, and last the main package, which asks
// for them. What the registry has already is left out, so that a run that broke off can be repeated.
//   node scripts/publish.mjs --dry-run    says what it would do
//   node scripts/publish.mjs --notes      prints the part of the changelog for this version

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PACKAGE_VERSION, PLUGIN_ID } from "../lib/package-info.js";
import { changelogOf, publishOrder } from "./ship/release.mjs";
import { readManifest } from "./ship/stage.mjs";
import { shippedTargets } from "./ship/targets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const staged = path.join(root, "target/packages");
const { values } = parseArgs({ options: { "dry-run": { type: "boolean" }, notes: { type: "boolean" } } });

/** @param {string[]} args @param {string} [cwd] */
function npm(args, cwd = root) {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", shell: process.platform === "win32" });
  return { ok: status === 0, stdout, stderr };
}

/** Whether the registry has it; throws when that cannot be known. @param {string} name @param {string} version */
function isPublished(name, version) {
  const { ok, stdout, stderr } = npm(["view", `${name}@${version}`, "version"]);
  if (!ok && !stderr.includes("E404")) throw new Error(`the registry does not say whether it has ${name}: ${stderr}`);
  return ok && stdout.trim() === version;
}

if (values.notes) {
  console.log(changelogOf(readFileSync(path.join(root, "CHANGELOG.md"), "utf8"), PACKAGE_VERSION) ?? "");
} else {
  const there = readdirSync(staged, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = publishOrder(
    there.map((entry) => entry.name),
    PLUGIN_ID,
    shippedTargets(root).length,
  );
  for (const name of names) {
    const folder = path.join(staged, name);
    const { version } = readManifest(path.join(folder, "package.json"));
    if (isPublished(name, version)) {
      console.log(`${name}@${version}: there already`);
      continue;
    }
    const rehearsal = values["dry-run"] ? ["--dry-run"] : ["--provenance"];
    const { ok, stderr } = npm(["publish", "--access", "public", ...rehearsal], folder);
    if (!ok) throw new Error(`${name}@${version} was not published: ${stderr}`);
    console.log(`${name}@${version}: ${values["dry-run"] ? "would be published" : "published"}`);
  }
}
