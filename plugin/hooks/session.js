// What kind of session a hook is about, from the host's session keys.

/** Sessions that a plugin or the host holds with a model, not a person, and those that are to leave no trace. */
const MACHINE = /^temp:|(?:^|:)(?:(?:subagent|active-memory|memory-capture|internal-session-effects|cron|hook)(?::|$)|incognito-)/;

/**
 * Sessions that several people read, as hosts of all versions name them: the kind as a part of the key, Discord's servers
 * and channels, WhatsApp's groups by their number, and the one session of `session.scope: "global"`.
 */
const SHARED = /(?:^|:)(?:(?:group|channel|room|guild)(?::|$)|guild-|channel-|[^:]*@g\.us(?::|$))|^(?:global|unknown)$/;

/** Direct conversations that have a session of their own, next to the main one. */
const PERSON = /(?:^|:)(?:direct|dm):/;

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
  return scope !== "" && !SHARED.test(scope) && !(takesInRooms(cfg) && scope.split(":")[0] === mainKey(cfg).toLowerCase());
}

/** @param {import("../host.js").HostConfig} cfg @returns {string} */
const mainKey = (cfg) => cfg.session?.mainKey ?? "main";

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
 * the sessions of the agent's own person.
 * @param {Record<string, any>} ctx
 */
export function personOf(ctx) {
  const scope = scopeOf(ctx);
  return PERSON.test(scope) ? scope.replace(/:(?:thread|topic):.*$/, "") : undefined;
}

/**
 * Whether it is the agent's main session, the only one that the host shows MEMORY.md.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isMainSession(cfg, ctx) {
  const [, , name, ...more] = String(ctx.sessionKey ?? "").split(":");
  return more.length === 0 && name === mainKey(cfg);
}
