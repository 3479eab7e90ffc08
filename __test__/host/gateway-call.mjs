// Calls a method of a running gateway as its owner does in the Control UI: with the rights of an operator who may
// administrate, which the command line of newer hosts does not ask for. Run by the harness, in a process of its own.
//
//   node gateway-call.mjs <host's package> <url> <token> <method> <params, as JSON>

import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [host, url, token, method, params] = process.argv.slice(2);
const resolved = createRequire(path.join(host, "package.json")).resolve("openclaw/plugin-sdk/gateway-runtime");
const { GatewayClient } = await import(pathToFileURL(resolved).href);

const answer = new Promise((resolve, reject) => {
  const client = new GatewayClient({
    url,
    token,
    clientName: "gateway-client",
    mode: "backend",
    role: "operator",
    scopes: ["operator.admin", "operator.read", "operator.write"],
    onHelloOk: () => client.request(method, JSON.parse(params)).then(resolve, reject),
    onConnectError: reject,
  });
  client.start();
});

try {
  console.log(JSON.stringify(await answer));
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
