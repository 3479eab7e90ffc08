// `openclaw memory reset --everything`: what an uninstalled plugin would leave on the disk, beside the user's notes.

import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { closeAllMemoryIndexManagers } from "../../lib/manager-registry.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { confirmed } from "./confirm.js";
import { bytesOf } from "./disk.js";
import { byteText, paint, print, printJson } from "./output.js";

/** Turns of the default agent, whose file is where the plugin short-term-memory kept it. */
const SHORT_TERM = /^short-term(?:-[\d-]+)?\.jsonl$/;

/** @typedef {{path: string, bytes: number, what: string}} Left */

/**
 * What we keep outside the workspaces.
 * @param {string} stateDir
 * @returns {Promise<Left[]>}
 */
export async function leftOnDisk(stateDir) {
  const own = path.join(stateDir, PLUGIN_ID);
  const memory = path.join(stateDir, "memory");
  const turns = (await readdir(memory).catch(() => [])).filter((name) => SHORT_TERM.test(name)).map((name) => path.join(memory, name));
  const places = [
    { path: own, what: "indexes with their vectors, the embedded model, what was forgotten, logs and queues of automatic memory" },
    ...turns.map((file) => ({ path: file, what: "the last turns of conversations" })),
  ];
  const sized = await Promise.all(places.map(async (place) => ({ ...place, bytes: await bytesOf(place.path) })));
  return sized.filter(({ bytes }) => bytes > 0);
}

/**
 * @param {import("../host.js").Host} host
 * @param {{yes?: boolean, dryRun?: boolean, json?: boolean}} options
 */
export async function resetEverything(host, { yes, dryRun, json }) {
  const left = await leftOnDisk(host.stateDir());
  if (!json) {
    if (left.length === 0) return print("Nothing of ours is on this disk.");
    for (const { path: place, bytes, what } of left) print(`${paint("cyan", place)} (${byteText(bytes)}): ${what}`);
    print("Stop the gateway first: a running one makes its index anew. Notes in your workspaces stay as they are.");
  }
  const agreed =
    !dryRun && (yes || (await confirmed("Remove all of this? What was paid for vectors is lost. [y/N] ", { fallback: false })));
  if (!agreed) {
    if (!dryRun) process.exitCode = 1;
    return json ? printJson({ removed: [], left }) : print("Nothing was removed. Use --yes to remove it without a question.");
  }
  await closeAllMemoryIndexManagers();
  for (const { path: place } of left) await rm(place, { recursive: true, force: true });
  return json ? printJson({ removed: left, left: [] }) : print("Removed.");
}
