// What a host version needs beyond the installation, and how to write it.
//
// From 2026.8.1 the host loads memory-core beside every other memory plugin while "dreaming" counts as enabled, which it
// does unless the slot's plugin says no in the configuration file; and conversation hooks of other plugins need a grant.

import { PLUGIN_ID } from "../lib/package-info.js";

/**
 * @typedef {import("./host.js").HostConfig} HostConfig
 * @typedef {{key: string, value: unknown, reason: string, met: (cfg: HostConfig) => boolean, apply: (draft: HostConfig) => void}} Requirement
 */

/** @param {HostConfig} cfg @returns {Record<string, any>} */
function entryOf(cfg) {
  return cfg.plugins?.entries?.[PLUGIN_ID] ?? {};
}

/** Our entry of a configuration that is being changed. @param {HostConfig} draft @returns {Record<string, any>} */
export function draftEntry(draft) {
  draft.plugins ??= {};
  draft.plugins.entries ??= {};
  draft.plugins.entries[PLUGIN_ID] ??= {};
  return draft.plugins.entries[PLUGIN_ID];
}

/** @type {(Requirement & {of?: import("./host-versions.js").Ability})[]} `of`: what makes a host ask for it; without, all do. */
const REQUIREMENTS = [
  {
    key: "plugins.slots.memory",
    value: PLUGIN_ID,
    reason: `the memory slot belongs to another plugin`,
    met: (cfg) => cfg.plugins?.slots?.memory === PLUGIN_ID,
    apply: (draft) => {
      draft.plugins ??= {};
      draft.plugins.slots = { ...draft.plugins.slots, memory: PLUGIN_ID };
    },
  },
  {
    of: "memoryCoreBeside",
    key: `plugins.entries.${PLUGIN_ID}.config.dreaming.enabled`,
    value: false,
    reason: "this host loads memory-core beside us until dreaming is off; its nightly runs end, ours: /dreaming on",
    met: (cfg) => entryOf(cfg).config?.dreaming?.enabled === false,
    apply: (draft) => {
      const entry = draftEntry(draft);
      entry.config = { ...entry.config, dreaming: { ...entry.config?.dreaming, enabled: false } };
    },
  },
  {
    of: "conversationGrant",
    key: `plugins.entries.${PLUGIN_ID}.hooks.allowConversationAccess`,
    value: true,
    reason: "conversations are closed to us until access is granted",
    met: (cfg) => entryOf(cfg).hooks?.allowConversationAccess === true,
    apply: (draft) => {
      const entry = draftEntry(draft);
      entry.hooks = { ...entry.hooks, allowConversationAccess: true };
    },
  },
];

/**
 * Whether hooks about conversations are called: newer hosts need a grant for it.
 * @param {import("./host.js").Host} host
 * @param {HostConfig} cfg
 */
export function mayHearConversations(host, cfg) {
  return !host.has("conversationGrant") || entryOf(cfg).hooks?.allowConversationAccess === true;
}

/**
 * The line of configuration that a requirement asks for.
 * @param {{key: string, value: unknown}} need
 */
export function lineOf({ key, value }) {
  return `${key} = ${JSON.stringify(value)}`;
}

/**
 * What is still missing on this host.
 * @param {import("./host.js").Host} host
 * @param {HostConfig} cfg The configuration as it is written down, see `Host.sourceConfig`.
 * @returns {Requirement[]}
 */
export function missingRequirements(host, cfg) {
  return requirementsOf(host).filter((need) => !need.met(cfg));
}

/**
 * What is there already, whoever has written it.
 * @param {import("./host.js").Host} host
 * @param {HostConfig} cfg As for `missingRequirements`.
 */
export function metRequirements(host, cfg) {
  return requirementsOf(host).filter((need) => need.met(cfg));
}

/** @param {import("./host.js").Host} host @returns {Requirement[]} */
function requirementsOf(host) {
  return REQUIREMENTS.filter((need) => !need.of || host.has(need.of));
}
