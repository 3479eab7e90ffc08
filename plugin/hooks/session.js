// What kind of session a hook is about, from the host's session keys.

/** Sessions that a plugin or the host holds with a model, not a person. */
const MACHINE = /^temp:|:(?:subagent|active-memory|memory-capture|internal-session-effects|cron|hook)(?::|$)/;

/** Sessions that several people read. */
const SHARED = /:(?:group|channel|room|guild)(?::|$)/;

/**
 * Whether a person's own message started the turn.
 * @param {Record<string, any>} ctx
 */
export function isUserTurn(ctx) {
  return ctx.trigger === "user" && !MACHINE.test(String(ctx.sessionKey ?? ""));
}

/**
 * Whether a person holds the session, and not a plugin or the host.
 * @param {Record<string, any>} ctx
 */
export function isConversation(ctx) {
  const key = String(ctx.sessionKey ?? "");
  return key !== "" && !MACHINE.test(key);
}

/**
 * Whether one person talks to the agent alone. A session that cannot be told is taken for a shared one.
 * @param {Record<string, any>} ctx
 */
export function isPrivate(ctx) {
  const key = String(ctx.sessionKey ?? "");
  return key !== "" && !SHARED.test(key);
}

/**
 * Whether it is the agent's main session, the only one that the host shows MEMORY.md.
 * @param {import("../host.js").HostConfig} cfg
 * @param {Record<string, any>} ctx
 */
export function isMainSession(cfg, ctx) {
  const [, , name, ...more] = String(ctx.sessionKey ?? "").split(":");
  return more.length === 0 && name === (cfg.session?.mainKey ?? "main");
}
