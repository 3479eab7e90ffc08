// Whether two machines answer alike.

/** @typedef {{at: string, score: number}} Hit */
/** @typedef {{platform: string, found: number, chunks: number, provider: string, answers: {question: string, hits: Hit[]}[]}} Tried */

/** Questions to `examples/workspace`, and the note that answers: by meaning alone, by words of several scripts, by none. */
export const QUESTIONS = [
  { question: "when do I put out the trash", file: "MEMORY.md" },
  { question: "ERR_FLASH_4012", file: "memory/2026-11-03.md" },
  { question: "comboio para Lisboa", file: "memory/2026-11-18.md" },
  { question: "備份密碼", file: "memory/projects/cellar-server.md" },
  { question: "hello, how are you?", file: undefined },
];

/**
 * Processors without a fused multiply-add round sums of the encoder elsewhere. A number on the border of two steps of a byte
 * then falls to the other side, and a vector moves by up to 4e-4 of its cosine, a score by 1e-3. Anything more is an error.
 */
const TOLERANCE = 2e-3;

/**
 * What is wrong with what an addon answered; empty when nothing is.
 * @param {Tried} tried
 * @param {Tried} own
 * @returns {string[]}
 */
export function compareAnswers(tried, own) {
  const faults = [];
  if (tried.provider !== "embedded") faults.push(`it embeds with ${tried.provider}`);
  if (tried.found === 0) faults.push("a killed process left nothing of the text it had read");
  if (tried.chunks !== own.chunks) faults.push(`${tried.chunks} chunks, not ${own.chunks}`);
  for (const [index, { question, hits }] of own.answers.entries()) {
    const others = tried.answers[index]?.hits ?? [];
    const [wanted, got] = [hits, others].map((list) => list.map(({ at }) => at).join(", "));
    const distance = Math.max(0, ...hits.map(({ score }, at) => Math.abs(score - (others[at]?.score ?? 0))));
    if (wanted !== got) faults.push(`"${question}" finds ${got || "nothing"}, not ${wanted || "nothing"}`);
    else if (distance > TOLERANCE) faults.push(`"${question}" scores differ by ${distance.toFixed(4)}`);
  }
  for (const { question, file } of QUESTIONS) {
    const best = tried.answers.find((answer) => answer.question === question)?.hits[0]?.at.replace(/:[^:]*$/, "");
    if (best !== file) faults.push(`"${question}" is answered by ${best ?? "nothing"}, not by ${file ?? "nothing"}`);
  }
  return faults;
}
