// `openclaw memory search`

import { forOneAgent, withManager } from "./agents.js";
import { explanation } from "./explain.js";
import { paint, print, printJson } from "./output.js";

/**
 * @typedef {{agent?: string, maxResults?: number, minScore?: number, explain?: boolean, json?: boolean}} Options
 * @param {import("../host.js").Host} host
 * @param {string | undefined} query
 * @param {Options} options
 */
export async function runSearch(host, query, options) {
  if (!query?.trim()) throw new Error('Nothing to search for. Give a query: openclaw memory search "…"');
  await forOneAgent(host, options, { name: "memory search", doing: "Memory search" }, async ({ cfg, agentId }) => {
    await withManager(host, cfg, agentId, async (manager) => {
      if (!manager) return options.json ? printJson({ agentId, status: "disabled" }) : print("Memory search disabled.");
      const answer = await manager.searchDetailed(query, {
        maxResults: options.maxResults,
        minScore: options.minScore,
        explain: options.explain || undefined,
        sessionKey: `agent:${agentId}:cli:direct:memory-search`,
      });
      if (options.json)
        printJson({
          results: answer.hits,
          mode: answer.mode,
          partial: answer.partial || undefined,
          warning: answer.warning,
          remedy: answer.remedy,
          code: answer.code,
        });
      else printAnswer(answer);
      if (isFault(answer)) process.exitCode = 1;
    });
  });
}

/**
 * Whether nothing was found and a fault may be the reason. Without the provider the words were searched all the same.
 * @param {import("../../index.d.ts").MemoryAnswer} answer
 */
function isFault({ hits, code }) {
  return hits.length === 0 && code !== undefined && !code.startsWith("MEM_PROVIDER");
}

/** @param {import("../../index.d.ts").MemoryAnswer} answer */
function printAnswer(answer) {
  const { hits, warning, code } = answer;
  if (warning) console.error(isFault(answer) ? `${warning} [${code}]` : warning);
  if (hits.length === 0) return print(isFault(answer) ? "No matches in what could be searched." : "No matches.");
  const blocks = hits.map((hit) =>
    [
      `${paint("green", hit.score.toFixed(3))} ${paint("cyan", `${hit.path}:${hit.startLine}-${hit.endLine}`)}`,
      hit.snippet,
      ...explanation(hit.explain),
    ].join("\n"),
  );
  print(blocks.join("\n\n"));
}
