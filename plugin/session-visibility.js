// Which transcript passages a session may see. Files of the workspace are the agent's own and always pass.

import { importSdk } from "./sdk.js";

/** @typedef {import("../index.d.ts").MemoryHit} MemoryHit */

/**
 * The hits that the requester may see. Passages of transcripts pass only when the host confirms it.
 * @param {{cfg: import("./host.js").HostConfig, agentId: string, requesterSessionKey?: string, sandboxed?: boolean, hits: MemoryHit[]}} request
 * @returns {Promise<MemoryHit[]>}
 */
export async function authorizeHits(request) {
  const { hits } = request;
  if (!hits.some((hit) => hit.source === "sessions")) return hits;
  const mayRead = await transcriptCheck(request);
  return hits.filter((hit) => hit.source !== "sessions" || mayRead(hit));
}

/**
 * @param {{cfg: import("./host.js").HostConfig, agentId: string, requesterSessionKey?: string, sandboxed?: boolean}} request
 * @returns {Promise<(hit: MemoryHit) => boolean>}
 */
async function transcriptCheck({ cfg, agentId, requesterSessionKey, sandboxed = false }) {
  const [visibility, transcripts] = await Promise.all([importSdk("session-visibility"), importSdk("session-transcript-hit")]);
  // Hosts before 2026.8 have no rules for transcripts beyond "not from a sandbox"; the index holds this agent's only.
  if (!visibility || !transcripts) return () => !sandboxed;
  if (!requesterSessionKey) return () => false;
  const guard = await visibility.createSessionVisibilityGuard({
    action: "history",
    requesterSessionKey,
    requesterAgentId: agentId,
    visibility: visibility.resolveEffectiveSessionToolsVisibility({ cfg, sandboxed }),
    a2aPolicy: visibility.createAgentToAgentPolicy(cfg),
  });
  const { store } = transcripts.loadCombinedSessionStoreForGateway(cfg, { agentId });
  return (hit) => {
    const identity = transcripts.extractTranscriptIdentityFromSessionsMemoryHit(hit.path);
    if (!identity) return false;
    const keys = transcripts.resolveTranscriptStemToSessionKeys({ store, stem: identity.stem });
    return keys.some((/** @type {string} */ key) => guard.check(key).allowed === true);
  };
}
