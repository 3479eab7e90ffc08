// A tarball that installs without any registry: the main package with addon and weights inside.
//   npm run pack:offline                          for this machine
//   npm run pack:offline -- linux-arm64 darwin    for the platforms whose names begin so
//   npm run pack:offline -- all                   for every one
// The addons must be there: see `npm run build:targets`.

import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { platformTriple } from "../lib/native.js";
import { packFolder, Stage } from "./ship/stage.mjs";
import { chooseTargets, shippedTargets } from "./ship/targets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const asked = process.argv.slice(2);
const all = shippedTargets(root);
const targets = chooseTargets(all, asked.includes("all") ? [] : asked.length > 0 ? asked : [platformTriple()]);
const work = path.join(root, "target/offline");
const stage = new Stage(root, work);
const { file, size, unpackedSize } = packFolder(stage.offline(targets), root);
const label = targets.length === all.length ? "all" : targets.map(({ platform }) => platform).join("+");
const named = file.replace(/\.tgz$/, `-${label}.tgz`);
renameSync(file, named);
rmSync(work, { recursive: true, force: true });
console.log(`${path.basename(named)}: ${(size / 1e6).toFixed(1)} MB, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`);
