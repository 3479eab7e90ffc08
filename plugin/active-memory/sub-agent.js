// The other way to ask a model: as an agent that searches memory by itself, as the bundled plugin of the host does. Its session
// is its own, and gone when it has answered.

import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { agentEntry, isRecord } from "../../lib/config.js";
import { errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { modelNamed, primaryModel, textsOfRun } from "../hooks/model.js";
import { noteAnswer } from "../hooks/spending.js";
import { importSdk } from "../sdk.js";

/**
 * @typedef {import("./model-access.js").Agent} Agent
 * @typedef {import("./model-access.js").Answer} Answer
 * @typedef {import("./model-access.js").Plugin} Plugin
 */

/** Queues of the host that runs wait in; without one they would wait in the reply's own, which waits for them. */
const LANES = 8;

/** Calls of tools in a run; a model that repeats itself would ask until its time is up, and each call is a request that costs. */
const MOST_CALLS = 8;

/** How soon what is left of a run is looked for again, in milliseconds; the host writes its end a little later. */
const CLEAN_AGAIN_MS = [0, 250, 1000];

/** How old a run's folder is when its gateway, which may be another than this, was certainly ended in its middle, in milliseconds. */
const LOST_FOLDER_MS = 3_600_000;

/** What every session of a run is called. */
const RUN = { id: /^active-memory-[0-9a-f-]{36}$/, key: /:active-memory:[0-9a-f]{12}$/, folder: `${PLUGIN_ID}-run-` };

/** Agents whose lost runs were looked for in this process. @type {Set<string>} */
const looked = new Set();

/** @param {import("./model-access.js").Agent["settings"]["activeMemory"]} own Its settings. */
const longestMs = (own) => own.timeoutMs + own.setupGraceTimeoutMs + own.lateMs;

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
  let calls = 0;
  const tooMany = new AbortController();
  if (!looked.has(agentId)) {
    looked.add(agentId);
    // Nobody waits for it.
    void removeLost(plugin, agent).catch((error) => {
      host.logger.warn(`${PLUGIN_ID}: active memory: sessions of earlier runs were not removed: ${errorText(error)}`);
    });
  }
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
      timeoutMs: longestMs(own),
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
      abortSignal: AbortSignal.any([signal, tooMany.signal]),
      onAgentToolResult: (/** @type {any} */ event) => {
        calls += 1;
        if (calls > MOST_CALLS) tooMany.abort(new Error(`active memory: the agent called its tools more than ${MOST_CALLS} times`));
        if (event?.isError !== true && own.toolsAllow.includes(event?.toolName)) seen.push(...textsOf(event.result));
      },
    });
    noteAnswer(host, agent, "active-memory", result);
    signal.throwIfAborted();
    tooMany.signal.throwIfAborted();
    if (result?.meta?.error) throw new Error("the run of an agent failed");
    return { text: textsOfRun(result).join("\n").trim() || "NONE", seen };
  } finally {
    // Nobody waits for it.
    void place.clean().catch((error) => {
      host.logger.warn(`${PLUGIN_ID}: active memory: the session of a run was not removed: ${errorText(error)}`);
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
  const folder = await mkdtemp(path.join(os.tmpdir(), RUN.folder));
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
  // Below another session: those at the top are begun again by a host that was killed in their middle, with every tool.
  const spawnDepth = 1;
  const entry = { pluginOwnerId: api.id ?? PLUGIN_ID, sessionId, sessionFile, spawnDepth, updatedAt: Date.now() };
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
  const row = { agentId, sessionId, sessionKey, storePath };
  const clean = async () => {
    for (const wait of CLEAN_AGAIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
      if (await removeRow(row)) return;
    }
    throw new Error("it was not found");
  };
  return { where: { sessionFile, sessionTarget: row }, clean };
}

/**
 * Removes a run's row and what was said in it; false when there is none.
 * @param {{agentId: string, sessionId: string, sessionKey: string, storePath: string}} row
 */
async function removeRow({ agentId, sessionId, sessionKey, storePath }) {
  const sdk = await importSdk("session-store-runtime");
  if (typeof sdk?.cleanupSessionLifecycleArtifacts !== "function") throw new Error("this host offers no way to remove a session");
  const { removedEntries } = await sdk.cleanupSessionLifecycleArtifacts({
    agentId,
    archiveRemovedEntryTranscripts: false,
    orphanTranscriptMinAgeMs: 0,
    sessionKeySegmentPrefix: sessionKey.split(":").slice(2).join(":"),
    storePath,
    transcriptContentMarker: `"runId":"${sessionId}"`,
  });
  return removedEntries > 0;
}

/**
 * Removes what runs left behind whose gateway was ended in their middle.
 * @param {Plugin} plugin
 * @param {Agent} agent
 */
async function removeLost({ api, host }, { cfg, agentId, settings }) {
  if (!host.has("conversationDatabase")) {
    for (const name of await readdir(os.tmpdir())) {
      const folder = path.join(os.tmpdir(), name);
      if (name.startsWith(RUN.folder) && Date.now() - (await stat(folder)).mtimeMs > LOST_FOLDER_MS)
        await rm(folder, { recursive: true, force: true });
    }
    return;
  }
  // A command beside the gateway may run an agent as well: what is older than this process may still be under way there.
  const before = Math.min(Date.now() - process.uptime() * 1000, Date.now() - longestMs(settings.activeMemory));
  const { session } = api.runtime.agent;
  const storePath = session.resolveStorePath(cfg.session?.store, { agentId });
  for (const { sessionKey, entry } of session.listSessionEntries({ agentId, storePath, readOnly: true })) {
    const isOurs = entry.pluginOwnerId === (api.id ?? PLUGIN_ID) && RUN.key.test(sessionKey) && RUN.id.test(entry.sessionId);
    if (isOurs && entry.updatedAt < before) await removeRow({ agentId, sessionId: entry.sessionId, sessionKey, storePath });
  }
}
