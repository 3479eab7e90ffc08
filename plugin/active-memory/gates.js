// Which turns active memory serves: those of people, in the kinds of conversation that the operator lists.

import { native } from "../../lib/native.js";
import { isPrivate, isUserTurn } from "../hooks/session.js";
import { isNamedOwner } from "../owner.js";
import { bundledServes } from "./bundled.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("../hooks/agent.js").Agent} Agent
 * @typedef {Record<string, any>} Context
 * @typedef {"direct" | "group" | "channel" | "explicit"} ChatType
 */

/** The tool whose use a policy may forbid; who may not search is shown nothing either. */
const TOOL = "memory_search";

/** @param {unknown} value */
const word = (value) =>
  String(value ?? "")
    .trim()
    .toLowerCase();

/** A session key without the thread in it. @param {Context} ctx */
const baseKey = ({ sessionKey }) => word(sessionKey).split(/:(?:thread|topic):/, 1)[0];

/**
 * What kind of conversation a turn belongs to, as hosts tell it by the session key; nothing where they do not. The main
 * session is a direct one when a person writes from a channel or the web.
 * @param {HostConfig} cfg
 * @param {Context} ctx
 * @returns {ChatType | undefined}
 */
export function chatType(cfg, ctx) {
  const key = baseKey(ctx);
  const parts = key.split(":");
  if (parts[0] === "agent" && parts[2] === "explicit") return "explicit";
  if (key.includes(":group:")) return "group";
  if (key.includes(":channel:")) return "channel";
  if (key.includes(":direct:") || key.includes(":dm:")) return "direct";
  const isMain = parts.length === 3 && parts[0] === "agent" && [word(cfg.session?.mainKey ?? "main"), "main"].includes(parts[2]);
  if (isMain && word(ctx.messageProvider) !== "" && word(ctx.channelId) !== "") return "direct";
  return word(ctx.messageProvider) === "webchat" ? "direct" : undefined;
}

/**
 * Whom or what a conversation is with: what stands behind the kind in the key, else the channel.
 * @param {Context} ctx
 */
function chatId(ctx) {
  const parts = baseKey(ctx).split(":").filter(Boolean);
  const rest = parts[0] === "agent" ? parts.slice(2) : parts;
  const at = rest.findIndex((part) => ["direct", "dm", "group", "channel"].includes(part));
  const id = at >= 0 ? rest.slice(at + 1).join(":") : "";
  return id || word(ctx.channelId) || undefined;
}

/** Whether active memory is on for an agent. @param {Agent} agent */
export const isOnFor = (agent) => offBy(agent) === null;

/**
 * The setting of active memory that switches it off for an agent, the first of several; null when it is on.
 * @param {Agent} agent
 * @returns {"enabled" | "mode" | "agents" | null}
 */
export function offBy({ agentId, settings }) {
  const own = settings.activeMemory;
  if (!own.enabled) return "enabled";
  if (own.mode === "off") return "mode";
  return !own.agents || own.agents.map(word).includes(agentId) ? null : "agents";
}

/**
 * The setting that leaves a conversation out; null when none does. Lists of chats let in none whose kind or id nobody knows.
 * @param {Agent} agent
 * @param {Context} ctx
 * @returns {"allowedChatTypes" | "allowedChatIds" | "deniedChatIds" | null}
 */
function notServedIn({ cfg, settings }, ctx) {
  const { allowedChatTypes, allowedChatIds, deniedChatIds } = settings.activeMemory;
  const [type, id] = [chatType(cfg, ctx), chatId(ctx)];
  if (!type || !allowedChatTypes.includes(type)) return "allowedChatTypes";
  if (id && deniedChatIds.includes(id)) return "deniedChatIds";
  return allowedChatIds.length === 0 || (id && allowedChatIds.includes(id)) ? null : "allowedChatIds";
}

/**
 * The same as far as the key of a conversation tells its kind and its id.
 * @param {Agent} agent
 * @param {Context} ctx
 */
export function keptOutBy(agent, ctx) {
  const setting = notServedIn(agent, ctx);
  const isTold = setting === "allowedChatTypes" ? chatType(agent.cfg, ctx) : chatId(ctx);
  return isTold ? setting : null;
}

/**
 * Whether a turn is one that active memory is for. Asked at every turn, so what costs least is asked first.
 * @param {Agent} agent
 * @param {Context} ctx
 */
export function isServed(agent, ctx) {
  if (!isOnFor(agent) || !isUserTurn(ctx) || !word(ctx.sessionKey)) return false;
  if (ctx.inputProvenance?.kind === "inter_session" || /^(?:agent:[^:]+:)?(?:dreaming-narrative-|harness:)/.test(word(ctx.sessionKey)))
    return false;
  // A process that answers once and ends has nobody to serve with the next answer.
  if (word(ctx.messageProvider) !== "webchat" && word(ctx.channelId) === "") return false;
  if (notServedIn(agent, ctx)) return false;
  const type = chatType(agent.cfg, ctx);
  // Everybody in a room reads the answer; only its owner may bring memory up there.
  if (type === "group" || type === "channel") return isOwnerInRoom(agent.cfg, ctx);
  // Rooms may write into what looks like a conversation of one person.
  return isPrivate(agent.cfg, ctx);
}

/**
 * Whether the agent's own person speaks in a room: who is named as the owner there, or writes with the gateway's token.
 * @param {HostConfig} cfg
 * @param {Context} ctx
 */
const isOwnerInRoom = (cfg, ctx) =>
  word(ctx.messageProvider) === "webchat" || (isNamedOwner(cfg, ctx) === true && word(ctx.senderId) !== "");

/**
 * Whether active memory is paused in a conversation.
 * @param {Agent} agent
 * @param {Context} ctx
 */
export const isPaused = (agent, ctx) => native().isActiveMemoryOff(agent.native, String(ctx.sessionKey));

/**
 * Whether auto-recall leaves a turn to active memory, ours or the bundled one.
 * @param {Host} host
 * @param {Agent} agent
 * @param {Context} ctx
 */
export function leavesRecall(host, agent, ctx) {
  return bundledServes(host, agent.cfg, agent.agentId) || isServed(agent, ctx);
}

/**
 * What keeps a turn on hosts that tell what it may use; null when nothing does, or the host tells nothing.
 * @param {Host} host
 * @param {Context} ctx
 */
export function lacksAuthority(host, ctx) {
  if (!host.has("toolAuthority")) return false;
  const authority = ctx.toolAuthority;
  if (!authority) return true;
  authority.assertActive?.();
  return authority.allows?.(TOOL) !== true;
}
