// What kind of session a hook is about, from the host's session keys.

/** Sessions that a plugin or the host holds with a model, not a person, and those that are to leave no trace. */
const MACHINE = /^temp:|(?:^|:)(?:(?:subagent|active-memory|memory-capture|internal-session-effects|cron|hook)(?::|$)|incognito-)/;

/**
 * Sessions that others read too, as hosts of all versions name them: the kind as a part of the key, Discord's servers and
 * channels, WhatsApp's groups by their number, other people's agents, and the one session of `session.scope: "global"`.
 */
const SHARED = /(?:^|:)(?:(?:group|channel|room|guild)(?::|$)|guild-|channel-|[^:]*@g\.us(?::|$))|^a2a:|^(?:global|unknown)$/;

/** Direct conversations that have a session of their own, next to the main one; and whom with. */
const PERSON = /(?:^|:)(?:direct|dm):([^:]+)/;

/** What a session key says next to the agent, whose id may be any word. @param {Record<string, any>} ctx */
const scopeOf = ({ sessionKey }) =>
  String(sessionKey ?? "")
    .toLowerCase()
    .replace(/^agent:[^:]*:/, "");

/**
 * Whether a person's own message started the turn.
 * @param {Record<string, any>} ctx
 */
export function isUserTurn(ctx) {
  return ctx.trigger === "user" && !MACHINE.test(scopeOf(ctx));
}

/**
 * Whether a person holds the session, and not a plugin or the host.
 * @param {Record<string, any>} ctx
 */
export function isConversation(ctx) {
  const scope = scopeOf(ctx);
  return scope !== "" && !MACHINE.test(scope);
}

/**
 * Whether one person talks to the agent alone. A session that cannot be told is taken for a shared one.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isPrivate(cfg, ctx) {
  const scope = scopeOf(ctx);
  return scope !== "" && !SHARED.test(scope) && !(takesInRooms(cfg) && isMain(cfg, scope.split(":")[0]));
}

/**
 * Whether a session of this name is the main one: newer hosts ignore `session.mainKey`.
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} name
 */
const isMain = (cfg, name) => name === "main" || name === String(cfg.session?.mainKey ?? "main").toLowerCase();

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
  const scope = scopeOf(ctx);
  const [, peer] = PERSON.exec(scope) ?? [];
  if (!peer) return undefined;
  const isLinked = Object.keys(cfg.session?.identityLinks ?? {}).some((name) => name.toLowerCase() === peer);
  return isLinked ? `linked:${peer}` : scope.split(/:(?:thread|topic):/, 1)[0];
}

/**
 * Whether it is the agent's main session, the only one that the host shows MEMORY.md.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isMainSession(cfg, ctx) {
  const [name, ...more] = scopeOf(ctx).split(":");
  return more.length === 0 && isMain(cfg, name);
}
