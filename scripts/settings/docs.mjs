// The table as a page for people.

import { defaultText } from "./table.mjs";

/** @typedef {import("./table.mjs").Setting} Setting */

const HEAD = `<!-- Made of crates/model/settings.toml by "npm run settings". -->

# Settings

All of them stand in \`plugins.entries.memory-core-rs.config\`, and those of one agent below \`agents.<id>\` there. Those for
searching may also stand where memory-core reads them. The strongest place that has a usable value wins; from weak to strong:

1. the defaults below
2. \`agents.defaults.memorySearch\`
3. \`memory.search\` (hosts from 2026.8 on)
4. the agent's own entry, \`agents.list[].memorySearch\` or \`agents.entries.<id>.memory.search\`
5. \`plugins.entries.memory-core-rs.config\`
6. \`plugins.entries.memory-core-rs.config.agents.<id>\`

\`extraPaths\` of all places are taken together. The host looks at our entry first, by the ranges
and types below: where a value is of another type, out of its range or of no setting, it says which and takes none of the
configuration, and neither the gateway nor \`openclaw memory\` starts. Below \`agents.<id>\`, which it does not look into, numbers
outside their range are moved to its border, and \`openclaw memory status\` says so.
\`openclaw memory status --verbose\` shows what holds for an agent, where each value comes from, and what was adjusted.
`;

/** @param {Setting[]} settings */
export function renderDocs(settings) {
  const tops = settings.filter(({ key, type }) => type !== "group" && !key.includes("."));
  const groups = settings.filter(({ key, type }) => type === "group" && !key.includes("."));
  const parts = groups.map(({ key, text }) => {
    const below = settings.filter((setting) => setting.key.startsWith(`${key}.`));
    const notes = below.filter(({ type }) => type === "group").map((group) => `\`${group.key}\`: ${group.text}`);
    return [`## \`${key}\``, "", [text, ...notes].join("\n\n"), "", ...rows(below)].join("\n");
  });
  return `${[HEAD, "## General", "", ...rows(tops), "", parts.join("\n\n")].join("\n")}\n`;
}

/** @param {Setting[]} settings */
function rows(settings) {
  return [
    "| Setting | Values | Default | |",
    "| --- | --- | --- | --- |",
    ...settings
      .filter(({ type }) => type !== "group")
      .map((setting) => `| \`${setting.key}\` | ${cell(values(setting))} | ${cell(defaultText(setting) ?? "")} | ${cell(setting.text)} |`),
  ];
}

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "\\<");

/** @param {Setting} setting */
function values({ type, range: [lowest, highest] = [], values: words, typescript }) {
  if (words) return words.map((word) => `\`${word}\``).join(", ");
  if (typescript) return SPECIAL[typescript] ?? `\`${typescript}\``;
  if (type === "switch") return "`true`, `false`";
  if (lowest === undefined) return "a text";
  return highest === undefined ? `from ${lowest}` : `${lowest} to ${highest}`;
}

/** Types that are no help to people, in their words. @type {Record<string, string>} */
const SPECIAL = {
  "string | SecretReference": "a text, or a secret of the host",
  "Record<string, string | SecretReference>": "names with texts, or secrets of the host",
  "(string | { path: string; pattern?: string })[]": "a list of texts, or of `{ path, pattern }`",
  'Record<string, Omit<PluginSettings, "agents">>': "agents with their settings",
  '("memory" | "sessions")[]': "a list of `memory`, `sessions`",
  'boolean | "remote"': "`true`, `false`, `remote`",
};
