// How the page asks the plugin: by its own route in the gateway, and nothing else.

/**
 * @typedef {"unauthorized" | "failed"} Kind
 * @typedef {import("../../lib/page.js").PageMethods} Methods
 * @typedef {import("../../lib/page.js").PageChange} Change
 * @typedef {Exclude<keyof Methods, Change>} Look
 */

/**
 * @template {keyof Methods} Name
 * @typedef {{result: Methods[Name]["result"] & import("../../lib/page.js").PageAnswer, mayChange: boolean}} Answer
 */

/**
 * @template {keyof Methods} Name
 * @typedef {Methods[Name]["params"] & import("../../lib/page.js").PageParams} Params
 */

/** Where the token of a window of its own is kept until its tab is closed. */
const TOKEN = "memory-core-rs.token";

/** What the tab was opened with; nothing in a window of its own. */
const ticket = document.querySelector('meta[name="memory-ticket"]')?.getAttribute("content") ?? "";

/** The answers that a report holds; null where there is somebody to ask. @type {Record<string, any> | null} */
export const report = JSON.parse(document.getElementById("memory-report")?.textContent ?? "null");

/** Whether the host shows the page as one of its tabs, where nothing can be changed. */
export const isFrame = window.parent !== window;

/** What the gateway said against a question. */
export class Refusal extends Error {
  /** @param {Kind} kind @param {string} message */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** @param {string} token */
export function signIn(token) {
  if (token) sessionStorage.setItem(TOKEN, token);
  else sessionStorage.removeItem(TOKEN);
}

/**
 * Whether a question can be asked at all.
 * A link of the person's own may bring the token behind the `#`, as links of the host's dashboard do.
 */
export function isSignedIn() {
  if (isFrame || report) return true;
  const brought = new URLSearchParams(location.hash.slice(1)).get("token");
  if (brought) {
    signIn(brought);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN) !== null;
}

/** What is said where the gateway does not answer: browsers say no more than that something failed. */
const UNREACHED =
  "The gateway does not answer. See whether it runs (openclaw gateway status), start it if it does not, and open this view again.";

/**
 * What the gateway answers.
 * @param {URL} url
 * @param {RequestInit} how
 */
async function reach(url, how) {
  const response = await fetch(url, how).catch((error) => {
    throw how.signal?.aborted ? error : new Refusal("failed", UNREACHED);
  });
  return await answerOf(response);
}

/**
 * Asks for something.
 * @template {Look} Name
 * @param {Name} name
 * @param {Params<Name>} params
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer<Name>>}
 */
export async function ask(name, params, signal) {
  if (report) return { result: "runId" in params ? report.runs[params.runId] : report[name], mayChange: false };
  if (isFrame) {
    // Plain text, or the browser would ask first whether it may.
    const headers = { "content-type": "text/plain" };
    const body = JSON.stringify({ ticket, params });
    return await reach(addressOf("page", name), { method: "POST", credentials: "omit", headers, body, signal });
  }
  const url = addressOf("tab", name);
  url.searchParams.set("params", JSON.stringify(params));
  return await reach(url, { headers: token(), signal });
}

/**
 * Changes something.
 * @template {Change} Name
 * @param {Name} name
 * @param {Params<Name>} params
 * @returns {Promise<Answer<Name>["result"]>}
 */
export async function change(name, params) {
  const headers = { ...token(), "content-type": "application/json", "x-memory-page": "1" };
  return (await reach(addressOf("tab", name), { method: "PUT", headers, body: JSON.stringify(params) })).result;
}

/** @param {"page" | "tab"} base @param {string} name */
const addressOf = (base, name) => new URL(`../${base}/call/${name}`, location.href.split("#")[0]);

/** @returns {Record<string, string>} */
function token() {
  const kept = sessionStorage.getItem(TOKEN);
  return kept ? { authorization: `Bearer ${kept}` } : {};
}

/** @param {Response} response @returns {Promise<any>} */
async function answerOf(response) {
  if (response.status === 401) {
    throw new Refusal("unauthorized", isFrame ? "This tab was open for long. Open it again." : "The gateway does not take this token.");
  }
  const said = await response.json().catch(() => null);
  if (response.ok && said) return said;
  const message = said?.error?.message ?? `The gateway answered with ${response.status}.`;
  throw new Refusal("failed", typeof message === "string" ? message : "The gateway refused.");
}
