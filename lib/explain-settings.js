// The settings of an agent, explained.

import { shownRemote } from "./config.js";
import { native } from "./native.js";
import { prepare } from "./request.js";

/**
 * Every setting of an agent with where it comes from, and which values were adjusted. Null when memory search is off.
 * @param {import("../index.d.ts").ManagerRequest} request
 */
export async function explainSettings(request) {
  const { nativeRequest } = await prepare(request);
  const explained = native().resolveSettings(nativeRequest);
  if (!explained) return null;
  // The engine never sees these: they are resolved together with the keys.
  const remote = shownRemote(request.cfg, nativeRequest.agentId);
  return {
    ...explained,
    settings: { ...explained.settings, remote: remote.settings },
    origins: { ...explained.origins, ...remote.origins },
  };
}
