// The other way to ask a model: as an agent that searches memory by itself, as the bundled plugin of the host does. Its session
// is its own, and gone when it has answered.

import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { agentEntry, isRecord } from "../../lib/config.js";
import { errorMessage } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { modelNamed, primaryModel } from "../hooks/model.js";
import { importSdk } from "../sdk.js";

/**
 * @typedef {import("./model-access.js").Agent} Agent
 * @typedef {import("./model-access.js").Answer} Answer
 * @typedef {import("./model-access.js").Plugin} Plugin
 */

/** Queues of the host that runs wait in; without one they would wait in the reply's own, which waits for them. */
const LANES = 8;

/** How soon what is left of a run is looked for again, in milliseconds; the host writes its end a little later. */
const CLEAN_AGAIN_MS = [0, 250, 1000];

/** @param {string} text */
const hash = (text) => createHash("sha256").update(text).digest();

/**
 * Whether this host lets an agent run with some of its tools only; older ones give it all, those that write among them.
 * @param {Plugin} plugin
 */
export const canRunAgent = ({ api, host }) => host.has("scopedAgentRuns") && typeof api.runtime.agent?.runEmbeddedAgent === "function";

/**
 * Asks.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 * @param {string} prompt
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
export async function askAgent(plugin, agent, ctx, prompt, signal) {
  const { api, host } = plugin;
  const { cfg, agentId, settings } = agent;
  const own = settings.activeMemory;
  const sessionId = `active-memory-${randomUUID()}`;
  const sessionKey = `${ctx.sessionKey}:active-memory:${hash(sessionId).toString("hex").slice(0, 12)}`;
  /** @type {string[]} */
  const seen = [];
  const place = host.has("conversationDatabase") ? await rowFor(plugin, agent, sessionId, sessionKey) : await fileFor(sessionId);
  try {
    const result = await api.runtime.agent.runEmbeddedAgent({
      sessionId,
      sessionKey,
      agentId,
      ...place.where,
      ...modelOf(agent, ctx),
      workspaceDir: host.workspaceDir(cfg, agentId) ?? ctx.workspaceDir,
      agentDir: host.agentDir(cfg, agentId),
      config: cfg,
      prompt,
      runId: sessionId,
      trigger: "manual",
      lane: `${PLUGIN_ID}:${hash(String(ctx.sessionKey))[0] % LANES}`,
      timeoutMs: own.timeoutMs + own.setupGraceTimeoutMs + own.lateMs,
      toolsAllow: [...own.toolsAllow],
      disableMessageTool: true,
      // From 2026.9 a model would see the names of its tools only: with two, a search for them costs more than it saves.
      disableToolSearch: true,
      allowGatewaySubagentBinding: true,
      bootstrapContextMode: "lightweight",
      verboseLevel: "off",
      thinkLevel: own.thinking,
      ...(own.fastMode === null || own.fastMode === undefined ? {} : { fastMode: own.fastMode }),
      reasoningLevel: "off",
      silentExpected: true,
      authProfileFailurePolicy: "local",
      cleanupBundleMcpOnRunEnd: true,
      abortSignal: signal,
      onAgentToolResult: (/** @type {any} */ event) => {
        if (event?.isError !== true && own.toolsAllow.includes(event?.toolName)) seen.push(...textsOf(event.result));
      },
    });
    signal.throwIfAborted();
    if (result?.meta?.error) throw new Error("the run of an agent failed");
    const payloads = Array.isArray(result?.payloads) ? result.payloads : [];
    const texts = payloads
      .filter((/** @type {any} */ one) => one?.isError !== true)
      .map((/** @type {any} */ one) => String(one?.text ?? ""));
    return { text: texts.join("\n").trim() || "NONE", seen };
  } finally {
    // Nobody waits for it.
    void place.clean().catch((error) => {
      host.logger.warn(`${PLUGIN_ID}: active memory: the session of a run was not removed: ${errorMessage(error)}`);
    });
  }
}

/** What a tool gave, as text. @param {any} result @returns {string[]} */
function textsOf(result) {
  const { content, detailedContent } = isRecord(result) ? result : {};
  const parts = Array.isArray(content) ? content.map((part) => part?.text) : [content, detailedContent];
  return parts.filter((text) => typeof text === "string" && text !== "");
}

/**
 * The model of a run: that of the settings, else the conversation's, else the agent's.
 * @param {Agent} agent
 * @param {Record<string, any>} ctx
 * @returns {{provider?: string, model?: string}}
 */
function modelOf({ cfg, agentId, settings }, { modelProviderId, modelId }) {
  const { model, modelFallback } = settings.activeMemory;
  if (!model && modelProviderId && modelId) return { provider: modelProviderId, model: modelId };
  const configured = primaryModel(agentEntry(cfg, agentId)?.model) ?? primaryModel(cfg.agents?.defaults?.model);
  return modelNamed(model ?? configured ?? modelFallback);
}

/** @typedef {{where: Record<string, unknown>, clean: () => Promise<void>}} Place Where a run keeps its session. */

/**
 * A file of its own, before 2026.8.
 * @param {string} sessionId
 * @returns {Promise<Place>}
 */
async function fileFor(sessionId) {
  const folder = await mkdtemp(path.join(os.tmpdir(), `${PLUGIN_ID}-run-`));
  return {
    where: { sessionFile: path.join(folder, `${sessionId}.jsonl`) },
    clean: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * A row among the host's sessions, which refuses runs without one.
 * @param {Plugin} plugin
 * @param {Agent} agent
 * @param {string} sessionId
 * @param {string} sessionKey
 * @returns {Promise<Place>}
 */
async function rowFor({ api }, { cfg, agentId }, sessionId, sessionKey) {
  const { session } = api.runtime.agent;
  const storePath = session.resolveStorePath(cfg.session?.store, { agentId });
  const sessionFile = `sqlite:${agentId}:${sessionId}:${storePath}`;
  const entry = { pluginOwnerId: api.id ?? PLUGIN_ID, sessionId, sessionFile, updatedAt: Date.now() };
  const made = await session.patchSessionEntry({
    agentId,
    sessionKey,
    storePath,
    fallbackEntry: entry,
    replaceEntry: true,
    skipMaintenance: true,
    update: (/** @type {unknown} */ _entry, /** @type {any} */ context) => (context?.existingEntry ? null : entry),
  });
  if (made?.sessionId !== sessionId) throw new Error("the host made no session for a run");
  const clean = async () => {
    const sdk = await importSdk("session-store-runtime");
    if (typeof sdk?.cleanupSessionLifecycleArtifacts !== "function") throw new Error("this host offers no way to remove a session");
    const request = {
      agentId,
      archiveRemovedEntryTranscripts: false,
      orphanTranscriptMinAgeMs: 0,
      sessionKeySegmentPrefix: sessionKey.split(":").slice(2).join(":"),
      storePath,
      transcriptContentMarker: `"runId":"${sessionId}"`,
    };
    for (const wait of CLEAN_AGAIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
      const { removedEntries } = await sdk.cleanupSessionLifecycleArtifacts(request);
      if (removedEntries > 0) return;
    }
    throw new Error("it was not found");
  };
  return { where: { sessionFile, sessionTarget: { agentId, sessionId, sessionKey, storePath } }, clean };
}
