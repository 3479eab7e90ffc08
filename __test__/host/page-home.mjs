// A real gateway whose memory has something to show in each view of the page.

import { expect } from "vitest";
import { eventually, memoryHost } from "./memory-host.mjs";

export const TOKEN = { authorization: "Bearer test-token" };

/** What notes may hold: nothing of it may run, or make the page wider than a phone. */
const HOSTILE = [
  "<img src=x onerror=\"window.hacked='img';alert(1)\">",
  "<script>window.hacked='script';alert(2)</script>",
  "[harbour link](javascript:window.hacked='link')",
  "<svg onload=\"window.hacked='svg'\"><a xlink:href='javascript:alert(3)'><text>x</text></a></svg>",
  "\u202eright to left harbour\u202c שלום harbour",
  `harbour${"w".repeat(400)}`,
  "הנמל נסגר בערב, harbour",
];

/** What line 250 of a long note is about. */
export const PROPELLER = "the spare propeller";

export const INVOICES = "Invoices go out on the 5th of the month.";

/** A note whose name is of another century by a slip, and as long as some file systems take. */
export const SLIP = `memory/2126-11-30-${"w".repeat(211)}.md`;

/** @param {number} ago */
const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

export const FILES = {
  ...Object.fromEntries([1, 2, 3].map((ago) => [`memory/${day(ago)}.md`, `# Day\n\n- ${INVOICES}\n`])),
  "MEMORY.md": "# Memory\n- The yard gate opens with code 4711. <!-- trigger: gate, yard -->\n",
  "memory/2025-11-20.md": `# Harbour\n\n${HOSTILE.join("\n\n")}\n`,
  [SLIP]: "# Slip\n\n- The lamp in the cellar is green.\n",
  "memory/2016-03-04.md": "# Long ago\n\n- The first bicycle was red.\n",
  "memory/facts.md": "# Facts\n\n- [preference] The window seat is the best one.\n",
  "memory/long-list.md": Array.from({ length: 300 }, (_, n) => `- Shelf ${n + 1} holds ${n === 249 ? PROPELLER : `box ${n + 1}`}.\n`).join(
    "",
  ),
  "memory/2025-11-21.md": "# Friday\n\n- Mara likes sencha tea in the boat house.\n",
};

const INTENT = {
  action: "create",
  description: "Ask whether the anchor was mended",
  triggerKeywords: ["boat"],
  scope: "anywhere",
  senderScope: "anyone",
};

const RULES = [
  { on: "system", match: "flush turn", reply: "NO_REPLY" },
  { match: "whenever I mention", tool: "intent", toolCall: { name: "intent", arguments: INTENT } },
  { match: ".", reply: "HELLO" },
];

/** @param {Response} response @returns {Promise<any>} */
export const said = async (response) => await response.json();

/** @param {string} version */
export async function gatewayWithPage(version) {
  const home = await memoryHost(version, { files: FILES, rules: RULES });
  await home.host.configure({ autoCapture: true, autoRecall: true, consolidation: { mode: "plan" } });
  await home.host.startGateway();
  const origin = `http://127.0.0.1:${home.host.port}`;
  const base = `${origin}/memory-core-rs`;
  /** @param {string} name @param {Record<string, unknown>} params @param {RequestInit} [init] */
  const ask = async (name, params, init = { headers: TOKEN }) =>
    await fetch(`${base}/tab/call/${name}?params=${encodeURIComponent(JSON.stringify(params))}`, init);
  /** @param {string} name @param {Record<string, unknown>} params */
  const put = async (name, params) =>
    await fetch(`${base}/tab/call/${name}`, { method: "PUT", headers: { ...TOKEN, "x-memory-page": "1" }, body: JSON.stringify(params) });
  const isIndexed = async () => {
    const { result } = await said(await ask("search", { query: "sencha tea" }));
    return result?.hits.some((/** @type {any} */ hit) => hit.path === "memory/2025-11-21.md");
  };
  expect(await eventually(isIndexed), home.host.gatewayOutput.slice(-2000)).toBe(true);
  return { ...home, origin, base, ask, put };
}
