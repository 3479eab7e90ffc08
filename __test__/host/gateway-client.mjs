// Speaks with a running gateway as its owner does in the Control UI: with the rights of an operator who may administrate,
// which the command line of newer hosts does not ask for, over one connection. Run by the harness in a process of its own,
// because the client is the host's. One request a line, as JSON, and one answer a line.
//
//   node gateway-client.mjs <host's package> <url> <token> [<scopes, with commas>]

import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [host, url, token, scopes = "operator.admin,operator.read,operator.write"] = process.argv.slice(2);
const resolved = createRequire(path.join(host, "package.json")).resolve("openclaw/plugin-sdk/gateway-runtime");
const { GatewayClient } = await import(pathToFileURL(resolved).href);

const client = await new Promise((resolve, reject) => {
  const connecting = new GatewayClient({
    url,
    token,
    clientName: "gateway-client",
    mode: "backend",
    role: "operator",
    scopes: scopes.split(","),
    onHelloOk: () => resolve(connecting),
    onConnectError: reject,
    // What is said in conversations, also by commands, which leave nothing in their history.
    onEvent: (/** @type {any} */ { event, payload }) => {
      if (event === "chat" && payload?.state === "final") console.log(JSON.stringify({ event, payload }));
    },
  });
  connecting.start();
});

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, options } = JSON.parse(line);
  /** @param {Record<string, unknown>} answer */
  const answer = (answer) => console.log(JSON.stringify({ id, ...answer }));
  client.request(method, params, options).then(
    (/** @type {unknown} */ result) => answer({ result }),
    (/** @type {unknown} */ error) => answer({ error: String(error) }),
  );
}
process.exit(0);
