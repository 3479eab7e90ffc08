// What the host reads of the plugin beside `register`, the same in both modules that are packed.

import { PLUGIN_ID } from "../lib/package-info.js";

export const IDENTITY = {
  id: PLUGIN_ID,
  name: "Memory Core RS",
  description: "Native memory engine: searches MEMORY.md, USER.md and memory/ by words and by meaning",
  kind: /** @type {const} */ ("memory"),
};
