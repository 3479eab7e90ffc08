// Packs the plugin as a user would get it; vitest does it once per run, before the first host test.

import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeBundle } from "../../scripts/ship/bundle.mjs";
import { writePage } from "../../scripts/ship/page.mjs";
import { writePictures } from "../../scripts/ship/pictures.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** @param {import("vitest/node").TestProject} project */
export default async function pack(project) {
  project.provide("tarball", await packPlugin());
}

/** @returns {Promise<{file: string, unpackedSize: number}>} The tarball, which lies there until the next one is packed. */
export async function packPlugin() {
  const into = path.join(root, "__test__", ".tmp", "pack");
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  await writeBundle(root);
  await writePage(root);
  await writePictures(root);
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", into], {
    cwd: root,
    maxBuffer: 1 << 24,
  });
  const [{ filename, unpackedSize }] = JSON.parse(stdout);
  return { file: path.join(into, filename), unpackedSize };
}
