// `openclaw memory report`

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { codedError, errorCode } from "../../lib/errors.js";
import { markup, snapshotOf } from "../page/report.js";
import { forOneAgent } from "./agents.js";
import { refuseEmpty } from "./options.js";
import { dayText, print, printJson } from "./output.js";

/** @typedef {import("node:fs/promises").FileHandle} FileHandle */

/** Bytes that all reports begin with. */
const BEGINNING = 200;

/**
 * Writes the page as one file, and with `png` the timeline and the map as pictures beside it. Only their owner may read them.
 * @param {import("../host.js").Host} host
 * @param {string | undefined} file
 * @param {{agent?: string, text: boolean, png?: boolean, json?: boolean}} options
 */
export async function runReport(host, file, { text: isPrivate, png, ...options }) {
  await forOneAgent(host, options, { name: "memory report", doing: "Memory report" }, async ({ agentId }) => {
    refuseEmpty(file, "the name of the report", "Leave it out for a name by agent and day");
    const madeAt = new Date().toISOString();
    const target = path.resolve(file ?? `memory-report-${agentId}-${dayText(Date.now())}.html`);
    const { dir, name } = path.parse(target);
    const pictures = { timeline: path.join(dir, `${name}-timeline.png`), map: path.join(dir, `${name}-map.png`) };
    const snapshot = await snapshotOf(host, agentId, { isPrivate, madeAt });
    const page = await markup(snapshot);
    const isReport = (/** @type {Buffer} */ head) => head.equals(Buffer.from(page).subarray(0, head.length));
    // Only here: whoever wants no picture needs not what draws them. All are looked at before one is written.
    const drawing = png ? await import("../page/png.js") : undefined;
    if (drawing) for (const file of Object.values(pictures)) await refuseForeign(file, drawing.isOurPicture);
    await writePrivately(target, page, isReport);
    const drawn = drawing ? await writePictures(drawing, pictures, snapshot) : undefined;
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
 * @param {typeof import("../page/png.js")} drawing
 * @param {{timeline: string, map: string}} files
 * @param {Record<string, any>} snapshot
 */
async function writePictures({ pngs, isOurPicture }, files, snapshot) {
  const { timeline, map, unnamed } = await pngs(/** @type {any} */ (snapshot));
  await Promise.all([writePrivately(files.timeline, timeline, isOurPicture), writePrivately(files.map, map, isOurPicture)]);
  return { ...files, unnamed };
}

/** @typedef {(head: Buffer) => boolean} IsOurs Whether a file that begins so is one of an earlier report. */

/** @param {string} target @param {IsOurs} isOurs */
async function refuseForeign(target, isOurs) {
  try {
    const file = await open(target, constants.O_RDONLY);
    await checkForeign(file, target, isOurs).finally(async () => await file.close());
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Also where a file was there that others may read.
 * @param {string} target
 * @param {string | Uint8Array} body
 * @param {IsOurs} isOurs
 */
async function writePrivately(target, body, isOurs) {
  const mode = 0o600;
  // What is there may be read, and is not cut off before that is known.
  const file = await open(target, constants.O_RDWR | constants.O_CREAT, mode).catch((error) => {
    if (errorCode(error) !== "ENOENT") throw error;
    // A file that is made can lack nothing but its folder.
    const remedy = "Make it, or choose another folder";
    throw codedError("MEM_NOT_FOUND", `the folder ${path.dirname(target)} does not exist`, { remedy, cause: error });
  });
  try {
    if ((await file.stat()).isFile()) {
      await checkForeign(file, target, isOurs);
      await file.chmod(mode);
      await file.truncate();
    }
    await file.writeFile(body);
  } finally {
    await file.close();
  }
}

/** An empty file makes way as well. @param {FileHandle} file @param {string} target @param {IsOurs} isOurs */
async function checkForeign(file, target, isOurs) {
  if (!(await file.stat()).isFile()) return;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
  if (bytesRead > 0 && !isOurs(buffer.subarray(0, bytesRead)))
    throw codedError("MEM_ARGUMENT", `${target} exists already and is no report`, { remedy: "Choose another name" });
}
