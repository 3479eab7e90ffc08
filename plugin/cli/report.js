// `openclaw memory report`

import { open } from "node:fs/promises";
import path from "node:path";
import { markup, snapshotOf } from "../page/report.js";
import { forOneAgent } from "./agents.js";
import { print, printJson } from "./output.js";

/**
 * Writes the page as one file, and with `png` the timeline and the map as pictures beside it. Only their owner may read them.
 * @param {import("../host.js").Host} host
 * @param {string | undefined} file
 * @param {{agent?: string, text: boolean, png?: boolean, json?: boolean}} options
 */
export async function runReport(host, file, { text: isPrivate, png, ...options }) {
  await forOneAgent(host, options, { name: "memory report", doing: "Memory report" }, async ({ agentId }) => {
    const madeAt = new Date().toISOString();
    const target = path.resolve(file ?? `memory-report-${agentId}-${madeAt.slice(0, 10)}.html`);
    const snapshot = await snapshotOf(host, agentId, { isPrivate, madeAt });
    await writePrivately(target, await markup(snapshot));
    const drawn = png ? await writePictures(target, snapshot) : undefined;
    if (options.json) return printJson({ agentId, file: target, private: isPrivate, ...drawn });
    const said = [
      target,
      ...(drawn ? [drawn.timeline, drawn.map] : []),
      ...(drawn?.unnamed ? [`Names of ${drawn.unnamed} regions are not on the map: no font of this machine has their letters.`] : []),
      ...(isPrivate ? ["It holds texts of your memory: --no-text leaves them out."] : []),
    ];
    print(said.join("\n"));
  });
}

/**
 * @param {string} target Of the page.
 * @param {Record<string, any>} snapshot
 */
async function writePictures(target, snapshot) {
  // Only here: whoever wants no picture needs not what draws them.
  const { pngs } = await import("../page/png.js");
  const { timeline, map, unnamed } = await pngs(/** @type {any} */ (snapshot));
  const { dir, name } = path.parse(target);
  const files = { timeline: path.join(dir, `${name}-timeline.png`), map: path.join(dir, `${name}-map.png`) };
  await Promise.all([writePrivately(files.timeline, timeline), writePrivately(files.map, map)]);
  return { ...files, unnamed };
}

/**
 * Also where a file was there that others may read.
 * @param {string} target
 * @param {string | Uint8Array} body
 */
async function writePrivately(target, body) {
  const mode = 0o600;
  const file = await open(target, "w", mode);
  try {
    if ((await file.stat()).isFile()) await file.chmod(mode);
    await file.writeFile(body);
  } finally {
    await file.close();
  }
}
