// Writes what is made of the table of settings; with --check only says whether it is current.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { renderDocs } from "./settings/docs.mjs";
import { jsonText, renderManifest } from "./settings/manifest.mjs";
import { renderRust } from "./settings/rust.mjs";
import { readTable } from "./settings/table.mjs";
import { renderTypes } from "./settings/typescript.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** @param {string} name */
const read = (name) => readFileSync(path.join(root, name), "utf8");

const settings = readTable(read("crates/model/settings.toml"));
const manifest = renderManifest(JSON.parse(read("openclaw.plugin.json")), settings);
const made = {
  "openclaw.plugin.json": jsonText(manifest),
  "docs/settings.md": renderDocs(settings),
  "lib/settings.d.ts": renderTypes(settings),
  "crates/model/src/config/table.rs": renderRust(settings),
};
const stale = Object.entries(made).filter(([name, text]) => !existsSync(path.join(root, name)) || read(name) !== text);

if (!process.argv.includes("--check")) {
  for (const [name, text] of stale) writeFileSync(path.join(root, name), text);
  console.log(`${settings.length} settings; ${stale.length ? `written: ${stale.map(([name]) => name).join(", ")}` : "nothing to write"}`);
} else if (stale.length) {
  console.error(`not current: ${stale.map(([name]) => name).join(", ")}; run "npm run settings" and commit them`);
  process.exitCode = 1;
}
