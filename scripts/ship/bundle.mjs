// The modules that are packed of all our JavaScript: the plugin as one, and the few lines that hosts load of it
// (plugin/loader.js). Hosts since 2026.9.5 copy the package of a plugin up to three times a command and resolve its modules
// through hooks of their own: a hundred and thirty files took longer than a search, and so did compiling each copy. They copy
// no folder called node_modules, where all lies that they need not load.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { rolldown } from "rolldown";
import { put } from "./put.mjs";
import { BESIDE, BUNDLE, FACE, FACE_TYPES, PLUGIN, packedName, SCOPE } from "./stale.mjs";

/**
 * Writes the modules anew. They stay readable, for stack traces and for whoever looks at what a plugin does.
 * @param {string} root
 */
export async function writeBundle(root) {
  const plugin = await made(root, "index.js", "cjs");
  const build = createHash("sha256").update(plugin).digest("hex").slice(0, 16);
  await put(root, PLUGIN, `${plugin}\nexports.build = "${build}";\n`);
  const known = { "process.env.PLUGIN_BUILD": JSON.stringify(build), "process.env.PLUGIN_FILE": JSON.stringify(PLUGIN) };
  await put(root, BUNDLE, await made(root, "plugin/loader.js", "esm", known));
  const from = (/** @type {string} */ file) => `./${path.posix.relative(path.posix.dirname(FACE), file)}`;
  await put(
    root,
    FACE,
    `export { chunkMarkdown, closeAllMemoryIndexManagers, MemoryIndexManager } from "${from(PLUGIN)}";
export { default } from "${from(BUNDLE)}";
`,
  );
  const types = from(packedName("lib/types.js"));
  await put(root, FACE_TYPES, `export * from "${types}";\nexport { default } from "${types}";\n`);
  // TypeScript asks no package.json above a folder called node_modules.
  await put(root, SCOPE, `${JSON.stringify({ private: true, type: "module" })}\n`);
  for (const name of BESIDE) await put(root, packedName(name), await readFile(path.join(root, name)));
}

/**
 * @param {string} root
 * @param {string} input
 * @param {"cjs" | "esm"} format
 * @param {Record<string, string>} [define]
 */
async function made(root, input, format, define) {
  const build = await rolldown({
    input: path.join(root, input),
    platform: "node",
    // Modules of ours and of Node: a package would need its licence in the notices.
    external: /^node:/,
    transform: { define },
    onLog(level, log, report) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      report(level, log);
    },
  });
  try {
    const { output } = await build.generate({ format, exports: "named", codeSplitting: false, minify: false, comments: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
