// Folders of agents that are not configured any more: they hold texts of notes, and what was forgotten there holds for nobody else.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { listAgentIds } from "../../lib/config.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { bytesOf } from "./disk.js";
import { byteText } from "./output.js";

/** What only the folder of an agent holds: its index, also of another workspace, and lists of what was forgotten. */
const OF_AGENTS = /^(?:index(?:\.ws-\w+)?\.sqlite|(?:index\.)?(?:ws-\w+\.)?forgotten(?:\.ws-\w+)?\.jsonl)$/;

/**
 * Names each of them. Only a person knows whether its agent was removed or has another id now.
 * @param {import("../host.js").Host} host
 * @returns {Promise<import("./admin.js").Check[]>}
 */
export async function formerAgentChecks(host) {
  const own = path.join(host.stateDir(), PLUGIN_ID);
  const configured = listAgentIds(host.config());
  const former = (await readdir(own).catch(() => [])).filter((name) => !configured.includes(name));
  const found = await Promise.all(former.map((name) => folderText(path.join(own, name))));
  const told = found.filter((text) => text !== undefined);
  if (told.length === 0) return [];
  const remedy =
    "Of an agent that is gone: remove the folder. Of one that has another id now: stop the gateway, and give the folder that id in the place " +
    "of the new one, or what was forgotten is found again";
  return [{ name: "former agents", ok: true, found: `${told.join("; ")}. ${remedy}` }];
}

/** What the folder of an agent holds; none of another one. @param {string} folder */
async function folderText(folder) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => OF_AGENTS.test(name));
  if (names.length === 0) return undefined;
  const forgotten = names.some((name) => name.endsWith(".jsonl")) ? " and a list of what was forgotten" : "";
  return `${folder} (${byteText(await bytesOf(folder))}) is of no configured agent; it holds texts of notes${forgotten}`;
}
