// Pictures as PNG, by resvg: a file of WebAssembly beside the page, where hosts do not copy it. It runs on every machine, and
// costs the addon nothing.

import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { packageRoots } from "../../lib/package-root.js";
import { fontsFor } from "./fonts.js";
import { mapPicture, timelinePicture } from "./pictures.js";

/** Where it lies, below the root of the package (scripts/ship/pictures.mjs). */
const FOLDER = "dist/node_modules/memory-core-rs-pictures";
/** Pixels of a picture for each of its units. */
const ZOOM = 2;

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
  const svgs = [timelinePicture(timeline), mapPicture(map, isDrawable, Date.parse(madeAt))];
  const worker = new Worker(pathToFileURL(path.join(folder, "draw.mjs")), { workerData: { svgs, fonts, zoom: ZOOM } });
  const [[drawnTimeline, drawnMap]] = await once(worker, "message");
  await worker.terminate();
  return {
    timeline: drawnTimeline,
    map: drawnMap,
    unnamed: names.filter((/** @type {string} */ name) => !isDrawable(name)).length,
  };
}
