// One module of all our JavaScript, which is what is packed. Hosts since 2026.9.5 copy the package of a plugin up to three
// times a command and resolve its modules through hooks of their own: a hundred and thirty files took longer than a search.

import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { rolldown } from "rolldown";
import { BUNDLE } from "./stale.mjs";

/**
 * Writes the module anew. It stays readable, for stack traces and for whoever looks at what a plugin does.
 * @param {string} root
 */
export async function writeBundle(root) {
  const build = await rolldown({
    input: path.join(root, "index.js"),
    platform: "node",
    // Modules of ours and of Node: a package would need its licence in the notices.
    external: /^node:/,
    onLog(level, log, report) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      report(level, log);
    },
  });
  try {
    const { output } = await build.generate({ format: "esm", codeSplitting: false, minify: false, comments: false });
    // At once: others may be packing.
    const [file, written] = [path.join(root, BUNDLE), path.join(root, `${BUNDLE}.${process.pid}`)];
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(written, output[0].code);
    await rename(written, file);
  } finally {
    await build.close();
  }
}
