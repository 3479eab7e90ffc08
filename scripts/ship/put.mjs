// Puts a file into a folder that is packed.

import { mkdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { BUNDLE } from "./stale.mjs";

/**
 * Others may be packing: a file changes at once, and nothing else ever lies in its folder, all of which is packed. One that is
 * as it should be is only made newer than what it is made of.
 * @param {string} root
 * @param {string} name Below the root.
 * @param {string | Buffer} body
 */
export async function put(root, name, body) {
  const file = path.join(root, name);
  const now = new Date();
  if ((await readFile(file).catch(() => null))?.equals(Buffer.from(body))) return await utimes(file, now, now);
  const written = path.join(root, path.dirname(BUNDLE), `${path.basename(name)}.${process.pid}`);
  await Promise.all([file, written].map((one) => mkdir(path.dirname(one), { recursive: true })));
  await writeFile(written, body);
  await rename(written, file);
}
