// One turn of active memory. A single clock runs from the beginning; what the search finds is there first and stays when
// anything after it is slow or fails. Nothing is awaited once the clock has run out.

import { errorText } from "../../lib/errors.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { filesNotRecalled } from "../hooks/host-files.js";
import { lastMessages, saidBefore } from "../hooks/messages.js";
import { ownTurns } from "../hooks/speakers.js";
import { getManager } from "../runtime.js";
import { breakerKey, isRefusal, modelAccess } from "./model-access.js";

/**
 * @typedef {import("../../index.d.ts").ActiveOutcome} Outcome
 * @typedef {{api: import("../host.js").PluginApi, host: import("../host.js").Host}} Plugin
 * @typedef {import("../hooks/agent.js").Agent} Agent
 * @typedef {{system: string, prompt: string, answer: string, model: string}} Asked
 * @typedef {{fallback: Outcome, call?: Call, asked?: Asked, isOver?: boolean}} Progress `isOver`: nobody waits any more.
 */

/** Messages of the conversation that a model may be shown the end of. */
const MAX_MESSAGES = 60;

/** @type {Outcome} */
const NOTHING = { status: "no_relevant_memory", lane: "none", cached: false, chars: 0, shown: "" };

/**
 * What a turn is shown, at the latest when its time is up.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 * @returns {Promise<{outcome: Outcome, asked?: Asked}>}
 */
export async function activeTurn(plugin, agent, event, ctx) {
  /** @type {Progress} */
  const progress = { fallback: NOTHING };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const { timeoutMs, engine, setupGraceTimeoutMs } = agent.settings.activeMemory;
  const late = new Promise((resolve) => {
    // Not unref'd: a process that waits for nothing else must not end before the reply.
    timer = setTimeout(() => resolve(null), timeoutMs + (engine === "agent" ? setupGraceTimeoutMs : 0));
  });
  const work = serve(plugin, agent, event, ctx, progress).catch((error) => {
    plugin.host.logger.warn(`${PLUGIN_ID}: active memory: ${errorText(error)}`);
    return { ...progress.fallback, status: "failed" };
  });
  try {
    const outcome = /** @type {Outcome | null} */ (await Promise.race([work, late]));
    return { outcome: outcome ?? timedOut(progress), asked: progress.asked };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What is shown when the time is up; the call runs on for the next turn, or ends.
 * @param {Progress} progress
 * @returns {Outcome}
 */
function timedOut(progress) {
  progress.isOver = true;
  return progress.call?.leave() ?? { ...progress.fallback, status: "timeout" };
}

/**
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} event
 * @param {Record<string, any>} ctx
 * @param {Progress} progress
 * @returns {Promise<Outcome>}
 */
async function serve(plugin, agent, event, ctx, progress) {
  const { host } = plugin;
  const { cfg, agentId } = agent;
  const workspaceDir = host.workspaceDir(cfg, agentId) ?? ctx.workspaceDir;
  const before = ownTurns(host, ctx, event.messages);
  const question = {
    prompt: newestWords(event),
    ...saidBefore(before),
    without: await filesNotRecalled(cfg, agentId, ctx, workspaceDir),
  };
  const { manager, cause } = await getManager(host, { cfg, agentId, purpose: "default" });
  if (cause) throw cause;
  if (!manager) return NOTHING;
  const { message, intent, candidates } = await manager.recallCandidates(agent.native, question);
  if (progress.isOver) return NOTHING;
  ctx.toolAuthority?.assertActive?.();
  const access = modelAccess(plugin, agent, ctx);
  const step = native().activeMemoryBegin(agent.native, {
    agentId,
    session: `${host.stateDir()}\n${ctx.sessionKey}`,
    run: ctx.runId ? `${ctx.runId} ${event.currentUserMessageId ?? ctx.currentUserMessageId ?? ""}` : undefined,
    message,
    before: lastMessages(before, MAX_MESSAGES),
    intent: access || intent === "general" ? intent : null,
    candidates: candidates.map(passage),
    fitting: candidates.filter((hit) => hit.fits).map(passage),
    model: breakerKey(host, access),
    policy: access?.policy ?? "",
    tools: access?.tools ?? [],
  });
  if ("done" in step) return access || step.done.lane === "none" || !intent ? step.done : { ...step.done, status: "not-authorized" };
  const { ask } = step;
  progress.fallback = ask.fallback;
  if (!access) {
    // Mode `always` asks without looking at the message.
    return native().activeMemoryFailed(ask.ticket, "not-authorized") ?? ask.fallback;
  }
  const asked = { system: ask.system, prompt: ask.prompt, answer: "", model: access.name };
  const call = new Call(host, access, agent.settings.activeMemory, ask, asked);
  progress.asked = asked;
  if (ask.beside) {
    call.leave();
    return ask.fallback;
  }
  progress.call = call;
  return (await call.outcome) ?? ask.fallback;
}

/**
 * The user's newest message. Hosts from 2026.9 name it; an empty one there means that nobody wrote anything.
 * @param {Record<string, any>} event
 */
function newestWords(event) {
  return typeof event.currentUserMessage === "string" ? event.currentUserMessage : String(event.prompt ?? "");
}

/**
 * A passage without what only the hook needs.
 * @param {Record<string, any>} hit
 * @returns {any}
 */
function passage({ file: _file, fits: _fits, ...hit }) {
  return hit;
}

/** A call to a model, which may outlive the turn that made it. */
class Call {
  #controller = new AbortController();
  #ended = false;
  #ask;
  #lateMs;

  /**
   * @param {import("../host.js").Host} host
   * @param {import("./model-access.js").Access} access
   * @param {{lateMs: number}} settings
   * @param {{ticket: number, system: string, prompt: string, maxTokens: number, beside: boolean, fallback: Outcome}} ask
   * @param {Asked} asked
   */
  constructor(host, access, { lateMs }, ask, asked) {
    this.#ask = ask;
    this.#lateMs = lateMs;
    /** What the turn is shown, if it still waits. @type {Promise<Outcome | null>} */
    this.outcome = this.#run(host, access, asked);
  }

  /**
   * @param {import("../host.js").Host} host
   * @param {import("./model-access.js").Access} access
   * @param {Asked} asked
   */
  async #run(host, access, asked) {
    const { ticket } = this.#ask;
    try {
      const { text, seen } = await access.ask(this.#ask, this.#controller.signal);
      if (this.#ended) return null;
      this.#ended = true;
      asked.answer = text;
      return native().activeMemoryAnswered(ticket, text, seen);
    } catch (error) {
      if (this.#ended) return null;
      this.#ended = true;
      const refused = isRefusal(error);
      // The host's words name no text of the conversation when it refuses; a provider's may.
      if (refused) host.logger.warn(`${PLUGIN_ID}: active memory may not ask this agent's model: ${errorText(error)}`);
      return native().activeMemoryFailed(ticket, refused ? "not-authorized" : "failed");
    }
  }

  /** The reply goes on without it. What the turn is shown; nothing when the call had ended. @returns {Outcome | undefined} */
  leave() {
    if (this.#ended) return undefined;
    const left = this.#ask.beside ? { outcome: this.#ask.fallback, runsOn: true } : native().activeMemoryTimedOut(this.#ask.ticket);
    if (left?.runsOn) setTimeout(() => this.#giveUp(), this.#lateMs).unref();
    else this.#giveUp();
    return left?.outcome;
  }

  /** What comes from now on is of no use to anybody. */
  #giveUp() {
    if (this.#ended) return;
    this.#ended = true;
    native().activeMemoryFailed(this.#ask.ticket, "given-up");
    this.#controller.abort(new Error("active memory gave the call up"));
  }
}
