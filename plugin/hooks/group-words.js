// What the agent writes down in a conversation of several people, on hosts that do not remember whose words a file holds:
// a stranger's words must not come up by themselves in the user's own chat.

import { isRecord } from "../../lib/config.js";
import { getManager } from "../runtime.js";
import { hookAgent } from "./agent.js";
import { isPrivate } from "./session.js";

/** Tools that write files: `write`, `edit`, `apply_patch`. */
const WRITES = /write|edit|patch/i;

/** Parameters that hold what was there before. */
const FORMER = /^old/i;

/**
 * @param {{host: import("../host.js").Host}} plugin
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 */
export async function noteWrite({ host }, event, ctx) {
  if (host.has("wordOrigins") || !isRecord(event.params) || !WRITES.test(String(event.toolName))) return;
  if (isPrivate(host.config(), ctx)) return;
  const { path, file_path: filePath = path, ...written } = event.params;
  const texts = strings(written);
  if (texts.length === 0) return;
  const { cfg, agentId, native } = hookAgent(host, ctx);
  const { manager, cause } = await getManager(host, { cfg, agentId, purpose: "default" });
  if (cause) throw cause;
  await manager?.rememberGroupWords(native, typeof filePath === "string" ? filePath : undefined, texts);
}

/**
 * The texts in a tool's parameters, also those of several edits in one call.
 * @param {unknown} value
 * @returns {string[]}
 */
function strings(value) {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => (FORMER.test(name) ? [] : strings(part)));
}
