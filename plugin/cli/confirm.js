// A question at a terminal.

import { createInterface } from "node:readline/promises";

/**
 * Asks; nobody there means no.
 * @param {string} question
 * @param {{fallback: boolean}} answer What an empty answer means.
 */
export async function confirmed(question, { fallback }) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = (await prompt.question(question)).trim();
    return answer === "" ? fallback : /^y/i.test(answer);
  } finally {
    prompt.close();
  }
}
