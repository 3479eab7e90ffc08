// The page's questions and addresses on a throw-away home, without a host.

import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { Host } from "../../plugin/host.js";
import { registerPage } from "../../plugin/page/register.js";
import { makeWorkspace } from "./workspace.mjs";

export const ID = "memory-core-rs";
export const INVOICES = "Invoices go out on the 5th of the month.";

/** @param {number} ago */
export const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

export const FILES = {
  "MEMORY.md": "# Mine\n\n- The gate opens with 4711. <!-- trigger: gate -->\n",
  ...Object.fromEntries([1, 2, 3].map((ago) => [`memory/${day(ago)}.md`, `# Day\n\n- ${INVOICES}\n`])),
};

/** What the plugin registers of the page, on a throw-away home with more notes. @param {Record<string, string>} [more] */
export async function registered(more = {}, version = "2026.9.6") {
  const { workspace, stateDir, config } = await makeWorkspace({ ...FILES, ...more });
  const consolidation = { mode: "plan", timeZone: "UTC" };
  /** @type {Record<string, any>} */
  const cfg = { ...config(), plugins: { slots: { memory: ID }, entries: { [ID]: { config: { provider: "none", consolidation } } } } };
  /** @type {Map<string, {answer: Function, scope: string}>} */
  const methods = new Map();
  /** @type {Record<string, any>[]} */
  const routes = [];
  /** @type {any[]} */
  const tabs = [];
  const api = {
    logger: { info() {}, warn() {}, error() {} },
    registerGatewayMethod: (/** @type {string} */ name, /** @type {Function} */ answer, /** @type {{scope: string}} */ { scope }) =>
      methods.set(name, { answer, scope }),
    registerHttpRoute: (/** @type {Record<string, any>} */ route) => routes.push(route),
    session: { controls: { registerControlUiDescriptor: (/** @type {any} */ tab) => tabs.push(tab) } },
    runtime: {
      version,
      config: { current: () => cfg },
      state: { resolveStateDir: () => stateDir },
      agent: { resolveAgentWorkspaceDir: () => workspace },
    },
  };
  const host = new Host(api);
  registerPage(api, host);
  /** @param {string} name @param {Record<string, unknown>} [params] @returns {Promise<any>} */
  const call = async (name, params) =>
    await new Promise((resolve, reject) =>
      methods.get(`memoryCoreRs.page.${name}`)?.answer({
        params,
        respond: (/** @type {boolean} */ ok, /** @type {any} */ payload, /** @type {any} */ error) =>
          ok ? resolve(payload) : reject(error),
      }),
    );
  return { api, host, cfg, workspace, methods, routes, tabs, call };
}

/** The routes behind a server of our own. @param {Record<string, any>[]} routes */
export async function served(routes) {
  const server = createServer(async (incoming, outgoing) => {
    const route = routes.find(({ path: base }) => incoming.url?.startsWith(base));
    if (!route || !(await route.handler(incoming, outgoing))) outgoing.writeHead(404).end();
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/${ID}`;
}
