// What the configuration file says by now, beside the settings that the host goes by. A host that cannot take a change over, as
// 2026.9 while a turn is at work, drops it and goes on with those of before: what somebody has switched off is off all the same.

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { errorText } from "../../lib/errors.js";
import { PLUGIN_ID } from "../../lib/package-info.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {Record<string, any>} Settings
 * @typedef {{files: string[], stamp: string, changedAt: number, config?: HostConfig, reading?: Promise<void>, told?: string}} Written
 */

/** How long a host may take to take a change over before it is said that it has not, in milliseconds. */
const PATIENCE_MS = 10_000;
/** Longest a reply waits for a file that has changed, in milliseconds. */
const READING_MS = 2000;
/** In the folder of all agents: that a gateway runs with other settings, for commands, which only see the file. */
const MARK = "older-settings.json";

/**
 * By state directory, what was last seen: a host registers many times, and what one registration reads is true for all.
 * @type {Map<string, Written>}
 */
const known = new Map();

/** Changes whenever one of the files is written. @param {string[]} files */
function stampOf(files) {
  const stamp = (/** @type {string} */ file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : "none";
  };
  return files.map(stamp).join("\n");
}

/** Where the host's configuration is. @param {Host} host */
export const configFile = (host) => process.env.OPENCLAW_CONFIG_PATH || path.join(host.stateDir(), "openclaw.json");

/**
 * Begins to look at the file: what the host goes by is what it says now, unless it is to be `read` first.
 * @param {Host} host
 * @param {{read?: boolean}} [how]
 */
export function beginWritten(host, { read = false } = {}) {
  const file = configFile(host);
  /** @type {Written} */
  const written = { files: [file], stamp: read ? "" : stampOf([file]), changedAt: Date.now() };
  known.set(host.stateDir(), written);
  return written;
}

/**
 * Reads the file where it has changed; undefined where it has not. One that a host would refuse changes nothing.
 * @param {Host} host
 * @returns {Promise<void> | undefined}
 */
export function readWritten(host) {
  const written = known.get(host.stateDir()) ?? beginWritten(host);
  if (written.reading) return written.reading;
  const stamp = stampOf(written.files);
  if (stamp === written.stamp) return undefined;
  const read = async () => {
    const found = await host.writtenConfig();
    // Also where it could not be read: the next turn must not wait for the same once more.
    Object.assign(written, { stamp, changedAt: Date.now() });
    if (!found) return;
    written.config = found.config;
    const others = found.files.filter((file) => !written.files.includes(file));
    written.files.push(...others);
    written.stamp = [stamp, ...(others.length > 0 ? [stampOf(others)] : [])].join("\n");
  };
  written.reading = read()
    .catch((error) => host.logger.warn(`${PLUGIN_ID}: the configuration file: ${errorText(error)}`))
    .finally(() => {
      written.reading = undefined;
    });
  return written.reading;
}

/**
 * The same for a reply, which does not wait long.
 * @param {Host} host
 */
export async function readWrittenInTime(host) {
  const reading = readWritten(host);
  if (!reading) return;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, READING_MS);
  });
  await Promise.race([reading, late]);
  clearTimeout(timer);
}

/**
 * The configuration that the file holds, where it was written since the host took its own.
 * @param {Host} host
 */
export const writtenConfig = (host) => known.get(host.stateDir())?.config;

/**
 * Settings of automatic memory without what is switched off in the file.
 * @param {Settings} now Those that the host goes by.
 * @param {Settings} written
 * @returns {Settings} The same where nothing is.
 */
export function withoutSwitchedOff(now, written) {
  /** @type {Settings} */
  const off = {};
  for (const name of ["autoRecall", "autoCapture", "captureOnCompaction"]) if (now[name] && !written[name]) off[name] = false;
  for (const name of ["shortTerm", "sessionNotes", "activeMemory"])
    if (now[name].enabled && !written[name].enabled) off[name] = { ...now[name], enabled: false };
  return Object.keys(off).length > 0 ? { ...now, ...off } : now;
}

/**
 * Says once of a change that the host has not taken over it in time, in the log and for commands.
 * @param {Host} host
 * @param {string[]} names Settings that differ.
 */
export function tellOlder(host, names) {
  const written = known.get(host.stateDir());
  if (!written?.config) return;
  const mark = markFile(host);
  if (names.length === 0) {
    if (written.told !== undefined) rmSync(mark, { force: true });
    written.told = undefined;
    return;
  }
  if (Date.now() - written.changedAt < PATIENCE_MS || written.told === written.stamp) return;
  written.told = written.stamp;
  host.logger.warn(`${PLUGIN_ID}: ${olderText(names)}`);
  try {
    writeFileSync(mark, JSON.stringify({ pid: process.pid, settings: names }));
  } catch (error) {
    host.logger.warn(`${PLUGIN_ID}: ${errorText(error)}`);
  }
}

/** @param {string[]} names */
export const olderText = (names) =>
  `the gateway runs with older settings than the configuration file (${names.join(", ")}); what is switched off there is off, and all else follows when it is restarted: openclaw gateway restart`;

/** A gateway that starts has the settings of the file. @param {Host} host */
export function clearOlder(host) {
  rmSync(markFile(host), { force: true });
}

/**
 * The settings that a running gateway has not taken over, as it said itself; none where none runs that said so.
 * @param {Host} host
 * @returns {string[]}
 */
export function olderSettings(host) {
  try {
    const { pid, settings } = JSON.parse(readFileSync(markFile(host), "utf8"));
    process.kill(pid, 0);
    return Array.isArray(settings) ? settings.map(String) : [];
  } catch {
    // There is no such file, or whoever wrote it is gone.
    return [];
  }
}

/** @param {Host} host */
const markFile = (host) => path.join(host.stateDir(), PLUGIN_ID, MARK);
