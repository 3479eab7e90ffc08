// Whose words a workspace file holds. Hosts from 2026.8 inject MEMORY.md and USER.md only when the memory plugin vouches
// for them here.

import { realpath } from "node:fs/promises";
import path from "node:path";
import { importSdk } from "../sdk.js";

/**
 * @typedef {"owner" | "agent" | "untrusted" | "system"} OriginClass
 * @typedef {{relativePath: string, canonicalRelativePath?: string}} ReadSource
 */

/** Files at the root of a workspace that a person or the agent curates. */
const CURATED = new Set(["MEMORY.md", "memory.md", "USER.md"]);

/** What the host writes by itself. */
const SYSTEM = /^(?:dreams\.md$|memory\/(?:dreaming|\.dreams)(?:\/|$))/i;

/** The user model of one of several users of a workspace. */
const USER_MODEL = /^users\/[a-zA-Z0-9][\w-]{0,127}\/USER\.md$/;

/**
 * @param {{workspaceDir: string, relativePaths: string[], readSources?: ReadSource[], vouched?: boolean}} request `vouched`:
 *   the user vouches for the files, wherever they lie.
 * @returns {Promise<{relativePath: string, originClass: OriginClass}[]>}
 */
export async function classifyPaths({ workspaceDir, relativePaths, readSources, vouched = false }) {
  return await Promise.all(
    relativePaths.map(async (relativePath) => {
      // A remote workspace cannot be looked at from here; the host then says which file it really read.
      const actual = readSources
        ? readSources.find((source) => source.relativePath === relativePath)?.canonicalRelativePath
        : await withinWorkspace(workspaceDir, relativePath);
      return { relativePath, originClass: await originOf(workspaceDir, actual, vouched) };
    }),
  );
}

/**
 * The path relative to the workspace after following links, if it stays inside.
 * @param {string} workspaceDir
 * @param {string} relativePath
 */
async function withinWorkspace(workspaceDir, relativePath) {
  try {
    const [root, file] = await Promise.all([realpath(workspaceDir), realpath(path.resolve(workspaceDir, relativePath))]);
    return path.relative(root, file).split(path.sep).join("/");
  } catch {
    return undefined;
  }
}

/**
 * @param {string} workspaceDir
 * @param {string | undefined} relativePath
 * @param {boolean} vouched
 * @returns {Promise<OriginClass>}
 */
async function originOf(workspaceDir, relativePath, vouched) {
  if (!relativePath) return "untrusted";
  // Outside of the workspace the host keeps no record.
  if (!isPlainRelative(relativePath)) return vouched ? "agent" : "untrusted";
  if (SYSTEM.test(relativePath)) return "system";
  if (!isMemoryPath(relativePath) && !vouched) return "untrusted";
  // Newer hosts remember when a file was written under the influence of untrusted content.
  const sdk = await importSdk("memory-core-host-runtime-core");
  const recorded = await sdk?.readMemoryArtifactProvenance?.({ workspaceDir, relativePath });
  return recorded?.originClass ?? "agent";
}

/** Whether a file belongs to the memory by its place. @param {string} relativePath */
export function isMemoryPath(relativePath) {
  const isNote = relativePath.startsWith("memory/") && relativePath.endsWith(".md");
  return CURATED.has(relativePath) || USER_MODEL.test(relativePath) || isNote;
}

/** @param {string} relativePath */
function isPlainRelative(relativePath) {
  return (
    !path.posix.isAbsolute(relativePath) &&
    !path.win32.isAbsolute(relativePath) &&
    !/[\\\0]/.test(relativePath) &&
    path.posix.normalize(relativePath) === relativePath &&
    relativePath.split("/")[0] !== ".."
  );
}
