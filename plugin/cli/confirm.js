// A question at a terminal.

import { createInterface } from "node:readline/promises";
import { codedError } from "../../lib/errors.js";
import { print } from "./output.js";

/** Whether there is somebody to ask. */
export const isAnswered = () => process.stdin.isTTY === true && process.stdout.isTTY === true;

/**
 * Asks; nobody there means no.
 * @param {string} question
 * @param {{fallback: boolean}} answer What an empty answer means.
 */
export async function confirmed(question, { fallback }) {
  if (!isAnswered()) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = (await prompt.question(question)).trim();
    return answer === "" ? fallback : /^y/i.test(answer);
  } finally {
    prompt.close();
  }
}

/**
 * Whether a command may do what cannot be taken back easily: with --yes, or when somebody says so. A program that reads JSON is
 * asked nothing, and gets an error.
 * @param {string} question
 * @param {{yes?: boolean, json?: boolean}} options
 * @param {{not: string, to: string}} told What was not done, and what --yes does without a question.
 */
export async function agreed(question, { yes, json }, { not, to }) {
  if (yes) return true;
  const remedy = `Use --yes to ${to} without a question`;
  if (json) throw codedError("MEM_ARGUMENT", `${not}: nobody has agreed to it`, { remedy });
  if (await confirmed(question, { fallback: false })) return true;
  process.exitCode = 1;
  print(`${not}. ${remedy}.`);
  return false;
}
