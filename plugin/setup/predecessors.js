// The plugins whose work we take over, and which of their settings go where.

import { isRecord, pluginSettings } from "../../lib/config.js";
import { PLUGIN_ID } from "../../lib/package-info.js";

/**
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{key: string, value: unknown, reason: string}} Wanted
 * @typedef {{id: string, wanted: Wanted[], notes: string[]}} Predecessor `notes` says what changes for the user, or is not
 *   taken over, in sentences.
 */

/** Settings of ours that a plugin has under the same name. */
const PLUS = ["autoRecallMaxResults", "autoRecallMinPromptLength", "autoRecallMinScore", "autoCaptureMaxMessages"];
const SHORT_TERM = ["maxEntries", "maxInjectEntries", "maxInputChars", "maxOutputChars", "maxTaskChars", "maxTags"];

/** @param {HostConfig} cfg @param {string} id @returns {Record<string, any> | undefined} */
const entryOf = (cfg, id) => (isRecord(cfg.plugins?.entries?.[id]) ? cfg.plugins.entries[id] : undefined);

/** @param {string} name */
const ours = (name) => `plugins.entries.${PLUGIN_ID}.config.${name}`;

/** @param {string} id @param {string} name */
const theirs = (id, name) => `plugins.entries.${id}.config.${name}`;

/**
 * Settings under the same name.
 * @param {string} id
 * @param {Record<string, any>} config
 * @param {string[]} names
 * @param {string} [below] Where ours are.
 * @returns {Wanted[]}
 */
function sameNames(id, config, names, below = "") {
  return names
    .filter((name) => typeof config[name] === "number")
    .map((name) => ({ key: ours(`${below}${name}`), value: config[name], reason: `from ${theirs(id, name)}` }));
}

/**
 * A part that was on there: by its setting, else by the plugin's default.
 * @param {string} id
 * @param {Record<string, any>} config
 * @param {string} name
 * @param {boolean} fallback
 * @returns {Wanted[]}
 */
function switchOf(id, config, name, fallback) {
  if (!(config[name] ?? fallback)) return [];
  const reason = config[name] === undefined ? `on by default in ${id}` : `from ${theirs(id, name)}`;
  return [{ key: ours(name), value: true, reason }];
}

/** @type {{id: string, wasUsed: (entry: Record<string, any>) => boolean, take: (config: Record<string, any>) => Omit<Predecessor, "id">}[]} */
const PREDECESSORS = [
  {
    id: "memory-core",
    wasUsed: (entry) => isRecord(entry.config?.memoryPolicy?.excludeSessions),
    take: ({ memoryPolicy: { excludeSessions } }) => ({
      wanted: [
        {
          key: ours("memoryPolicy.excludeSessions"),
          value: excludeSessions,
          reason: `from ${theirs("memory-core", "memoryPolicy.excludeSessions")}`,
        },
      ],
      notes: ["Conversations that memory-core left out of dreaming are now left out of transcripts, captures and notes too."],
    }),
  },
  {
    id: "memory-core-plus",
    wasUsed: (entry) => entry.enabled === true || isRecord(entry.config),
    take: (config) => ({
      wanted: [
        ...switchOf("memory-core-plus", config, "autoRecall", true),
        ...switchOf("memory-core-plus", config, "autoCapture", true),
        ...sameNames("memory-core-plus", config, PLUS),
      ],
      notes: ['Facts are found by rules, without a model call; autoCaptureMode: "extract" asks the model as memory-core-plus did.'],
    }),
  },
  {
    id: "short-term-memory",
    wasUsed: (entry) => entry.enabled === true || isRecord(entry.config),
    take: (config) => ({
      wanted: [
        { key: ours("shortTerm.enabled"), value: true, reason: "the turns that short-term-memory recorded go on in the same file" },
        ...sameNames("short-term-memory", config, SHORT_TERM, "shortTerm."),
        { key: "plugins.entries.short-term-memory.enabled", value: false, reason: "else the last turns are shown twice" },
      ],
      notes: ["Only turns of other conversations are shown; those of the same one are in the prompt already."],
    }),
  },
  {
    id: "memory-lancedb",
    // Hosts of 2026.4 write an entry for it that is off, whether it was ever used or not.
    wasUsed: (entry) => isRecord(entry.config),
    take: (config) => ({
      wanted: [
        { key: ours("storedFacts.enabled"), value: true, reason: "the tools memory_store, memory_recall and memory_forget" },
        ...switchOf("memory-lancedb", config, "autoRecall", true),
        ...switchOf("memory-lancedb", config, "autoCapture", false),
      ],
      notes: ["Its embedding key and model are not taken over: facts are searched as memory search is set."],
    }),
  },
];

/**
 * The plugins that were used before us, with what is to be written for each. What is set already stays as it is.
 * @param {HostConfig} cfg The configuration as it is written down.
 * @returns {Predecessor[]}
 */
export function predecessors(cfg) {
  const set = pluginSettings(cfg);
  return PREDECESSORS.flatMap(({ id, wasUsed, take }) => {
    const entry = entryOf(cfg, id);
    if (!entry || !wasUsed(entry)) return [];
    const { wanted, notes } = take(isRecord(entry.config) ? entry.config : {});
    const open = wanted.filter(({ key }) => !key.startsWith(ours("")) || at(set, key.slice(ours("").length)) === undefined);
    return [{ id, wanted: open, notes }];
  });
}

/** @param {Record<string, any>} settings @param {string} name @returns {unknown} */
const at = (settings, name) =>
  name.split(".").reduce((value, part) => (isRecord(value) ? value[part] : undefined), /** @type {unknown} */ (settings));
