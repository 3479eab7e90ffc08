// Where the weights of the embedded model may lie.

import { PLUGIN_ID } from "./package-info.js";
import { largeFilePlaces } from "./package-root.js";

/** The package of the weights, which all platforms and versions share. */
export const MODEL_PACKAGE = `${PLUGIN_ID}-model`;

/** Below the root of whichever package has them. */
export const WEIGHTS = "model/node_modules/all-minilm-l6-v2.bin";

/** Absolute paths, best first; the engine checks which exists and that its content is right. @returns {string[]} */
export function modelPaths() {
  return largeFilePlaces(WEIGHTS, MODEL_PACKAGE);
}
