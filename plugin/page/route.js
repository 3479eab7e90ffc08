// The page's two addresses in the gateway.
//
// `/memory-core-rs/tab/` is behind the gateway's own sign-in. The host's frame shows it as a tab, and a page in a window of
// its own asks there, with the gateway's token. `/memory-core-rs/page/` is that window, and the code of both: it holds nothing
// else, because a browser that opens an address cannot send a token. There the frame asks, with the ticket it was opened with.

import { isRecord } from "../../lib/config.js";
import { codedError, errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { importSdk } from "../sdk.js";
import { pageFile } from "./files.js";
import { answer, fault, pageMethod } from "./methods.js";
import { giveTicket, takeTicket } from "./tickets.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").PluginApi} PluginApi
 * @typedef {import("node:http").IncomingMessage} Incoming
 * @typedef {import("node:http").ServerResponse} Outgoing
 * @typedef {{client?: {connect?: {scopes?: string[]}}, revalidate?: () => Promise<void>}} RequestScope
 */

const TAB = `/${PLUGIN_ID}/tab`;
export const PAGE = `/${PLUGIN_ID}/page`;

/** Nothing but the page's own files: no script in the text of the page, and no request elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Longest question in bytes. */
const MOST_BYTES = 64 << 10;

/**
 * @param {PluginApi} api
 * @param {Host} host
 */
export function registerPageRoutes(api, host) {
  if (typeof api.registerHttpRoute !== "function") return;
  const route = (/** @type {string} */ base, /** @type {string} */ auth, /** @type {Base} */ { shell, call }) =>
    api.registerHttpRoute({ path: base, auth, match: "prefix", handler: handler(host, base, shell, call) });
  route(TAB, "gateway", { shell: () => giveTicket(), call: asOperator });
  route(PAGE, "plugin", { shell: () => "", call: asFrame });
  if (!host.has("pluginTabs")) return;
  api.session?.controls?.registerControlUiDescriptor?.({
    surface: "tab",
    id: "memory",
    label: "Memory",
    description: "What the assistant remembers, where it is from, and what memory did",
    icon: "brain",
    group: "agent",
    requiredScopes: ["operator.read"],
    path: `${TAB}/`,
  });
}

/**
 * @typedef {{host: Host, name: string, url: URL, incoming: Incoming, outgoing: Outgoing}} Question
 * @typedef {{shell: () => string, call: (question: Question) => Promise<unknown>}} Base
 */

/**
 * @param {Host} host
 * @param {string} base
 * @param {Base["shell"]} shell The ticket that the page is opened with.
 * @param {Base["call"]} call
 */
function handler(host, base, shell, call) {
  return async (/** @type {Incoming} */ incoming, /** @type {Outgoing} */ outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://localhost");
    if (url.pathname === base) return redirect(outgoing, `${base}/`);
    if (!url.pathname.startsWith(`${base}/`)) return false;
    const rest = url.pathname.slice(base.length + 1);
    try {
      if (rest.startsWith("call/")) await call({ host, name: rest.slice("call/".length), url, incoming, outgoing });
      else await file(rest, shell, incoming, outgoing);
    } catch (error) {
      host.logger.warn(`${PLUGIN_ID}: page: ${errorText(error)}`);
      if (!outgoing.headersSent) say(outgoing, 500, { error: fault(error) });
    }
    return true;
  };
}

/** @param {Outgoing} outgoing @param {string} to */
function redirect(outgoing, to) {
  outgoing.writeHead(308, { location: to, "content-length": "0" }).end();
  return true;
}

/**
 * @param {string} name
 * @param {Base["shell"]} shell
 * @param {Incoming} incoming
 * @param {Outgoing} outgoing
 */
async function file(name, shell, incoming, outgoing) {
  const found = isReading(incoming) ? await pageFile(name) : null;
  if (!found) return say(outgoing, 404, { error: { code: "NOT_FOUND", message: "there is no such page" } });
  const body =
    name === "" ? found.body.replace('name="memory-ticket" content=""', `name="memory-ticket" content="${shell()}"`) : found.body;
  outgoing.writeHead(200, { ...common(), "content-type": found.type, "content-security-policy": POLICY });
  outgoing.end(incoming.method === "HEAD" ? undefined : body);
}

/** @param {Incoming} incoming */
const isReading = ({ method }) => method === "GET" || method === "HEAD";

const common = () => ({ "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });

/**
 * A question of a page in a window of its own, with the rights that the gateway gives whoever asks. What looks is read, what
 * changes something is put.
 * @param {Question} question
 */
async function asOperator({ host, name, url, incoming, outgoing }) {
  const method = pageMethod(name);
  if (!method) return say(outgoing, 404, { error: { code: "NOT_FOUND", message: `there is no "${name}"` } });
  const isChange = method.scope === "operator.write";
  // A page of another site can make a browser ask, but not with a header of its own.
  if (isChange ? incoming.method !== "PUT" || incoming.headers["x-memory-page"] !== "1" : !isReading(incoming))
    return refuse(outgoing, isChange ? "changes are put" : "questions are read");
  const scope = await requestScope();
  const scopes = scope?.client?.connect?.scopes ?? [];
  if (!has(scopes, method.scope)) return refuse(outgoing, `this needs ${method.scope}`);
  const params = async () => parsed(isChange ? await bodyOf(incoming) : url.searchParams.get("params"));
  await answered({ host, method, params, outgoing, revalidate: scope?.revalidate, mayChange: has(scopes, "operator.write") });
}

/**
 * A question of a page in the host's frame, which may look only.
 * @param {Question} question
 */
async function asFrame({ host, name, incoming, outgoing }) {
  if (incoming.headers.origin === "null") outgoing.setHeader("access-control-allow-origin", "null");
  outgoing.setHeader("vary", "origin");
  const { ticket, params } = isReading(incoming) ? {} : parsed(await bodyOf(incoming));
  if (!takeTicket(ticket)) return say(outgoing, 401, { error: { code: "UNAUTHORIZED", message: "open the tab again" } });
  const method = pageMethod(name);
  if (method?.scope !== "operator.read") return refuse(outgoing, "this cannot be done in a tab");
  await answered({ host, method, params: async () => params ?? {}, outgoing, mayChange: false });
}

/**
 * @param {{host: Host, method: import("./methods.js").Method, params: () => Promise<Record<string, unknown>>, outgoing: Outgoing,
 *   revalidate?: () => Promise<void>, mayChange: boolean}} work
 */
async function answered({ host, method, params, outgoing, revalidate, mayChange }) {
  // Who types on asks anew: the search of a query that was longer a moment ago would hold up the next.
  const left = new AbortController();
  outgoing.once("close", () => left.abort());
  try {
    const asked = await params();
    const isChange = method.scope === "operator.write";
    if (isChange) await revalidate?.();
    // Who only looks is looked up meanwhile, and once more before anything is said.
    const [result] = await Promise.all([answer(host, method, asked, left.signal), isChange ? undefined : revalidate?.()]);
    await revalidate?.();
    say(outgoing, 200, { result, mayChange });
  } catch (error) {
    if (left.signal.aborted) return;
    // The host has answered when what was granted is not granted any more.
    if (!outgoing.headersSent) say(outgoing, 400, { error: fault(error) });
  }
}

/** @param {string | null} text @returns {Record<string, any>} */
function parsed(text) {
  const value = JSON.parse(text || "{}");
  if (isRecord(value)) return value;
  throw codedError("MEM_ARGUMENT", "the question must be an object");
}

/** What the host lets whoever asks do; hosts of 2026.4 have the function in another module. @returns {Promise<RequestScope | undefined>} */
async function requestScope() {
  for (const name of ["plugin-runtime", "nostr"]) {
    const read = (await importSdk(name))?.getPluginRuntimeGatewayRequestScope;
    if (typeof read === "function") return read();
  }
  return undefined;
}

/** Who may change may look. @param {string[]} scopes @param {"operator.read" | "operator.write"} wanted */
function has(scopes, wanted) {
  const enough = ["operator.admin", "operator.write", ...(wanted === "operator.read" ? ["operator.read"] : [])];
  return scopes.some((scope) => enough.includes(scope));
}

/** @param {Incoming} incoming */
async function bodyOf(incoming) {
  const parts = [];
  let size = 0;
  for await (const part of incoming) {
    size += part.length;
    if (size > MOST_BYTES) throw codedError("MEM_ARGUMENT", "the question is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** @param {Outgoing} outgoing @param {string} message */
const refuse = (outgoing, message) => say(outgoing, 403, { error: { code: "FORBIDDEN", message } });

/** @param {Outgoing} outgoing @param {number} status @param {object} payload */
function say(outgoing, status, payload) {
  outgoing.writeHead(status, { ...common(), "content-type": "application/json; charset=utf-8" });
  outgoing.end(JSON.stringify(payload));
}
