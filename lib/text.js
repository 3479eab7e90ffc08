// Text functions of the engine, useful without an index.

import { checkChunking } from "./arguments.js";
import { native } from "./native.js";

/**
 * Cuts Markdown into the chunks that the index is made of; blank ones are left out.
 * @param {string} text
 * @param {number} [tokens] Size of a chunk in tokens of about four characters, 400 by default.
 * @param {number} [overlap] Tokens carried over from the chunk before, 80 by default.
 */
export async function chunkMarkdown(text, tokens, overlap) {
  checkChunking(text, tokens, overlap);
  return await native().chunkMarkdown(text, tokens, overlap);
}
