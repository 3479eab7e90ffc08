// What hosts do, by the first version that does it. Whatever differs from version to version is named here, or is asked of
// the host itself by looking for a function.

import { compareVersions } from "../lib/versions.js";

/** @typedef {keyof typeof SINCE} Ability */

const SINCE = {
  /** Embedding providers are plugins of their own; before, they came with memory-core. */
  providerPlugins: "2026.4.20",
  /** Loads no hook of its own unless the configuration asks for one. */
  hooksOnRequest: "2026.4.20",
  /** Other plugins see conversations only by a grant; before, the key of the grant is refused as an unknown one. */
  conversationGrant: "2026.4.24",
  /** Appends context to the user's message and keeps the transcript clean; before, context goes in front and stays there. */
  appendedContext: "2026.6.11",
  /** Lets a plugin run an agent with some of its tools only; before, it has all of them. */
  scopedAgentRuns: "2026.6.11",
  /** Has rules about who sees which conversation. */
  conversationRules: "2026.6.11",
  /** Shows a page of a plugin as a tab of its own; before, it takes one for a fault. */
  pluginTabs: "2026.8.0",
  /** Remembers under whose influence a memory file was written. */
  wordOrigins: "2026.8.0",
  /** Writes down in a conversation who has sent a message; between the clean transcript and this nothing in it tells. */
  namedSenders: "2026.8.1",
  /** Keeps conversations in a database of its own; before, in files. */
  conversationDatabase: "2026.8.1",
  /** Speaks to servers of `models.providers` for embeddings. */
  embeddingServers: "2026.8.1",
  /** A hook that is named keeps those away that are not, also when all are switched on. */
  namedHooksOnly: "2026.8.1",
  /** Tells a hook which tools the turn may use, and runs it after it knows. */
  toolAuthority: "2026.8.1",
  /** A plugin may say how much a model thinks when it asks for a completion. */
  completionReasoning: "2026.8.1",
  /** The bundled active memory asks only when a message calls for it; before, with every message. */
  escalatingRecall: "2026.8.1",
  /** Status lines of active memory name their fields. */
  namedStatusFields: "2026.6.11",
  /** Loads memory-core beside another memory plugin until "dreaming" is off. */
  memoryCoreBeside: "2026.8.1",
  /** Takes `disabled` in an answer of memory_get for "memory is off"; before, a failed read is known by it. */
  disabledMeansOff: "2026.8.1",
};

/**
 * @param {string} version For example `2026.9.6`.
 * @param {Ability} ability
 */
export function versionHas(version, ability) {
  return compareVersions(version, SINCE[ability]) >= 0;
}
