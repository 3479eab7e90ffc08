// The tool `memory_forget` (M1): takes a stored fact out of its note.

import { leftText } from "../consolidation/text.js";
import { automaticAgent } from "../hooks/agent.js";
import { answer, quoted, withFacts } from "./facts.js";
import { paramRecord } from "./params.js";

/** Candidates looked at, and their lowest score (M1). */
const CANDIDATES = 5;
const MIN_SCORE = 0.7;
/** Lowest score of what is named where nothing reaches that: `memory_recall` shows it, without its id. */
const NEAR_SCORE = 0.42;
/** A single candidate above this score is forgotten without asking (M1). */
const CERTAIN = 0.9;
/** Characters of a candidate's words that the answer shows. */
const SHOWN_CHARS = 60;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export const parameters = {
  type: "object",
  properties: {
    query: { type: "string", description: "Search to find memory" },
    memoryId: { type: "string", description: "Specific memory ID" },
  },
};

export function describe() {
  return (
    "Forget a stored fact for good, by memoryId or by a query. A query forgets a single match that is certain; " +
    "otherwise it lists candidates, and the user should say which one is meant."
  );
}

/** @param {unknown} value */
const text = (value) => (typeof value === "string" && value.trim() ? value.trim() : undefined);

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {unknown} rawParams
 * @param {AbortSignal} [signal]
 */
export async function execute(host, ctx, rawParams, signal) {
  const params = paramRecord(rawParams);
  const memoryId = text(params.memoryId);
  const query = text(params.query);
  if (!memoryId && !query) return answer("Provide query or memoryId.", { error: "missing_param" });
  if (memoryId && !UUID.test(memoryId)) throw new Error(`Invalid memory ID format: ${memoryId}`);
  signal?.throwIfAborted();
  return await withFacts(host, ctx, async (manager, { cfg, agentId }) => {
    const agent = automaticAgent(host, cfg, agentId).native;
    const forget = (/** @type {string} */ id) => manager.run((engine) => engine.forgetFact(agent, id));
    if (memoryId) {
      const id = memoryId.toLowerCase();
      const forgotten = await forget(id);
      if (!forgotten) return answer(`There is no memory ${id}.`, { found: 0, id });
      return deleted(`Memory ${id} forgotten.`, id, forgotten);
    }
    const { matches: near } = await manager.run((engine) => engine.searchFacts(String(query), CANDIDATES, NEAR_SCORE));
    if (near.length === 0) return answer("No matching memories found.", { found: 0 });
    const sure = near.filter(({ score }) => score >= MIN_SCORE);
    const matches = sure.length > 0 ? sure : near;
    const [best] = matches;
    const forgotten = matches.length === 1 && best.score > CERTAIN ? await forget(best.id) : null;
    if (forgotten) return deleted(`Forgotten: "${quoted(best.text)}"`, best.id, forgotten);
    const list = matches.map(({ id, text: words }) => `- [${id}] ${quoted(words, SHOWN_CHARS)}...`).join("\n");
    const candidates = matches.map(({ id, text: words, category, score }) => ({ id, text: words, category, score }));
    const found =
      sure.length > 0 ? `Found ${matches.length} candidates.` : "Nothing matches surely; ask the user which of these is meant, if any.";
    return answer(`${found} Specify memoryId:\n${list}`, { action: "candidates", candidates });
  });
}

/**
 * What was done, with what stays.
 * @param {string} done
 * @param {string} id
 * @param {import("../../index.d.ts").Unlearned} unlearned
 */
function deleted(done, id, unlearned) {
  const { left } = unlearned;
  return answer([done, ...leftText(unlearned)].join("\n"), { action: "deleted", id, ...(left.length > 0 ? { left } : {}) });
}
