// The Markdown of all workspaces, for companions of the host that build on it.

import { readdir } from "node:fs/promises";
import path from "node:path";

/** @typedef {{kind: string, workspaceDir: string, relativePath: string, absolutePath: string, agentIds: string[], contentType: "markdown"}} Artifact */

/** Root files that are memory, with the kind the host knows them by. */
const ROOT_FILES = ["MEMORY.md", "memory.md"];

/**
 * @param {import("./host.js").Host} host
 * @param {import("./host.js").HostConfig} cfg
 * @returns {Promise<Artifact[]>}
 */
export async function listArtifacts(host, cfg) {
  const artifacts = [];
  for (const [workspaceDir, agentIds] of host.workspaces(cfg)) {
    for (const relativePath of await memoryFiles(workspaceDir)) {
      artifacts.push({
        kind: kindOf(relativePath),
        workspaceDir,
        relativePath,
        absolutePath: path.join(workspaceDir, relativePath),
        agentIds,
        contentType: /** @type {const} */ ("markdown"),
      });
    }
  }
  return artifacts;
}

/** @param {string} relativePath */
function kindOf(relativePath) {
  if (ROOT_FILES.includes(relativePath)) return "memory-root";
  return relativePath.startsWith("memory/dreaming/") ? "dream-report" : "daily-note";
}

/**
 * Regular files only: a link could lead out of the workspace.
 * @param {string} workspaceDir
 */
async function memoryFiles(workspaceDir) {
  const root = await readdir(workspaceDir, { withFileTypes: true }).catch(() => []);
  const notes = await readdir(path.join(workspaceDir, "memory"), { withFileTypes: true, recursive: true }).catch(() => []);
  return [
    ...root.filter((entry) => entry.isFile() && ROOT_FILES.includes(entry.name)).map((entry) => entry.name),
    ...notes
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map((entry) => path.relative(workspaceDir, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")),
  ].toSorted();
}
