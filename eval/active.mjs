// Active memory on the turns of a chat: what would stand beside each message, with models that follow a rule. A rule that
// knows the answers only shows that nothing gets lost on the way; what counts are the rules that do not.
import { native } from "../lib/native.js";
import { isRight, readMeta, readTurns, withNotes } from "./recall.mjs";

/** @typedef {import("./recall.mjs").Turn} Turn */
/** @typedef {{path: string, startLine: number, endLine: number}} Place */
/** @typedef {{turn: Turn, ok: boolean, asked: boolean, chars: number, places: Place[], leaked: boolean, invented: boolean}} Outcome */

/** Words that say nothing by themselves, in the languages of the sets. */
const PLAIN = new Set(
  (
    "the a an and or of to in on at for with is are was were be been do does did have has had i you we he she it they my your our " +
    "what which who when where why how again still me us that this o os as um uma de da do em no na e que qual quem onde quando como " +
    "meu minha é foi der die das ein eine und oder von zu im am mit ist sind war wer was wann wo wie welche mein meine ich wir du el la " +
    "los las un una y del al con es son era qué cuál quién dónde cuándo cómo mi"
  ).split(" "),
);

/** What a text is about, roughly: words without their endings, and pairs of characters of scripts without spaces. @param {string} text */
export function words(text) {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    found.flatMap((word) => {
      if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(word))
        return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
      return PLAIN.has(word) ? [] : [word.slice(0, 5)];
    }),
  );
}

/** The numbered passages of a request. @param {string} prompt */
const passages = (prompt) =>
  [...prompt.matchAll(/^(\d+)\. \[([^\]]*)\] (.*)$/gm)].map(([, number, path, text]) => ({ number, path, text }));

/** Picks the passages that share most words with the message, up to two that share as many. @param {{query: string, before?: string}} turn @param {string} prompt */
export function lexical(turn, prompt) {
  const asked = words(`${turn.before ?? ""} ${turn.query}`);
  const shared = passages(prompt).map(({ number, text }) => ({ number, count: [...words(text)].filter((word) => asked.has(word)).length }));
  const most = Math.max(0, ...shared.map(({ count }) => count));
  const best = shared.filter(({ count }) => count === most).slice(0, 2);
  return most === 0 ? "NONE" : best.map(({ number }) => number).join(", ");
}

/** Answers of models that did not understand. */
const NOISE = ["", "Hello! How can I help you today?", '{"tool_calls":[{"name":"memory_search"}]}', "99", "The second note says which."];

/** Names and numbers that no note of the set has: whoever reads one beside a message reads an invention. */
const INVENTED = ["Quillfeather", "Zanzibar", "88421", "93 %"];

/** What a fluent liar says, alone or woven into what a passage says. @type {((told: string, number: string) => string)[]} */
const LIES = [
  () => "The user keeps the spare key with Dr. Quillfeather in Zanzibar.",
  (told) => `${told.slice(0, 120)}, and the code for it is 88421.`,
  (told, number) => `${number}. ${told.slice(0, 60)} – as Quillfeather confirmed.`,
  (_told, number) => `${number}, which the user confirmed with 93 % certainty in Zanzibar`,
  (told) => `${told.slice(0, 200)} (Quillfeather)`,
];

/** A number that is the same in every run. @param {string} id */
const hash = (id) => [...id].reduce((sum, c) => (sum * 31 + (c.codePointAt(0) ?? 0)) >>> 0, 7);

/** What each model answers; null is no answer at all. Only of the liar it is asked whether it gets away with a line of its own. @type {Record<string, (turn: Turn, prompt: string) => string | null>} */
export const MODELS = {
  none: () => null,
  lexical,
  noisy: (turn, prompt) => (hash(turn.id) % 5 === 0 ? NOISE[hash(turn.id) % NOISE.length] : lexical(turn, prompt)),
  liar: (turn, prompt) => {
    const all = passages(prompt);
    const { text = "", number = "1" } = all[hash(turn.id) % Math.max(1, all.length)] ?? {};
    return LIES[hash(`${turn.id} lie`) % LIES.length](text, number);
  },
  oracle: (turn, prompt) => {
    const files = new Set(turn.evidence.map(([file]) => file));
    const right = passages(prompt).filter(({ path }) => files.has(path));
    return right.length === 0 ? "NONE" : right.map(({ number }) => number).join(", ");
  },
};

/** The turn before. @param {Turn} turn @returns {{role: "user" | "assistant", text: string}[]} */
const said = ({ before, reply }) => [
  ...(before ? [{ role: /** @type {const} */ ("user"), text: before }] : []),
  ...(reply ? [{ role: /** @type {const} */ ("assistant"), text: reply }] : []),
];

/** Where the passages of a block stand. @param {string | undefined} block @returns {Place[]} */
const placesOf = (block) =>
  [...(block ?? "").matchAll(/^\d+\. \[([^\]]+)#L(\d+)-L(\d+)\]/gm)].map(([, path, from, to]) => ({
    path,
    startLine: Number(from),
    endLine: Number(to),
  }));

/**
 * The turns of a case, each in a conversation of its own.
 * @param {string} caseDir @param {string} provider
 * @param {{model: string, mode: string, answer?: "pick" | "summary"}} how @param {string[]} [halves]
 * @returns {Promise<Outcome[]>}
 */
export function runActive(caseDir, provider, { model, mode, answer = "pick" }, halves) {
  const { forbidden, withheld: without } = readMeta(caseDir);
  return withNotes(caseDir, provider, async (manager, nowMs) => {
    const active = { enabled: true, mode, answer, circuitBreakerMaxTimeouts: 20 };
    // What is right, not how fast: a busy machine is given time.
    const agent = { config: { autoRecallTimeoutMs: 5000, activeMemory: active }, agentId: "main", isDefaultAgent: true, stateDir: caseDir };
    /** @type {Outcome[]} */
    const outcomes = [];
    for (const turn of readTurns(caseDir, halves)) {
      const { message, intent, candidates } = await manager.recallCandidates(agent, {
        prompt: turn.query,
        before: turn.before,
        replied: turn.reply,
        without,
        nowMs,
      });
      const hits = candidates.map(({ fits: _fits, ...hit }) => hit);
      const step = native().activeMemoryBegin(agent, {
        agentId: "main",
        session: `${provider} ${model} ${mode} ${answer} ${turn.id}`,
        message,
        before: said(turn),
        intent,
        candidates: hits,
        fitting: hits.filter((_, at) => candidates[at].fits),
        // A model of its own for every turn: failures of one say nothing about the next.
        model: turn.id,
        policy: "",
      });
      const { shown, asked, chars } =
        "done" in step ? { shown: step.done, asked: false, chars: 0 } : answered(step.ask, MODELS[model], turn);
      const places = placesOf(shown.block);
      const leaked = places.some((place) => without.includes(place.path)) || (forbidden.length > 0 && isRight(forbidden, places));
      const invented = INVENTED.some((word) => shown.block?.includes(word));
      outcomes.push({ turn, ok: isRight(turn.evidence, places), asked, chars, places, leaked, invented });
    }
    return outcomes;
  });
}

/** @param {any} ask @param {(typeof MODELS)[string]} model @param {Turn} turn */
function answered(ask, model, turn) {
  const text = model(turn, ask.prompt);
  const shown = text === null ? native().activeMemoryFailed(ask.ticket, "failed") : native().activeMemoryAnswered(ask.ticket, text);
  return { shown: shown ?? ask.fallback, asked: true, chars: ask.system.length + ask.prompt.length };
}

/** Turns without a note that call for one all the same: what was never written down, and orders to memory. */
const CALLING = ["near miss", "hostile"];

/** In percent, and tokens as a quarter of the characters. @param {Outcome[]} outcomes */
export function activeRates(outcomes) {
  const share = (/** @type {Outcome[]} */ of, /** @type {(one: Outcome) => boolean} */ test) =>
    of.length === 0 ? 0 : (100 * of.filter(test).length) / of.length;
  const [some, none] = [true, false].map((has) => outcomes.filter(({ turn }) => turn.evidence.length > 0 === has));
  const ordinary = none.filter(({ turn }) => !CALLING.includes(turn.category));
  const calls = outcomes.filter(({ asked }) => asked);
  const chars = calls.reduce((sum, one) => sum + one.chars, 0);
  return {
    right: share(some, ({ ok }) => ok),
    needless: share(none, ({ ok }) => !ok),
    gold: gold(some),
    leaked: outcomes.filter(({ leaked }) => leaked).length,
    invented: outcomes.filter(({ invented }) => invented).length,
    asked: share(some, ({ asked }) => asked),
    askedForNothing: share(none, ({ asked }) => asked),
    ordinaryNeedless: share(ordinary, ({ ok }) => !ok),
    ordinaryAsked: share(ordinary, ({ asked }) => asked),
    tokensPerCall: chars / 4 / Math.max(1, calls.length),
    tokensPerTurn: chars / 4 / outcomes.length,
  };
}

/** Of the passages beside turns that need one, the share that answers; percent. @param {Outcome[]} outcomes */
function gold(outcomes) {
  const right = outcomes.flatMap(({ turn, places }) => places.map((place) => isRight(turn.evidence, [place])));
  return right.length === 0 ? 0 : (100 * right.filter(Boolean).length) / right.length;
}
