// What is there of agents that are not configured, or not any more. Their folders hold texts of notes, and what was forgotten there holds for nobody else.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { isRecord, listAgentIds, normalizeAgentId, pluginSettings } from "../../lib/config.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { bytesOf } from "./disk.js";
import { byteText, inOneLine } from "./output.js";

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

/**
 * Names the agents that the plugin's own settings speak of and that nobody has configured: what is switched off there is not.
 * @param {import("../host.js").HostConfig} cfg
 * @returns {import("./admin.js").Check[]}
 */
export function unknownAgentChecks(cfg) {
  const { agents } = pluginSettings(cfg);
  const configured = listAgentIds(cfg);
  const unknown = Object.keys(isRecord(agents) ? agents : {}).filter((id) => !configured.includes(normalizeAgentId(id)));
  return unknown.map((id) => ({
    name: "configuration",
    ok: false,
    found: `the settings below plugins.entries.${PLUGIN_ID}.config.agents.${inOneLine(id)} hold for no agent: none with this id is configured`,
    remedy: `Write the id of one that is (${configured.join(", ")}), or remove them`,
  }));
}

/** What the folder of an agent holds; none of another one. @param {string} folder */
async function folderText(folder) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => OF_AGENTS.test(name));
  if (names.length === 0) return undefined;
  const forgotten = names.some((name) => name.endsWith(".jsonl")) ? " and a list of what was forgotten" : "";
  return `${folder} (${byteText(await bytesOf(folder))}) is of no configured agent; it holds texts of notes${forgotten}`;
}
