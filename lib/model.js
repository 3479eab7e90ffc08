// Where the weights of the embedded model may lie.

import { join } from "node:path";
import { packageRoots } from "./package-root.js";

const WEIGHTS = "model/node_modules/all-minilm-l6-v2.bin";

/** Absolute paths, best first; the engine checks which exists and that its content is right. @returns {string[]} */
export function modelPaths() {
  return packageRoots().map((root) => join(root, WEIGHTS));
}
