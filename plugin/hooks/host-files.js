// Files of the workspace that the host itself puts into the prompt of the main session.

import { stat } from "node:fs/promises";
import path from "node:path";
import { agentEntry } from "../../lib/config.js";
import { isMainSession } from "./session.js";

/** The files, which the host keeps out of every other session. */
const FILES = ["MEMORY.md", "memory.md", "USER.md"];

/** Characters of a file that hosts show where the configuration names no number. */
const DEFAULT_MAX_CHARS = 20_000;

/**
 * The files that are not recalled in a session: the host shows them already, or keeps them out of it. One that is too
 * long to be shown whole is recalled.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {Record<string, any>} ctx
 * @param {string | undefined} workspaceDir
 */
export async function filesNotRecalled(cfg, agentId, ctx, workspaceDir) {
  if (!isMainSession(cfg, ctx)) return FILES;
  if (!workspaceDir || setting(cfg, agentId, "contextInjection") === "never") return [];
  const configured = Number(setting(cfg, agentId, "bootstrapMaxChars"));
  const limit = configured > 0 ? configured : DEFAULT_MAX_CHARS;
  const sizes = await Promise.all(FILES.map((name) => stat(path.join(workspaceDir, name)).catch(() => null)));
  // Bytes: a text has no more characters than those.
  return FILES.filter((_, at) => (sizes[at]?.size ?? 0) <= limit);
}

/**
 * A setting of an agent, from its own entry or the defaults of all.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @param {string} name
 */
function setting(cfg, agentId, name) {
  return agentEntry(cfg, agentId)?.[name] ?? cfg.agents?.defaults?.[name];
}
