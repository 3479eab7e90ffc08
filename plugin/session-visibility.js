// Which transcript passages a session may see. Files of the workspace are the agent's own and always pass.

import { normalizeAgentId, sessionAgentId } from "../lib/config.js";
import { errorText } from "../lib/errors.js";
import { importSdk } from "./sdk.js";

/**
 * @typedef {import("../index.d.ts").MemoryHit} MemoryHit
 * @typedef {import("./host.js").HostConfig} HostConfig
 * @typedef {{cfg: HostConfig, agentId: string, requesterSessionKey?: string, sandboxed?: boolean, hits: MemoryHit[]}} Request
 */

/** Visibilities under which every session of an agent sees all conversations of this agent. */
const WHOLE_AGENT = new Set(["agent", "all"]);

/**
 * The hits that the requester may see. Passages of transcripts pass only when the host confirms it.
 * @param {import("./host.js").Host} host
 * @param {Request} request
 * @returns {Promise<MemoryHit[]>}
 */
export async function authorizeHits(host, request) {
  const { hits } = request;
  if (!hits.some((hit) => hit.source === "sessions")) return hits;
  const mayRead = await transcriptCheck(host, request);
  return hits.filter((hit) => hit.source !== "sessions" || mayRead(hit));
}

/**
 * @param {import("./host.js").Host} host
 * @param {Request} request
 * @returns {Promise<(hit: MemoryHit) => boolean>}
 */
async function transcriptCheck(host, { cfg, agentId, requesterSessionKey, sandboxed = false }) {
  // Older hosts have no rules for transcripts beyond "not from a sandbox"; the index holds this agent's only.
  if (!host.has("conversationRules")) return () => !sandboxed;
  const [rules, transcripts] = await Promise.all([importSdk("session-visibility"), importSdk("session-transcript-hit")]);
  if (!rules || !transcripts || !requesterSessionKey) return () => false;
  try {
    const visibility = rules.resolveEffectiveSessionToolsVisibility({ cfg, sandboxed });
    const guard = await rules.createSessionVisibilityGuard({
      action: "history",
      requesterSessionKey,
      requesterAgentId: agentId,
      mainSessionKey: sandboxed ? undefined : mainSessionKey(cfg, agentId),
      visibility,
      a2aPolicy: rules.createAgentToAgentPolicy(cfg),
    });
    const { store } = transcripts.loadCombinedSessionStoreForGateway(cfg, { agentId });
    return (hit) => {
      const identity = transcripts.extractTranscriptIdentityFromSessionsMemoryHit(hit.path);
      if (!identity || normalizeAgentId(identity.ownerAgentId) !== agentId) return false;
      const archivedOwnerAgentId = identity.archived ? agentId : undefined;
      const keys = transcripts
        .resolveTranscriptStemToSessionKeys({ store, stem: identity.stem, archivedOwnerAgentId })
        .filter((/** @type {string} */ key) => sessionAgentId(cfg, { sessionKey: key }) === agentId);
      // A conversation that another one has followed has no key any more; it is the agent's all the same.
      if (keys.length === 0) return !identity.archived && WHOLE_AGENT.has(visibility);
      return keys.some((/** @type {string} */ key) => guard.check(key).allowed === true);
    };
  } catch (error) {
    host.logger.warn(`memory: conversations are left out of the results: ${errorText(error)}`);
    return () => false;
  }
}

/**
 * The session from which newer hosts let an agent see all of its conversations under the visibility `tree`.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
function mainSessionKey(cfg, agentId) {
  return cfg.session?.scope === "global" ? "global" : `agent:${agentId}:${cfg.session?.mainKey ?? "main"}`;
}
