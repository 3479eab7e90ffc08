// A plugin in our place that does nothing (see startup.mjs): what a host spends in it, the host spends in any plugin.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { IDENTITY } from "../../plugin/identity.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MANIFEST = "openclaw.plugin.json";

/** Its name is the one that the probe's marks look for. */
const MODULE = `var loader_default = {
  ...${JSON.stringify(IDENTITY)},
  register(api) {
    api.registerCli(({ program }) => program.command("memory").command("search").argument("[query]").action(() => {}), {
      descriptors: [{ name: "memory", description: "Does nothing", hasSubcommands: true }],
    });
  },
};
export default loader_default;
`;

/** Packs it with our name and manifest, and without our dependencies. @param {string} into @returns {Promise<string>} The file. */
export async function packEmptyPlugin(into) {
  const folder = path.join(into, "empty-plugin");
  await mkdir(path.join(folder, "dist"), { recursive: true });
  const { name, version, type, main, openclaw } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const files = ["dist", MANIFEST];
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ name, version, type, main, openclaw, files }));
  await cp(path.join(root, MANIFEST), path.join(folder, MANIFEST));
  await writeFile(path.join(folder, main), MODULE);
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", into], { cwd: folder });
  return path.join(into, JSON.parse(stdout)[0].filename);
}
