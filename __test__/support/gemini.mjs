// A loopback stand-in for Gemini's embeddings, for which a picture means the words that are appended to it. What it is sent
// is kept.

import { once } from "node:events";
import http from "node:http";
import { embed } from "./fake-provider.mjs";

/** @typedef {{text: string, mimeType?: string, bytes?: Buffer, key: string | undefined, path: string}} SentInput */

/** @returns {Promise<{baseUrl: string, sent: SentInput[], take: () => SentInput[], stop: () => void}>} */
export async function startGemini() {
  /** @type {SentInput[]} */
  const sent = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const path = request.url ?? "";
    const key = /** @type {string | undefined} */ (request.headers["x-goog-api-key"]);
    const { requests } = JSON.parse(body);
    const inputs = requests.map((/** @type {any} */ one) => inputOf(one.content.parts, key, path));
    sent.push(...inputs);
    const embeddings = inputs.map((/** @type {SentInput} */ { text, bytes }) => ({ values: embed(bytes ? appendedTo(bytes) : text) }));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ embeddings, usageMetadata: { promptTokenCount: 258 } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    baseUrl: `http://127.0.0.1:${port}/v1beta`,
    sent,
    take: () => sent.splice(0),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param {any[]} parts @param {string | undefined} key @param {string} path @returns {SentInput} */
function inputOf(parts, key, path) {
  const text = parts.map((part) => part.text ?? "").join("");
  const file = parts.find((part) => part.inlineData)?.inlineData;
  return { text, key, path, ...(file && { mimeType: file.mimeType, bytes: Buffer.from(file.data, "base64") }) };
}

/** Pictures among what was sent. @param {SentInput[]} sent */
export const mediaOf = (sent) => sent.filter((input) => input.bytes);

/** @param {Buffer} bytes */
const appendedTo = (bytes) => bytes.subarray(bytes.lastIndexOf(0) + 1).toString();

/** A PNG of one pixel, with words behind its end. @param {string} words */
export function png(words) {
  const chunk = (/** @type {string} */ name, /** @type {Buffer} */ content) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, Buffer.from(name), content, Buffer.alloc(4)]);
  };
  const size = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", size),
    chunk("IDAT", Buffer.from([1])),
    chunk("IEND", Buffer.alloc(0)),
    Buffer.from(`\0${words}`),
  ]);
}
