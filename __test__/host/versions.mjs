// Which suites run on which real hosts: installation to removal on the oldest host and the newest each time, the old promises on
// one of the two and the other the next time, everything else by turns. All of it on both took more than an hour on a slow machine.

import { existsSync, readdirSync } from "node:fs";

/** The oldest supported host and the newest. */
export const ALWAYS = ["2026.4.12", "2026.9.6"];
export const BY_TURNS = ["2026.6.11", "2026.8.2"];

/** What a user does from installation to removal; it runs on every host of a run. */
const BASE = "openclaw";
/** What must work in every run, on the oldest host or on the newest. */
const EACH_TIME = ["automatic", "automatic-facts", "automatic-safety", "providers", "takeover", "transcripts"];
/** How many suites beside the base have their turn at a time, on a host between. */
const AT_A_TIME = 1;

/** The suites, by the names of their files. */
const suites = readdirSync(new URL(".", import.meta.url))
  .map((name) => /^([a-z-]+)-\d[\d.]*\.test\.mjs$/.exec(name)?.[1])
  .filter((name) => name !== undefined);
/** Suites beside the base. */
export const features = [...new Set(suites)].filter((suite) => suite !== BASE).sort();
const others = features.filter((suite) => !EACH_TIME.includes(suite));

/** After how many turns every suite has run on every host. */
export const TURNS = BY_TURNS.length * Math.ceil(features.length / AT_A_TIME);

/**
 * The suites of one host.
 * @typedef {{version: string, suites: string[]}} HostRun
 */

/** What runs each time, on the oldest host and on the newest. @param {number} turn From 0. @returns {HostRun[]} */
export function always(turn) {
  return ALWAYS.map((version, host) => {
    const due = EACH_TIME.filter((_, suite) => (turn + suite) % ALWAYS.length === host);
    return { version, suites: [BASE, ...due] };
  });
}

/** Everything on every host. @returns {HostRun[]} */
export function everything() {
  return [...ALWAYS, ...BY_TURNS].map((version) => ({ version, suites: [BASE, ...features] }));
}

/** What has its turn: one of the other suites on one of these two, and what runs on a host between. @param {number} turn From 0. @returns {HostRun[]} */
export function byTurns(turn) {
  const other = others[turn % others.length];
  const itsHost = ALWAYS[Math.floor(turn / others.length) % ALWAYS.length];
  const version = BY_TURNS[turn % BY_TURNS.length];
  const from = Math.floor((turn % TURNS) / BY_TURNS.length) * AT_A_TIME;
  return [
    { version: itsHost, suites: [other] },
    { version, suites: [BASE, ...features.slice(from, from + AT_A_TIME)] },
  ];
}

/** A suite about what a host does not have yet has no file for it. @param {HostRun} run */
export const filesOf = ({ version, suites: names }) =>
  names
    .map((name) => `${name}-${version}.test.mjs`)
    .filter((name) => existsSync(new URL(name, import.meta.url)))
    .map((name) => `__test__/host/${name}`);
