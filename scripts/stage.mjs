// Lays out what is published below target/packages, one folder a package, and says how large each is.
//   npm run stage                            main package, weights, and the platforms whose addon is here
//   npm run stage -- --all                   fails unless every platform's is
//   npm run stage -- --manifests             only writes npm/<platform>/package.json again
// `npm publish` in the repository would publish the addon of one machine under the name of the main package: it ends here.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { platformManifest } from "./ship/packages.mjs";
import { packFolder, readManifest, Stage, writeJson } from "./ship/stage.mjs";
import { shippedTargets } from "./ship/targets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { all: { type: "boolean" }, manifests: { type: "boolean" }, refuse: { type: "boolean" } } });
const targets = shippedTargets(root);

if (values.refuse) {
  console.error('Publish the folders that "npm run stage -- --all" lays out, not the repository: see .github/workflows/release.yml');
  process.exitCode = 1;
} else if (values.manifests) {
  const main = readManifest(path.join(root, "package.json"));
  for (const target of targets) writeJson(path.join(root, "npm", target.platform, "package.json"), platformManifest(main, target));
} else {
  const into = path.join(root, "target/packages");
  const stage = new Stage(root, into);
  const ready = targets.filter((target) => values.all || stage.findAddon(target));
  const folders = [stage.weights(), ...ready.map((target) => stage.platform(target)), stage.body(targets)];
  for (const folder of folders) {
    const { name, size, unpackedSize } = packFolder(folder, into, true);
    console.log(`${name.padEnd(34)} ${(size / 1e6).toFixed(2).padStart(6)} MB, unpacked ${(unpackedSize / 1e6).toFixed(2).padStart(6)} MB`);
  }
  const missing = targets.filter((target) => !ready.includes(target));
  if (missing.length > 0) console.log(`without ${missing.map(({ platform }) => platform).join(", ")}: no addon here`);
}
