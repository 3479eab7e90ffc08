/** What the package exports. `index.d.ts` also declares the addon, which only the package itself uses. */
export { chunkMarkdown, closeAllMemoryIndexManagers, default, MemoryIndexManager } from "../index.d.ts";
export type {
  EmbedFunction,
  HostAdapter,
  ManagerRequest,
  MarkdownChunk,
  MemoryAnswer,
  MemoryHit,
  MemorySearchOptions,
  MemorySource,
  MemoryStatus,
  MemorySyncOptions,
  ProgressFunction,
  StoredFact,
} from "../index.d.ts";
