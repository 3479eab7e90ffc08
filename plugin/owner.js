// Who the agent's own person is, as the host's configuration names owners: hooks are not told, and newer hosts tell it to
// commands of their own plugins only.

import { isRecord, normalizeAgentId } from "../lib/config.js";
import { native } from "../lib/native.js";

/** @typedef {import("./host.js").HostConfig} HostConfig */

/** @param {...unknown} values The first that says something. */
const first = (...values) => values.map((value) => String(value ?? "").trim()).find(Boolean) ?? "";

/** @param {Record<string, any>} ctx */
const sessionOf = (ctx) => native().readSessionKey(first(ctx.sessionKey));

/** @param {Record<string, any>} ctx */
const channelOf = (ctx) => first(ctx.messageChannel, ctx.messageProvider, ctx.channel, sessionOf(ctx).channel).toLowerCase();

/**
 * Somebody's name on a channel, however it is written there: "telegram:1", "user:U1", "@name", "+49170 1", "49170@s.whatsapp.net".
 * @param {string} written
 * @param {string} channel
 */
export function plainName(written, channel) {
  const name = written.trim().toLowerCase();
  const own = name.startsWith(`${channel}:`) ? name.slice(channel.length + 1) : name;
  return own
    .replace(/^(?:user|tg):/, "")
    .replace(/^[@+]/, "")
    .replace(/^(\d+)(?::\d+)?@.*$/, "$1");
}

/**
 * The owners that `commands.ownerAllowFrom` names on a channel, or on any where it is not known. An entry that begins with another
 * channel says nothing of this one.
 * @param {HostConfig} cfg
 * @param {string} channel
 */
export function ownersOn(cfg, channel) {
  const written = cfg.commands?.ownerAllowFrom;
  return (Array.isArray(written) ? written : [])
    .map((entry) => String(entry ?? "").trim())
    .filter((entry) => entry && entry !== "*")
    .flatMap((entry) => {
      const prefix = /^([a-z][\w-]*):/i.exec(entry)?.[1]?.toLowerCase();
      const counts = !channel || !prefix || prefix === "user" || prefix === channel;
      return counts ? [plainName(entry, channel || (prefix ?? ""))] : [];
    });
}

/**
 * Whether who writes is an owner that is named; undefined where the configuration names none on that channel, or nobody tells
 * who writes. Who writes in the Control UI, or in a session that is of no channel and nobody's own, has the gateway's token. The end
 * of a conversation is told without its channel: then the key of its session says whose it is.
 * @param {HostConfig} cfg
 * @param {Record<string, any>} ctx Of a hook, a tool or a command.
 */
export function isNamedOwner(cfg, ctx) {
  const channel = channelOf(ctx);
  if (channel === "webchat") return undefined;
  const owners = ownersOn(cfg, channel);
  if (owners.length === 0) return undefined;
  if (typeof ctx.senderIsOwner === "boolean") return ctx.senderIsOwner;
  const sender = senderOf(cfg, ctx, channel);
  return sender ? owners.includes(sender) : undefined;
}

/**
 * Whether somebody may change what holds for everybody; undefined where nobody tells. Clients of the gateway come with scopes,
 * channels with whether the sender is the owner, as the host's own commands have it; where a host tells that to its own plugins
 * only, the owners that its configuration names may.
 * @param {HostConfig} cfg
 * @param {Record<string, any>} ctx Of a command.
 * @returns {boolean | undefined}
 */
export function mayChange(cfg, ctx) {
  if (Array.isArray(ctx.gatewayClientScopes)) return ctx.gatewayClientScopes.includes("operator.admin");
  return ctx.senderIsOwner ?? isNamedOwner(cfg, ctx);
}

/**
 * Whether a name of a session's is that of one person on several channels (`session.identityLinks`).
 * @param {HostConfig} cfg
 * @param {string} name
 */
export function isLinkedName(cfg, name) {
  return Object.keys(cfg.session?.identityLinks ?? {}).some((linked) => linked.toLowerCase() === name);
}

/**
 * Who writes, as far as a channel's names tell, or the key of a conversation.
 * @param {HostConfig} cfg
 * @param {Record<string, any>} ctx
 * @param {string} channel
 */
function senderOf(cfg, ctx, channel) {
  const told = channel && first(ctx.senderId, ctx.requesterSenderId);
  if (told) return plainName(told, channel);
  const { peer } = sessionOf(ctx);
  return peer && !isLinkedName(cfg, peer) ? plainName(peer, channel) : "";
}

/**
 * Whether somebody else than the agent's own person writes, where owners are named. An agent that a binding gives to somebody
 * is theirs.
 * @param {HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isSomebodyElse(cfg, ctx) {
  if (isNamedOwner(cfg, ctx) !== false) return false;
  const channel = channelOf(ctx);
  const { agentId } = sessionOf(ctx);
  const bindings = Array.isArray(cfg.bindings) ? cfg.bindings.filter(isRecord) : [];
  return !bindings.some(
    ({ agentId: id, match }) =>
      id !== undefined &&
      normalizeAgentId(id) === agentId &&
      first(match?.channel).toLowerCase() === channel &&
      givesTo(match, senderOf(cfg, ctx, channel), channel),
  );
}

/**
 * Whether somebody else than the agent's own person has written a message of a session; undefined where nobody is named. Where
 * the host does not tell on which channel it came, it is somebody else's unless a channel that names owners names its sender.
 * @param {HostConfig} cfg
 * @param {unknown} sessionKey
 * @param {{channel: string, senderId?: string, senderIsOwner?: boolean}} sender
 */
export function isOfSomebodyElse(cfg, sessionKey, { channel, ...sender }) {
  const named = (channel ? [channel] : Object.keys(cfg.channels ?? {})).filter((id) => ownersOn(cfg, id.toLowerCase()).length > 0);
  if (named.length === 0) return undefined;
  return named.every((id) => isSomebodyElse(cfg, { sessionKey, messageProvider: id, ...sender }));
}

/**
 * Whether a binding gives an agent to who writes: to them by name, or to whoever writes to one account. One that gives it a room
 * says nothing of those who write to it alone.
 * @param {Record<string, any>} match
 * @param {string} sender
 * @param {string} channel
 */
function givesTo({ peer, accountId }, sender, channel) {
  return isRecord(peer) ? plainName(first(peer.id), channel) === sender : first(accountId, "*") !== "*";
}

/**
 * Channels on which anybody may write to the agent alone, and the configuration names no owner: there everybody counts as one.
 * @param {HostConfig} cfg
 * @returns {string[]}
 */
export function channelsWithoutOwner(cfg) {
  const isOpen = (/** @type {unknown} */ part) =>
    isRecord(part) &&
    part.enabled !== false &&
    (part.dmPolicy === "open" || part.dm?.policy === "open") &&
    [part.allowFrom, part.dm?.allowFrom].some((list) => Array.isArray(list) && list.includes("*"));
  return Object.entries(cfg.channels ?? {}).flatMap(([id, channel]) => {
    const accounts = isRecord(channel) && channel.enabled !== false ? Object.values(channel.accounts ?? {}) : [];
    return [channel, ...accounts].some(isOpen) && ownersOn(cfg, id.toLowerCase()).length === 0 ? [id] : [];
  });
}
