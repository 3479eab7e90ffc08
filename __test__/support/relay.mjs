// An address on this machine behind which a server stands, wherever it is at the moment.

import net from "node:net";

/**
 * Passes on what each client says to the server, and what that answers.
 * @param {string} host Where it listens, at a port that is free. @param {() => URL} server Where the server is now.
 */
export async function openRelay(host, server) {
  /** @type {Set<net.Socket>} */
  const clients = new Set();
  // Without delay: else each small part of a request waits for the acknowledgement of the one before, 40 ms.
  const relay = net.createServer({ noDelay: true }, (client) => {
    const { hostname, port } = server();
    const upstream = net.connect({ port: Number(port), host: hostname, noDelay: true });
    client.pipe(upstream).pipe(client);
    clients.add(client);
    client.on("error", () => upstream.destroy()).on("close", () => clients.delete(client));
    upstream.on("error", () => client.destroy());
  });
  await new Promise((listening) => relay.listen(0, host, () => listening(undefined)));
  const { port } = /** @type {net.AddressInfo} */ (relay.address());
  const close = () => {
    relay.close();
    for (const client of clients) client.destroy();
  };
  return { port, close };
}
