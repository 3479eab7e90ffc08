// `openclaw memory reset --everything`: what an uninstalled plugin would leave on the disk, beside the user's notes.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { codedError, errorCause, errorCode, errorRemedy, inWords } from "../../lib/errors.js";
import { closeAllMemoryIndexManagers } from "../../lib/manager-registry.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { agreed } from "./confirm.js";
import { bytesOf } from "./disk.js";
import { forEveryIndex, indexesElsewhere, removeIndexes } from "./index-files.js";
import { irreplaceable, irreplaceableText } from "./irreplaceable.js";
import { rowsInDatabases, rowsText } from "./leave-database.js";
import { byteText, counted, paint, print, printJson } from "./output.js";
import { removeTree, withLogs } from "./remove-tree.js";

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
    {
      path: own,
      what: "indexes with their vectors, the embedded model, standing intents, what was forgotten, logs and queues of automatic memory",
    },
    ...turns.map((file) => ({ path: file, what: "the last turns of conversations" })),
  ];
  const sized = await Promise.all(places.map(async (place) => ({ ...place, bytes: await bytesOf(place.path) })));
  return sized.filter(({ bytes }) => bytes > 0);
}

/**
 * What processes that were killed have left beside notes, by folder. With `remove` it is gone.
 * @param {import("../host.js").Host} host
 * @param {{remove: boolean}} options
 * @returns {Promise<Left[]>}
 */
async function unfinishedTexts(host, { remove }) {
  const own = path.join(host.stateDir(), PLUGIN_ID);
  /** @type {Map<string, Left>} */
  const left = new Map();
  await forEveryIndex(host, "Texts that a killed process was writing were not looked for", async (request) => {
    // Our own folder goes as a whole.
    for (const { folder, files, bytes } of await native().unfinishedTexts(request, remove))
      if (!`${folder}${path.sep}`.startsWith(`${own}${path.sep}`))
        left.set(folder, { path: folder, bytes, what: `of it only ${counted(files, "text")} that a killed process was writing` });
  });
  return [...left.values()];
}

/**
 * @param {import("../host.js").Host} host
 * @param {{yes?: boolean, dryRun?: boolean, database?: boolean, json?: boolean}} options
 */
export async function resetEverything(host, { yes, dryRun, database, json }) {
  const { indexes, foreign } = await indexesElsewhere(host);
  const stay = withLogs(foreign);
  const places = await withoutOthers(await leftOnDisk(host.stateDir()), stay);
  const texts = await unfinishedTexts(host, { remove: false });
  const left = [
    ...places,
    ...indexes.flatMap(({ agentId, files }) => files.map((file) => ({ ...file, what: `index of ${agentId}` }))),
    ...texts,
  ];
  const rows = await rowsInDatabases(host);
  const [going, staying] = database ? [rows, []] : [[], rows];
  const kept = staying.filter(({ forgotten }) => forgotten > 0).map(({ agentId }) => agentId);
  const lost = await irreplaceable(host, indexes, kept);
  const told = irreplaceableText(lost);
  const stays = foreign.map((file) => `${paint("cyan", file)} is no index of ours, or a link, and stays.`);
  stays.push(...staying.map((row) => rowsText(row, true)));
  if (!json) {
    if (left.length + going.length === 0) return print([...stays, "Nothing of ours is on this disk."].join("\n"));
    for (const { path: place, bytes, what } of left) print(`${paint("cyan", place)} (${byteText(bytes)}): ${what}`);
    for (const row of going) print(rowsText(row, false));
    for (const line of stays) print(line);
    print("Stop the gateway first: a running one makes its index anew. Notes in your workspaces stay as they are.");
    if (told) print(paint("yellow", `Nothing can make these again: ${told}.`));
    if (lost.setup > 0) print("Put those settings back first, while the record is there: `openclaw memory setup --undo`.");
    if (lost.intents > 0) print("Keep the intents of an agent with `openclaw memory intents export`.");
    if (lost.forgotten > 0) print("What was forgotten and still stands in notes or conversations would be indexed again.");
  }
  const question = `Remove all of this? What was paid for vectors is lost${told ? `, and so are ${told}` : ""}. [y/N] `;
  const agreedTo = { not: "Nothing was removed", to: "remove it" };
  if (dryRun) return json ? printJson({ removed: [], left, lost, foreign, database: rows }) : print("Nothing was removed.");
  if (!(await agreed(question, { yes, json }, agreedTo))) return;
  await closeAllMemoryIndexManagers();
  const before = await bytesLeft(left);
  // First, as the way to it goes with the rest.
  for (const row of going) await row.remove();
  await unfinishedTexts(host, { remove: true });
  const faults = await removeIndexes(indexes);
  for (const { path: place } of places) faults.push(...(await removeTree(place, stay)));
  if (faults.length > 0) throw notRemoved(faults, { all: going.length === 0 && (await bytesLeft(left)) === before });
  return json ? printJson({ removed: left, left: [], lost, foreign, database: staying }) : print("Removed.");
}

/**
 * What is left of places where files of other programs stay; nothing of one that holds nothing else.
 * @param {Left[]} places
 * @param {string[]} stay
 */
async function withoutOthers(places, stay) {
  const sized = places.map(async (place) => {
    const others = await Promise.all(stay.filter((file) => file.startsWith(place.path + path.sep)).map(bytesOf));
    return { ...place, bytes: place.bytes - others.reduce((sum, bytes) => sum + bytes, 0) };
  });
  return (await Promise.all(sized)).filter(({ bytes }) => bytes > 0);
}

/** @param {Left[]} places */
async function bytesLeft(places) {
  const sizes = await Promise.all(places.map(({ path: place }) => bytesOf(place)));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * What is still there, and whether that is all of it: a disk that is read-only gives nothing away.
 * @param {unknown[]} faults
 * @param {{all: boolean}} still
 */
function notRemoved(faults, { all }) {
  const [first] = faults.map(inWords);
  const more = faults.length > 1 && !all ? `, and ${counted(faults.length - 1, "other place")} could not be removed` : "";
  const remedy = `${errorRemedy(first) ?? "Stop what uses it, then try again"}; \`openclaw memory reset --everything\` shows what is left`;
  const cause = `${all ? "nothing was removed" : "all was removed but this"}: ${errorCause(first)}${more}`;
  const code = errorCode(first);
  return codedError(code?.startsWith("MEM_") ? code : "MEM_IO", cause, { remedy, cause: faults[0] });
}
