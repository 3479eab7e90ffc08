// What kind of session a hook is about: what its key says by itself says the engine, and here is what the configuration
// adds to that.

import { native } from "../../lib/native.js";
import { isLinkedName, isSomebodyElse } from "../owner.js";

/** @param {Record<string, any>} ctx */
const read = ({ sessionKey }) => native().readSessionKey(String(sessionKey ?? ""));

/**
 * Whether a person's own message started the turn.
 * @param {Record<string, any>} ctx
 */
export function isUserTurn(ctx) {
  return ctx.trigger === "user" && !read(ctx).machine;
}

/**
 * Whether a person holds the session, and not a plugin or the host.
 * @param {Record<string, any>} ctx
 */
export function isConversation(ctx) {
  const { scope, machine } = read(ctx);
  return scope !== "" && !machine;
}

/**
 * Whether the agent's own person talks to it alone. A session that cannot be told is taken for a shared one.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isPrivate(cfg, ctx) {
  const { scope, isShared } = read(ctx);
  return scope !== "" && !isShared && !(takesInRooms(cfg) && isMain(cfg, scope.split(":")[0])) && !isSomebodyElse(cfg, ctx);
}

/**
 * The same of a whole session, whoever speaks in it now.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export const isPrivateSession = (cfg, ctx) => isPrivate(cfg, { ...ctx, senderId: undefined, senderIsOwner: undefined });

/**
 * Whether a session of this name is the main one: newer hosts ignore `session.mainKey`.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} name
 */
export const isMain = (cfg, name) => name === "main" || name === String(cfg.session?.mainKey ?? "main").toLowerCase();

/**
 * Whether the operator lets rooms join the main session. No hook is told which of its turns come from a room.
 * @param {import("../host.js").HostConfig} cfg
 */
function takesInRooms(cfg) {
  const bindings = Array.isArray(cfg.bindings) ? cfg.bindings : [];
  return [cfg, ...bindings].some((part) => part?.session?.groupScope === "main");
}

/**
 * Whom the host keeps apart from the agent's other people (`session.dmScope`), by a name that stays the same; nothing for
 * the sessions of the agent's own person. Somebody with `session.identityLinks` is one person on all channels.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function personOf(cfg, ctx) {
  const { peer, conversation } = read(ctx);
  if (!peer) return undefined;
  return isLinkedName(cfg, peer) ? `linked:${peer}` : conversation;
}

/**
 * Whether it is the agent's main session, the only one that the host shows MEMORY.md.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isMainSession(cfg, ctx) {
  const [name, ...more] = read(ctx).scope.split(":");
  return more.length === 0 && isMain(cfg, name);
}
