// Entry of the package: the OpenClaw plugin as default export, and the manager for JavaScript users.
// Nothing here loads the native addon; the first call that needs it does.

export { MemoryIndexManager } from "./lib/manager.js";
export { closeAllMemoryIndexManagers } from "./lib/manager-registry.js";
export { chunkMarkdown } from "./lib/text.js";
export { default } from "./plugin/entry.js";
