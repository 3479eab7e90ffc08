// The commands `openclaw memory …`. What they do is loaded when one of them runs.
//
// The same commands are there as `openclaw memory-core-rs …`: on hosts from 2026.8.1 the name `memory` stays with
// memory-core until `setup` has run once, and `setup` must be reachable before that.

import { PLUGIN_ID } from "../../lib/package-info.js";
import { addFactCommands, FACTS_COMMAND } from "./register-ltm.js";
import { numberOption } from "./options.js";

/** @typedef {any} Command A command of the host's own copy of commander. */

const NAMES = [
  { name: "memory", description: "Search, inspect and index memory files" },
  { name: PLUGIN_ID, description: "Set up and inspect the native memory engine (same commands as memory)" },
];

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function registerCli(api, host) {
  for (const { name, description } of NAMES) {
    api.registerCli(
      (/** @type {{program: Command}} */ { program }) => addCommands(program.command(name).description(description), name, host),
      { descriptors: [{ name, description, hasSubcommands: true }] },
    );
  }
  api.registerCli((/** @type {{program: Command}} */ { program }) => addFactCommands(program, host), {
    descriptors: [{ ...FACTS_COMMAND, hasSubcommands: true }],
  });
}

/**
 * @param {Command} root
 * @param {string} name
 * @param {import("../host.js").Host} host
 */
function addCommands(root, name, host) {
  root.addHelpText(
    "after",
    [
      "",
      "Examples:",
      `  openclaw ${name} setup                       Write what this host needs beyond the installation`,
      `  openclaw ${name} index                       Bring the index up to date`,
      `  openclaw ${name} search "when do we deploy"  Search`,
      `  openclaw ${name} status --deep               Show the index and probe the embedding provider`,
    ].join("\n"),
  );
  root
    .command("status")
    .description("Show the state of the memory index")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--json", "Print JSON")
    .option("--deep", "Compare with the disk and probe the embedding provider")
    .option("--index", "Index first what has changed (implies --deep)")
    .option("--verbose", "Show every setting and where it comes from", false)
    .action(async (/** @type {any} */ options) => (await import("./status.js")).runStatus(host, options));
  root
    .command("index")
    .description("Bring the memory index up to date")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--force", "Index every file anew; stored vectors are used again", false)
    .option("--dry-run", "Say what would be sent to the embedding provider, and stop there", false)
    .option("--json", "Print JSON")
    .option("--verbose", "Show the settings and every skipped file", false)
    .action(async (/** @type {any} */ options) => (await import("./index-command.js")).runIndex(host, options));
  root
    .command("import")
    .description("Take over the vectors of an index of memory-core; it is left as it is")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--dry-run", "Say what would be taken, and stop there", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./import-command.js")).runImport(host, options));
  root
    .command("search")
    .description("Search memory")
    .argument("[query]", "What to look for")
    .option("--query <text>", "What to look for (wins over the argument)")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--max-results <n>", "Most results", (/** @type {string} */ value) => numberOption(value, "--max-results", { whole: true }))
    .option("--min-score <n>", "Lowest score, 0 to 1", (/** @type {string} */ value) => numberOption(value, "--min-score"))
    .option("--explain", "Show why each result is there", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {string | undefined} */ query, /** @type {any} */ options) =>
      (await import("./search.js")).runSearch(host, options.query ?? query, options),
    );
  root
    .command("captures")
    .description("Show what was captured by itself and why not, or take a capture back")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--limit <n>", "Most entries (default: 20)", (/** @type {string} */ value) => numberOption(value, "--limit", { whole: true }))
    .option("--undo <id>", "Take this capture out of its note again")
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./captures.js")).runCaptures(host, options));
  root
    .command("setup")
    .description("Write to the configuration what this host needs beyond the installation")
    .option("--yes", "Do not ask", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./setup.js")).runSetup(host, options));
  root.action(() => root.outputHelp());
}
