// How many people reach a conversation that is nobody's own: the main one, which `session.dmScope` lets everybody share who may
// write to the agent alone.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defaultAgentId, isRecord, normalizeAgentId } from "../lib/config.js";
import { native } from "../lib/native.js";
import { isMain } from "./hooks/session.js";
import { ownersOn, plainName } from "./owner.js";

/** @typedef {import("./host.js").HostConfig} HostConfig */

/** Anybody, in a list of who may write. */
const ANYBODY = "*";

/**
 * Whether people who are not the agent's own person may write into a session. Where nobody is named as the owner, whoever is alone
 * on a channel counts as that person.
 * @param {HostConfig} cfg
 * @param {string} stateDir
 * @param {Record<string, any>} ctx
 */
export function isReachedByOthers(cfg, stateDir, ctx) {
  const { scope, peer, isShared, agentId } = native().readSessionKey(String(ctx.sessionKey ?? ""));
  if (scope === "" || peer || isShared || !isMain(cfg, scope.split(":")[0])) return false;
  return channelsOfOthers(cfg, stateDir, agentId ?? defaultAgentId(cfg)).length > 0;
}

/**
 * The channels on which others than the agent's own person reach its main conversation.
 * @param {HostConfig} cfg
 * @param {string} stateDir
 * @param {string} agentId
 * @returns {string[]}
 */
export function channelsOfOthers(cfg, stateDir, agentId) {
  const bindings = (Array.isArray(cfg.bindings) ? cfg.bindings : []).filter(isRecord);
  const shares = (/** @type {any} */ part) => part?.session?.dmScope === "main";
  if (!shares(cfg) && cfg.session?.dmScope !== undefined && !bindings.some(shares)) return [];
  const own = bindings.filter(({ agentId: id }) => id !== undefined && normalizeAgentId(id) === agentId);
  const isDefault = agentId === defaultAgentId(cfg);
  return Object.entries(cfg.channels ?? {}).flatMap(([id, channel]) => {
    const here = own.filter(({ match }) => String(match?.channel ?? "").toLowerCase() === id.toLowerCase());
    const peers = here.map(({ match }) => match?.peer);
    if (!isDefault && here.length === 0) return [];
    const names =
      here.length > 0 && peers.every(isRecord) && !isDefault
        ? peers.filter(({ kind }) => kind !== "group" && kind !== "channel").map((peer) => String(peer.id ?? ""))
        : allowedOn(channel, id, stateDir);
    return holdsOthers(cfg, id.toLowerCase(), names, !isDefault && peers.every(isRecord)) ? [id] : [];
  });
}

/**
 * @param {HostConfig} cfg
 * @param {string} channel
 * @param {string[]} names
 * @param {boolean} isTheirs Whether the agent was given to those who are named.
 */
function holdsOthers(cfg, channel, names, isTheirs) {
  const people = new Set(names.map((name) => plainName(name, channel)).filter(Boolean));
  const owners = ownersOn(cfg, channel);
  if (people.has(ANYBODY)) return true;
  return owners.length > 0 && !isTheirs ? [...people].some((name) => !owners.includes(name)) : people.size > 1;
}

/**
 * Who may write to the agent alone on a channel, on any of its accounts.
 * @param {any} channel
 * @param {string} id
 * @param {string} stateDir
 * @returns {string[]}
 */
function allowedOn(channel, id, stateDir) {
  if (!isRecord(channel) || channel.enabled === false) return [];
  const accounts = Object.values(isRecord(channel.accounts) ? channel.accounts : {}).filter(isRecord);
  return [channel, ...accounts.map((account) => ({ ...channel, ...account }))].flatMap((/** @type {any} */ part) => {
    const policy = part.dmPolicy ?? part.dm?.policy ?? "pairing";
    if (part.enabled === false || part.dm?.enabled === false || policy === "disabled") return [];
    if (policy === "open") return [ANYBODY];
    const written = [part.allowFrom, part.dm?.allowFrom].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
    return policy === "pairing" ? [...written, ...pairedOn(stateDir, id)] : written;
  });
}

/**
 * Whom the owner has let in by a pairing code, as hosts before the one with a database of its own write it down.
 * @param {string} stateDir
 * @param {string} channel
 * @returns {string[]}
 */
function pairedOn(stateDir, channel) {
  const folder = path.join(stateDir, "credentials");
  try {
    const isList = (/** @type {string} */ name) => name.startsWith(`${channel.toLowerCase()}-`) && name.endsWith("allowFrom.json");
    return readdirSync(folder)
      .filter(isList)
      .flatMap((name) => {
        const { allowFrom } = JSON.parse(readFileSync(path.join(folder, name), "utf8"));
        return Array.isArray(allowFrom) ? allowFrom.map(String) : [];
      });
  } catch {
    // Nobody was let in, or nothing readable says so.
    return [];
  }
}
