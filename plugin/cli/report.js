// `openclaw memory report`

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { codedError } from "../../lib/errors.js";
import { markup, snapshotOf } from "../page/report.js";
import { forOneAgent } from "./agents.js";
import { dayText, print, printJson } from "./output.js";

/** @typedef {import("node:fs/promises").FileHandle} FileHandle */

/** Bytes that all reports begin with, and all pictures. */
const BEGINNING = { page: 200, picture: 16 };

/**
 * Writes the page as one file, and with `png` the timeline and the map as pictures beside it. Only their owner may read them.
 * @param {import("../host.js").Host} host
 * @param {string | undefined} file
 * @param {{agent?: string, text: boolean, png?: boolean, json?: boolean}} options
 */
export async function runReport(host, file, { text: isPrivate, png, ...options }) {
  await forOneAgent(host, options, { name: "memory report", doing: "Memory report" }, async ({ agentId }) => {
    const madeAt = new Date().toISOString();
    const target = path.resolve(file ?? `memory-report-${agentId}-${dayText(Date.now())}.html`);
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
  // What is there may be read, and is not cut off before that is known.
  const file = await open(target, constants.O_RDWR | constants.O_CREAT, mode);
  try {
    if ((await file.stat()).isFile()) {
      if (!(await isReplaceable(file, Buffer.from(body).subarray(0, typeof body === "string" ? BEGINNING.page : BEGINNING.picture)))) {
        throw codedError("MEM_ARGUMENT", `${target} exists already and is no report`, { remedy: "Choose another name" });
      }
      await file.chmod(mode);
      await file.truncate();
    }
    await file.writeFile(body);
  } finally {
    await file.close();
  }
}

/** Whether an open file is empty or begins as an earlier one did. @param {FileHandle} file @param {Buffer} beginning */
async function isReplaceable(file, beginning) {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0);
  return bytesRead === 0 || buffer.subarray(0, bytesRead).equals(beginning);
}
