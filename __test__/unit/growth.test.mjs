// What texts cost that were made to cost much: twice the text is at most about twice the work on the thread of the host's
// event loop. Half a megabyte of empty blocks in one message held it for seconds.

import { expect, test } from "vitest";
import { normalizeAgentId, sessionAgentId } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { citesSources, presentHit } from "../../plugin/citations.js";
import { lastMessages } from "../../plugin/hooks/messages.js";
import { isConversation, isMainSession, isPrivate, isUserTurn, personOf } from "../../plugin/hooks/session.js";
import { textOf } from "../../plugin/message-text.js";
import { jsonResult } from "../../plugin/tools/result.js";
import { hooked, MAIN } from "./hooked.mjs";

/** Sizes that are compared, in characters: V8 keeps texts beyond 64 KB elsewhere, where each costs more. */
const DOUBLINGS = 3;
const [SMALL, LARGE] = [1 << 12, 1 << (12 + DOUBLINGS)];
/** Milliseconds of work that can be told apart on clocks that tick slowly. */
const MEASURED_MS = 15;
const MOST_GROWTH = 2.3;
/** Comparisons, of which the best counts. */
const TRIES = 12;

const PIECES = [
  "<active-memory></active-memory>",
  "<relevant-memories>",
  "## Recent Memory\n",
  "<file a>",
  "[Startup context loaded by runtime]\n\n",
  "<",
  "-",
  ":",
  ":thread:",
  "\n",
  " ",
  "x",
  "word ",
  "a@g.us",
  "agent:",
  "group",
  "<!",
  "\u200b",
  "\u{e0001}",
  "漢",
  "👨‍👩‍👧",
  '"',
  "\\",
  "```\n",
  "1",
];

/** Milliseconds that the processor has worked for this thread; for the process where that is not told. */
function workedMs() {
  const { user, system } = /** @type {any} */ (process).threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of one call. @param {() => unknown} work */
function cost(work) {
  const before = workedMs();
  for (let calls = 1; ; calls++) {
    work();
    const worked = workedMs() - before;
    if (worked >= MEASURED_MS) return worked / calls;
  }
}

/**
 * How often the work grows when the text doubles, on average.
 * @param {(text: string) => unknown} work
 * @param {string} piece
 */
function growth(work, piece) {
  const [small, large] = [SMALL, LARGE].map((chars) => `${piece.repeat(Math.ceil(chars / piece.length))}!\n!`);
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && least > MOST_GROWTH; n++) {
    least = Math.min(least, (cost(() => work(large)) / cost(() => work(small))) ** (1 / DOUBLINGS));
  }
  return least;
}

/** @param {(text: string) => unknown} work */
function grownTooMuch(work) {
  return PIECES.map((piece) => ({ piece, growth: growth(work, piece) })).filter((one) => one.growth > MOST_GROWTH);
}

const cfg = { session: { dmScope: "per-peer" } };
const hit = (/** @type {string} */ text) =>
  /** @type {any} */ ({ path: text, startLine: 1, endLine: 2, score: 1, snippet: text, source: "memory" });

/** @type {[string, (text: string) => unknown][]} */
const FUNCTIONS = [
  ["textOf", (text) => textOf([{ type: "text", text }])],
  ["lastMessages", (text) => lastMessages([{ role: "user", content: text }], 6)],
  [
    "lastMessages of many blocks",
    (text) => lastMessages([{ role: "user", content: [...text.slice(0, 20_000)].map((c) => ({ type: "text", text: c })) }], 6),
  ],
  ["normalizeAgentId", (text) => normalizeAgentId(`x${text}x`)],
  ["sessionAgentId", (text) => sessionAgentId(cfg, { sessionKey: text })],
  ["isPrivate", (text) => isPrivate(cfg, { sessionKey: text })],
  ["isUserTurn", (text) => isUserTurn({ trigger: "user", sessionKey: text })],
  ["isConversation", (text) => isConversation({ sessionKey: text })],
  ["isMainSession", (text) => isMainSession(cfg, { sessionKey: text })],
  ["personOf", (text) => personOf(cfg, { sessionKey: `agent:main:direct:ana${text}` })],
  ["citesSources", (text) => citesSources("auto", text)],
  ["presentHit", (text) => presentHit(hit(text), true)],
  ["jsonResult", (text) => jsonResult({ text })],
  ["memoryAsLine", (text) => native().memoryAsLine(text)],
];

test.each(FUNCTIONS)("%s", (_, work) => {
  expect(grownTooMuch(work)).toEqual([]);
});

test("the end of a turn", async () => {
  const { handlers, drained } = await hooked({ autoCapture: true, shortTerm: { enabled: true } });
  let turns = 0;
  const work = (/** @type {string} */ text) => {
    const said = [
      { role: "user", content: text },
      { role: "assistant", content: text },
    ];
    void handlers.agent_end({ success: true, runId: `run-${turns++}`, messages: said }, MAIN);
  };
  expect(growth(work, PIECES[0])).toBeLessThan(MOST_GROWTH);
  await drained();
});
