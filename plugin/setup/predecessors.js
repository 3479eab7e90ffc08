// The plugins whose work we take over, and which of their settings go where.

import { isRecord, pluginSettings } from "../../lib/config.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { nearest } from "./ranges.js";

/**
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {{key: string, value: unknown, reason: string}} Wanted
 * @typedef {{id: string, wanted: Wanted[], notes: string[]}} Predecessor `notes` says what changes for the user, or is not
 *   taken over, in sentences.
 * @typedef {{acts?: Wanted[], quiet: Wanted[], notes: string[]}} Taken `acts` is what does something by itself from then on.
 */

/** Settings of ours that a plugin has under the same name. */
const PLUS = ["autoRecallMaxResults", "autoRecallMinPromptLength", "autoRecallMinScore", "autoCaptureMaxMessages"];
const SHORT_TERM = ["maxEntries", "maxInjectEntries", "maxInputChars", "maxOutputChars", "maxTaskChars", "maxTags"];

/** What becomes of the nightly runs of memory-core. */
const DREAMING =
  "Its nightly runs (dreaming) end. Ours is consolidation, and off until you say so: `/dreaming on` plans every night, `/dreaming on apply` also writes.";

/** @param {HostConfig} cfg @param {string} id @returns {Record<string, any> | undefined} */
const entryOf = (cfg, id) => (isRecord(cfg.plugins?.entries?.[id]) ? cfg.plugins.entries[id] : undefined);

/** @param {string} name */
const ours = (name) => `plugins.entries.${PLUGIN_ID}.config.${name}`;

/** @param {string} id @param {string} name */
const theirs = (id, name) => `plugins.entries.${id}.config.${name}`;

/**
 * Settings under the same name, each as near as ours takes it.
 * @param {string} id
 * @param {Record<string, any>} config
 * @param {string[]} names
 * @param {string} [below] Where ours are.
 * @returns {{quiet: Wanted[], notes: string[]}}
 */
function sameNames(id, config, names, below = "") {
  const found = names
    .filter((name) => typeof config[name] === "number" && !Number.isNaN(config[name]))
    .map((name) => ({ name, was: config[name], ...nearest(`${below}${name}`, config[name]) }));
  return {
    quiet: found.map(({ name, value }) => ({ key: ours(`${below}${name}`), value, reason: `from ${theirs(id, name)}` })),
    notes: found.flatMap(({ name, was, value, takes }) =>
      takes ? [`${name} is taken over as ${value} instead of ${was}: ours takes ${takes}.`] : [],
    ),
  };
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

/** @type {{id: string, wasUsed: (entry: Record<string, any>) => boolean, take: (config: Record<string, any>, now: {isOff: boolean, set: Record<string, any>}) => Taken}[]} */
const PREDECESSORS = [
  {
    id: "memory-core",
    wasUsed: ({ config }) => isRecord(config?.memoryPolicy?.excludeSessions) || config?.dreaming?.enabled === true,
    take: ({ memoryPolicy, dreaming }, { set }) => {
      const excludeSessions = memoryPolicy?.excludeSessions;
      const reason = `from ${theirs("memory-core", "memoryPolicy.excludeSessions")}`;
      return {
        quiet: isRecord(excludeSessions) ? [{ key: ours("memoryPolicy.excludeSessions"), value: excludeSessions, reason }] : [],
        notes: [
          ...(isRecord(excludeSessions)
            ? ["Conversations that memory-core left out of dreaming are now left out of transcripts, captures and notes too."]
            : []),
          ...(dreaming?.enabled === true && set.consolidation?.mode === undefined ? [DREAMING] : []),
        ],
      };
    },
  },
  {
    id: "memory-core-plus",
    wasUsed: (entry) => entry.enabled === true || isRecord(entry.config),
    take: (config, { isOff }) => {
      const { quiet, notes } = sameNames("memory-core-plus", config, PLUS);
      const how = 'Facts are found by rules, without a model call; autoCaptureMode: "extract" asks the model as memory-core-plus did.';
      return {
        acts: [...switchOf("memory-core-plus", config, "autoRecall", true), ...switchOf("memory-core-plus", config, "autoCapture", true)],
        quiet,
        notes: isOff ? notes : [how, ...notes],
      };
    },
  },
  {
    id: "short-term-memory",
    // It has no slot, so that nobody but its owner has switched it off.
    wasUsed: ({ enabled, config }) => enabled === true || (enabled !== false && isRecord(config)),
    take: (config) => {
      // Ours keeps only what it shows.
      if (config.maxInjectEntries <= 0)
        return {
          quiet: [],
          notes: [`maxInjectEntries is ${config.maxInjectEntries}, so that it shows nothing: it stays as it is, and shortTerm stays off.`],
        };
      const { quiet, notes } = sameNames("short-term-memory", config, SHORT_TERM, "shortTerm.");
      return {
        acts: [{ key: ours("shortTerm.enabled"), value: true, reason: "the turns that short-term-memory recorded go on in the same file" }],
        quiet: [
          ...quiet,
          { key: "plugins.entries.short-term-memory.enabled", value: false, reason: "else the last turns are shown twice" },
        ],
        notes: ["Only turns of other conversations are shown; those of the same one are in the prompt already.", ...notes],
      };
    },
  },
  {
    id: "memory-lancedb",
    // Hosts of 2026.4 write an entry for it that is off, whether it was ever used or not.
    wasUsed: (entry) => isRecord(entry.config),
    take: (config, { isOff }) => ({
      acts: [
        { key: ours("storedFacts.enabled"), value: true, reason: "the tools memory_store, memory_recall and memory_forget" },
        ...switchOf("memory-lancedb", config, "autoRecall", true),
        ...switchOf("memory-lancedb", config, "autoCapture", false),
      ],
      quiet: [],
      notes: isOff ? [] : ["Its embedding key and model are not taken over: facts are searched as memory search is set."],
    }),
  },
];

/**
 * The plugins that were used before us, with what is to be written for each. What is set already stays as it is.
 *
 * Nothing that acts by itself is switched on for a plugin that is off, unless it is off because the slot went to another: of
 * one that is not in `onInSlot` nobody can tell.
 * @param {HostConfig} cfg The configuration as it is written down.
 * @param {Set<string>} onInSlot Plugins that were on as long as they had the memory slot.
 * @returns {Predecessor[]}
 */
export function predecessors(cfg, onInSlot) {
  const set = pluginSettings(cfg);
  const isOpen = (/** @type {Wanted} */ { key }) => !key.startsWith(ours("")) || at(set, key.slice(ours("").length)) === undefined;
  return PREDECESSORS.flatMap(({ id, wasUsed, take }) => {
    const entry = entryOf(cfg, id);
    if (!entry || !wasUsed(entry)) return [];
    const hasLeftSlot = onInSlot.has(id) && cfg.plugins?.slots?.memory !== id;
    const isOff = entry.enabled === false && !hasLeftSlot;
    const { acts = [], quiet, notes } = take(isRecord(entry.config) ? entry.config : {}, { isOff, set });
    const [openActs, openQuiet] = [acts.filter(isOpen), quiet.filter(isOpen)];
    if (!isOff) return [{ id, wanted: [...openActs, ...openQuiet], notes }];
    return [{ id, wanted: openQuiet, notes: [...(openActs.length > 0 ? [leftOff(openActs)] : []), ...notes] }];
  });
}

/** What a plugin did that is off, and how to go on with it. @param {Wanted[]} acts */
function leftOff(acts) {
  const names = acts.map(({ key }) => key.slice(ours("").length));
  const commands = acts.map(({ key }) => `openclaw config set ${key} true`);
  return `It is off, so what it did stays off: ${names.join(", ")}. To go on with it: ${commands.join("; ")}`;
}

/** @param {Record<string, any>} settings @param {string} name @returns {unknown} */
const at = (settings, name) =>
  name.split(".").reduce((value, part) => (isRecord(value) ? value[part] : undefined), /** @type {unknown} */ (settings));
