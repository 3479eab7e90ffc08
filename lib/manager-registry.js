// The managers of this process. Shared by all copies of this module, see native.js; a manager may therefore stem from
// another copy, and only its public methods can be called.

import { realpath } from "node:fs/promises";
import { isNativeLoaded, native } from "./native.js";
import { PACKAGE_VERSION } from "./package-info.js";
import { ownerKey } from "./request.js";
import { shared } from "./shared.js";

/**
 * @typedef {import("./manager.js").MemoryIndexManager} MemoryIndexManager
 * @typedef {Awaited<ReturnType<typeof import("./request.js").prepare>>} Prepared
 * @typedef {object} Entry
 * @property {string} settings What the manager was made for.
 * @property {string | undefined} workspace Whose notes it holds; undefined when memory search is switched off.
 * @property {Promise<MemoryIndexManager | null>} manager
 * @property {MemoryIndexManager | null} [opened] The same once it is there.
 */

/** The managers of each agent: one for every workspace that is in use. @type {Map<string, Entry[]>} */
const agents = shared(`managers-by-workspace@${PACKAGE_VERSION}`, () => new Map());

/**
 * The manager of a workspace, made when there is none with these settings. New settings replace the former manager: two
 * of them on one index would work against each other.
 * @param {Prepared} prepared
 * @param {boolean} moves Whether the agent has one workspace at a time, as in a host: a manager of another one comes to rest.
 * @param {() => Promise<MemoryIndexManager | null>} make
 * @returns {Promise<Entry>}
 */
export async function entryFor({ owner, settings, nativeRequest }, moves, make) {
  const known = () => agents.get(owner)?.find((entry) => entry.settings === settings);
  const found = known();
  if (found) return found;
  const workspace = await workspaceOf(nativeRequest);
  // Somebody else may have asked for the same meanwhile.
  const late = known();
  if (late) return late;
  const entries = agents.get(owner) ?? [];
  const isReplaced = (/** @type {Entry} */ entry) => moves || entry.workspace === undefined || entry.workspace === workspace;
  /** @type {Entry} */
  const entry = { settings, workspace, manager: suspendEach(entries.filter(isReplaced)).then(make) };
  // Those that nobody uses any more go, too: a process may open workspaces without end.
  agents.set(owner, [...entries.filter((former) => !isReplaced(former) && !former.opened?.isClosed), entry]);
  return entry;
}

/**
 * Takes a manager off the list: it could not be opened, or nobody uses it any more.
 * @param {string} owner
 * @param {Entry} entry
 */
export function dropEntry(owner, entry) {
  const left = agents.get(owner)?.filter((other) => other !== entry) ?? [];
  if (left.length > 0) agents.set(owner, left);
  else agents.delete(owner);
}

/**
 * Puts the managers of one agent to rest, or those of all.
 * @param {{stateDir: string, agentId: string}} [agent]
 */
export async function suspendManagers(agent) {
  const entries = agent ? agents.get(ownerKey(agent.stateDir, agent.agentId)) : [...agents.values()].flat();
  await suspendEach(entries ?? []);
}

/** Closes every engine of this process. Managers stay usable: their next call opens their engine again. */
export async function closeAllMemoryIndexManagers() {
  if (!isNativeLoaded()) return;
  await suspendManagers();
  await native().closeAll();
}

/** @param {Entry[]} entries */
async function suspendEach(entries) {
  for (const { manager } of entries) await (await manager.catch(() => null))?.suspend();
}

/** @param {import("../index.d.ts").OpenRequest} request */
async function workspaceOf(request) {
  const dir = native().resolveSettings(request)?.settings.workspaceDir;
  // A folder and a link to it are one workspace to the engine, too.
  return typeof dir === "string" ? await realpath(dir).catch(() => dir) : undefined;
}
