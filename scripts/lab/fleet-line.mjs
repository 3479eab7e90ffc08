// A line to a server that is one millisecond away, for `fleet-goals.mjs`: it passes on what the client says at once and what the server
// answers later, and counts how often an answer was waited for.
import { openSync, writeSync } from "node:fs";
import net from "node:net";

/**
 * Waits are counted in a file: each time the client says something after the server answered, on any connection; and beside them
 * those with nothing but a COMMIT, which nobody waits for where only was read.
 * @param {URL} server @param {number} delayMs @param {string} counter
 */
export async function openLine(server, delayMs, counter) {
  const file = openSync(counter, "w");
  let [waits, commits] = [0, 0];
  const isCommit = (/** @type {Buffer} */ bytes) => bytes.length < 16 && bytes.includes("COMMIT");
  const line = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect({ port: Number(server.port), host: server.hostname, noDelay: true });
    let isAnswered = true;
    client.on("data", (bytes) => {
      if (isAnswered) {
        waits += 1;
        commits += Number(isCommit(bytes));
        writeSync(file, JSON.stringify([waits, commits]), 0);
      }
      isAnswered = false;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      isAnswered = true;
      setTimeout(() => client.writable && client.write(bytes), delayMs);
    });
    client.on("error", () => upstream.destroy()).on("close", () => upstream.end());
    upstream.on("error", () => client.destroy()).on("close", () => setTimeout(() => client.end(), delayMs));
  });
  await new Promise((listening) => line.listen(0, "127.0.0.1", () => listening(undefined)));
  const url = new URL(server);
  url.host = `127.0.0.1:${/** @type {net.AddressInfo} */ (line.address()).port}`;
  return { url: url.href, close: () => line.close() };
}
