/** What the package exports. `index.d.ts`, beside `index.js`, also declares the addon, which only the package itself uses. */
export { chunkMarkdown, closeAllMemoryIndexManagers, default, MemoryIndexManager } from "../index.js";
export type {
  AutomaticAgent,
  EmbedFunction,
  ForgetRequest,
  HostAdapter,
  ManagerRequest,
  MarkdownChunk,
  MemoryAnswer,
  MemoryForgetReport,
  MemoryHit,
  MemoryRestoreReport,
  MemorySearchOptions,
  MemorySource,
  MemoryStatus,
  MemorySyncOptions,
  ProgressFunction,
  SearchOptions,
  SessionRequest,
  SessionSource,
  StoredFact,
} from "../index.js";
export type { PluginSettings, SecretReference } from "./settings.js";
