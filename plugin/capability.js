// The memory capability: one registration on hosts from 2026.4, three separate ones before.

import { pluginSettings } from "../lib/config.js";
import { listArtifacts } from "./artifacts.js";
import { buildFlushPlan } from "./flush-plan.js";
import { offersPrivateRecall } from "./private-recall.js";
import { buildPromptSection } from "./prompt-section.js";
import { createRuntime } from "./runtime.js";

/**
 * @param {import("./host.js").PluginApi} api
 * @param {import("./host.js").Host} host
 */
export function registerCapability(api, host) {
  const runtime = createRuntime(host);
  if (typeof api.registerMemoryCapability === "function") {
    api.registerMemoryCapability({
      promptBuilder: buildPromptSection,
      flushPlanResolver: buildFlushPlan,
      runtime,
      publicArtifacts: { listArtifacts: (/** @type {{cfg: import("./host.js").HostConfig}} */ { cfg }) => listArtifacts(host, cfg) },
      deterministicRecallToolName: "memory_search",
      supportsPrivateTranscriptRecall: offersPrivateRecall(api.pluginConfig ?? pluginSettings(api.config ?? {})),
    });
    return;
  }
  api.registerMemoryPromptSection?.(buildPromptSection);
  api.registerMemoryFlushPlan?.(buildFlushPlan);
  api.registerMemoryRuntime?.(runtime);
}
