// `openclaw memory triggers test "…"`

import { codedError } from "../../lib/errors.js";
import { forOneAgent, withManager } from "./agents.js";
import { paint, print, printJson } from "./output.js";

/**
 * Which curated entries a message brings back by their triggers, and with what score.
 * @param {import("../host.js").Host} host
 * @param {string | undefined} message
 * @param {{agent?: string, project?: string[], json?: boolean}} options
 */
export async function runTriggersTest(host, message, options) {
  await forOneAgent(host, options, { name: "memory triggers", doing: "Memory triggers" }, async ({ cfg, agentId }) => {
    if (!message?.trim())
      throw codedError("MEM_ARGUMENT", "there is no message", { remedy: 'Give one: openclaw memory triggers test "…"' });
    await withManager(host, cfg, agentId, async (manager) => {
      if (!manager) return options.json ? printJson({ agentId, status: "disabled" }) : print("Memory search disabled.");
      const activeProjectKeys = options.project ?? [];
      const candidates = await manager.listTriggerCandidates({ activeProjectKeys });
      const matches = await manager.triggerMatches(message, { activeProjectKeys });
      const malformed = /** @type {{path: string, line: number, reason: string}[]} */ (manager.status().custom?.malformedAnnotations ?? []);
      if (options.json) return printJson({ agentId, candidates: candidates.length, matches, malformed });
      print(`${candidates.length === 1 ? "1 line" : `${candidates.length} lines`} with triggers.`);
      if (matches.length === 0) print("The message brings back none of them.");
      for (const { score, strong, hit } of matches) {
        const shown = strong ? paint("green", "shown") : paint("gray", "not shown");
        print(`${score.toFixed(3)} ${shown} ${paint("cyan", `${hit.path}:${hit.startLine}`)} ${hit.triggers}`);
        print(`  ${hit.snippet}`);
      }
      for (const { path, line, reason } of malformed) print(paint("yellow", `${path}:${line}: ${reason}`));
    });
  });
}
