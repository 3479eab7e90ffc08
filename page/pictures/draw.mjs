// Draws pictures in a thread of its own: nobody waits for it, and hosts that keep an eye on the modules of a plugin's own thread
// need not know those of this one. It lies beside what it draws with (scripts/ship/pictures.mjs).

import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { initWasm, Resvg } from "./resvg.mjs";

await initWasm(await readFile(new URL("resvg.wasm", import.meta.url)));

const { svgs, fonts, zoom } = workerData;
const options = { font: { fontBuffers: fonts, defaultFontFamily: "DejaVu Sans" }, fitTo: { mode: "zoom", value: zoom } };
parentPort?.postMessage(svgs.map((/** @type {string} */ svg) => new Resvg(svg, options).render().asPng()));
