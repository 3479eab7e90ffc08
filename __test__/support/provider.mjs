// A loopback embedding provider that counts what it is sent.

import { once } from "node:events";
import http from "node:http";

/** Numbers in a vector. */
const DIMS = 8;

/** @typedef {{baseUrl: string, counts: Map<string, number>, fault: (() => number) | null, hold: (() => Promise<void>) | null,
 *   answer: (vector: number[]) => number[], stop: () => void}} Provider `answer` makes of a vector that of another model;
 *   `hold` is waited for before an answer. */

/**
 * @param {{latencyMs: number, counting?: boolean}} options Time it takes to answer; whether it remembers every text.
 * @returns {Promise<Provider>} `fault` gives the status of an answer that is to fail, or 0.
 */
export async function startProvider({ latencyMs, counting = true }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const failed = provider.fault?.() ?? 0;
    if (failed) return void response.writeHead(failed, { "retry-after": "0" }).end("{}");
    const { input } = JSON.parse(body);
    for (const text of counting ? input : []) counts.set(text, (counts.get(text) ?? 0) + 1);
    await provider.hold?.();
    const data = input.map((/** @type {string} */ text, /** @type {number} */ index) => ({
      index,
      embedding: provider.answer(vectorOf(text)),
    }));
    setTimeout(() => response.setHeader("content-type", "application/json").end(JSON.stringify({ data })), latencyMs);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  /** @type {Provider} */
  const provider = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    counts,
    fault: null,
    hold: null,
    answer: (vector) => vector,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}

/** @param {string} text */
function vectorOf(text) {
  return Array.from({ length: DIMS }, (_, at) => 1 + text.charCodeAt(at % text.length));
}
