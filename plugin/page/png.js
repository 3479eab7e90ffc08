// Pictures as PNG, by resvg: a file of WebAssembly beside the page, where hosts do not copy it. It runs on every machine, and
// costs the addon nothing.

import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { crc32 } from "node:zlib";
import { packageRoots } from "../../lib/package-root.js";
import { fontsFor } from "./fonts.js";
import { mapPicture, timelinePicture } from "./pictures.js";

/** Where it lies, below the root of the package (scripts/ship/pictures.mjs). */
const FOLDER = "dist/node_modules/memory-core-rs-pictures";
/** Pixels of a picture for each of its units. */
const ZOOM = 2;

/** Bytes of a PNG before its second part: the signature, and what size it has. */
const HEADER = 33;
/** The text of a PNG that says what made it (PNG specification, `tEXt`), by which a later report knows an earlier one. */
const MADE_BY = Buffer.from("tEXtSoftware\0memory-core-rs report", "latin1");

/** Whether a file that begins so is a picture of a report. @param {Buffer} head */
export const isOurPicture = (head) => head.subarray(HEADER).indexOf(MADE_BY) === 4;

/** @param {Uint8Array} png */
function signed(png) {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(MADE_BY.length - 4);
  sum.writeUInt32BE(crc32(MADE_BY));
  return Buffer.concat([png.subarray(0, HEADER), length, MADE_BY, sum, png.subarray(HEADER)]);
}

async function findFolder() {
  for (const root of packageRoots()) {
    const folder = path.join(root, FOLDER);
    const isThere = await access(path.join(folder, "draw.mjs")).then(
      () => true,
      () => false,
    );
    if (isThere) return folder;
  }
  throw new Error('what draws pictures is not installed; "npm run bundle" puts it there in a clone');
}

/**
 * The timeline and the map of a report.
 * @param {{madeAt: string, timeline: any, map: any}} snapshot
 * @returns {Promise<{timeline: Uint8Array, map: Uint8Array, unnamed: number}>} With how many regions have no name on it, because
 *   no font has its letters.
 */
export async function pngs({ madeAt, timeline, map }) {
  const folder = await findFolder();
  const names = map.regions.map((/** @type {{name: string}} */ { name }) => name);
  const { fonts, isDrawable } = await fontsFor(await readFile(path.join(folder, "DejaVuSans.ttf")), names);
  const now = Date.parse(madeAt);
  const svgs = [timelinePicture(timeline, now), mapPicture(map, isDrawable, now)];
  const worker = new Worker(pathToFileURL(path.join(folder, "draw.mjs")), { workerData: { svgs, fonts, zoom: ZOOM } });
  const [[drawnTimeline, drawnMap]] = await once(worker, "message");
  await worker.terminate();
  return {
    timeline: signed(drawnTimeline),
    map: signed(drawnMap),
    unnamed: names.filter((/** @type {string} */ name) => !isDrawable(name)).length,
  };
}
