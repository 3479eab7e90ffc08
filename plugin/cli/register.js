// The commands `openclaw memory …`. What they do is loaded when one of them runs.
//
// The same commands are there as `openclaw memory-core-rs …`: on hosts from 2026.8.1 the name `memory` stays with
// memory-core until `setup` has run once, and `setup` must be reachable before that.

import { PLUGIN_ID } from "../../lib/package-info.js";
import { action, numberOption, originOption, textsOption } from "./options.js";
import { addConsolidateCommands } from "./register-consolidate.js";
import { addIntentCommands } from "./register-intents.js";
import { addFactCommands, FACTS_COMMAND } from "./register-ltm.js";
import { addStoreCommands } from "./register-store.js";

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
      (/** @type {{program: Command}} */ { program }) => addCommands(program.command(name).description(description), name, api, host),
      { descriptors: [{ name, description, hasSubcommands: true }] },
    );
  }
  api.registerCli((/** @type {{program: Command}} */ { program }) => addFactCommands(program, host), {
    descriptors: [{ ...FACTS_COMMAND, hasSubcommands: true }],
  });
}

/** @type {[string, string][]} */
const EXAMPLES = [
  ["setup", "Write what this host needs, take over what is there, and index"],
  ["index", "Bring the index up to date"],
  ['search "when do we deploy"', "Search"],
  ["status --deep", "Show the index and probe the embedding provider"],
  ['forget "old phone" --dry-run', "Show what would be taken out of memory"],
  ["doctor", "Check and repair the index"],
];

/** Two columns. @param {[string, string][]} rows */
function aligned(rows) {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

/**
 * @param {Command} root
 * @param {string} name
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
function addCommands(root, name, api, host) {
  root.addHelpText(
    "after",
    ["", "Examples:", ...aligned(EXAMPLES.map(([example, what]) => [`  openclaw ${name} ${example}`, what]))].join("\n"),
  );
  root
    .command("status")
    .description("Show the state of the memory index")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--json", "Print JSON")
    .option("--deep", "Compare with the disk and probe the embedding provider")
    .option("--index", "Index first what has changed (implies --deep)")
    .option("--fix", "Repair first what can be repaired, as openclaw memory doctor does", false)
    .option("--verbose", "Show the settings and where each comes from", false)
    .option("--all", "With the settings that are at their defaults (implies --verbose)", false)
    .action(async (/** @type {any} */ options) => (await import("./status.js")).runStatus(host, options));
  root
    .command("index")
    .description("Bring the memory index up to date")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--force", "Index every file anew; stored vectors are used again", false)
    .option("--rebuild", "Embed everything anew, for a model that was swapped under the same name; this may cost", false)
    .option("--dry-run", "Say what would be sent to the embedding provider, and stop there", false)
    .option("--cancel-batches", "Stop the provider's batch jobs that have not finished, and index nothing", false)
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
    .option("--max-results <n>", "Most results", numberOption("--max-results"))
    .option(
      "--after <n>",
      "Leave out the first n results, which are known: a search says how to go on where that is worth it",
      numberOption("--after"),
    )
    .option("--limit <n>", "The same as --max-results", numberOption("--limit"))
    .option("--min-score <n>", "Lowest score, 0 to 1", numberOption("--min-score", { whole: false }))
    .option("--since <day>", 'Nothing older: 2026-11-01, yesterday, "last week", 7d')
    .option("--until <day>", "Nothing newer")
    .option("--path <path>", "Only this file, folder or glob (repeatable)", textsOption("--path"), [])
    .option("--open", "Name each place as an absolute path:line, which terminals open", false)
    .option("--origin <class>", "Only words of owner, agent, untrusted or system (repeatable)", originOption)
    .option("--explain", "Show why each result is there", false)
    .option("--json", "Print JSON")
    .action(
      action("Memory search", async (/** @type {string | undefined} */ query, /** @type {any} */ options) =>
        (await import("./search.js")).runSearch(host, options.query ?? query, options),
      ),
    );
  const triggers = root.command("triggers").description("What brings curated lines back: <!-- trigger: words --> at their end");
  triggers.action(() => triggers.outputHelp());
  triggers
    .command("test")
    .description("Show which lines of MEMORY.md and USER.md a message brings back, and with what score")
    .argument("[message]", "The message")
    .option("--project <key>", "A project that is worked on (repeatable)", collected, [])
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--json", "Print JSON")
    .action(async (/** @type {string | undefined} */ message, /** @type {any} */ options) =>
      (await import("./triggers.js")).runTriggersTest(host, message, options),
    );
  addIntentCommands(root, host);
  root
    .command("captures")
    .description("Show what was captured by itself and why not, or take a capture back")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--limit <n>", "Most entries (default: 20)", numberOption("--limit"))
    .option("--undo <id>", "Take this capture out of its note again")
    .option("--json", "Print JSON")
    .action(action("Memory captures", async (/** @type {any} */ options) => (await import("./captures.js")).runCaptures(host, options)));
  root
    .command("report")
    .description("Write what the page in the gateway shows, but for its search, as one HTML file")
    .argument("[file]", "The file (default: memory-report-<agent>-<day>.html)")
    .option("--no-text", "Leave out every text, name and path: numbers, days and kinds only")
    .option("--png", "Also write its timeline and its map as pictures: <file>-timeline.png and <file>-map.png")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--json", "Print JSON")
    .action(async (/** @type {string | undefined} */ file, /** @type {any} */ options) =>
      (await import("./report.js")).runReport(host, file, options),
    );
  root
    .command("forget")
    .description("Show what memory has of passages, conversations, people or a time, and take it out under the id that is shown")
    .argument("[query]", "The passages that a search for these words shows")
    .option("--query <text>", "The same (wins over the argument)")
    .option("--path <path>", "A file or folder (repeatable); with words only what a search for them finds in it", textsOption("--path"), [])
    .option("--lines <range>", "Only these lines of the path, such as 7-9")
    .option("--session <id-or-key>", "A conversation, by its id or key (repeatable)", textsOption("--session"), [])
    .option("--person <id>", "All conversations with this person (repeatable)", textsOption("--person"), [])
    .option("--participant <id>", "The same as --person (repeatable)", textsOption("--participant"), [])
    .option(
      "--hook-source <name>",
      "All conversations that this source of a hook began, such as gmail (repeatable)",
      textsOption("--hook-source"),
      [],
    )
    .option(
      "--since <day>",
      "Only conversations that began then or later, and of words only passages of then or later (2026-11-01, yesterday, 7d); alone: all, and what was kept since",
    )
    .option("--until <day>", "Only conversations that began then or before, and of words only passages of then or before")
    .option("--quotes", "Also the lines of your own files that repeat it", false)
    .option("--max-results <n>", "Most passages of a query", numberOption("--max-results"))
    .option("--min-score <n>", "Lowest score of a passage, 0 to 1", numberOption("--min-score", { whole: false }))
    .option("--list", "Show what is forgotten", false)
    .option("--apply <id>", "Do what a preview has shown under this id")
    .option("--yes", "Do it at once", false)
    .option("--final", "Keep nothing that could undo it", false)
    .option("--undo <id>", "Put it back; whatever was taken out is kept for seven days")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--dry-run", "Show a preview with its id, and ask nothing", false)
    .option("--json", "Print JSON")
    .action(
      action("Memory forget", async (/** @type {string | undefined} */ query, /** @type {any} */ options) =>
        (await import("./forget.js")).runForget(host, query, options),
      ),
    );
  root
    .command("audit")
    .description("Show what memory has of conversations, people or a time, and which conversations it takes nothing from")
    .option("--session <id-or-key>", "A conversation, by its id or key (repeatable)", textsOption("--session"), [])
    .option("--person <id>", "All conversations with this person (repeatable)", textsOption("--person"), [])
    .option("--hook-source <name>", "All conversations that this source of a hook began (repeatable)", textsOption("--hook-source"), [])
    .option("--since <day>", "Only conversations that began then or later")
    .option("--until <day>", "Only conversations that began then or before")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--json", "Print JSON")
    .action(action("Memory audit", async (/** @type {any} */ options) => (await import("./audit.js")).runAudit(host, options)));
  root
    .command("reset")
    .description("Clear the index and its vectors, and nothing else; it is built anew from your files")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--yes", "Do not ask", false)
    .option("--keep-vectors", "Keep the vectors, which may have cost money", false)
    .option("--everything", "Remove all that an uninstalled plugin would leave on the disk, of every agent", false)
    .option("--database", "With --everything: also what a database keeps of every agent, for all gateways that share it", false)
    .option("--dry-run", "With --everything: only show it", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./admin.js")).runReset(host, options));
  root
    .command("doctor")
    .description("Check the index, repair what can be repaired, and say what was done")
    .option("--agent <id>", "Agent (default: all agents)")
    .option("--dry-run", "Check only", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./admin.js")).runDoctor(host, options));
  root
    .command("backup")
    .alias("export")
    .description("Write a consistent copy of the index, also while a gateway runs")
    .argument("[file]", "The copy, relative to the working directory (default: memory-<agent>-<date>.sqlite)")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--json", "Print JSON")
    .action(async (/** @type {string | undefined} */ file, /** @type {any} */ options) =>
      (await import("./admin.js")).runBackup(host, file, options),
    );
  root
    .command("restore")
    .description("Put a copy of the index back; what is there now is kept beside it, and your notes stay as they are")
    .argument("<file>", "A copy that `memory backup` has written, relative to the working directory")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--dry-run", "Check the copy, say what would be replaced, and stop there", false)
    .option("--yes", "Do not ask", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {string} */ file, /** @type {any} */ options) =>
      (await import("./restore.js")).runRestore(host, file, options),
    );
  root
    .command("setup")
    .description("Write what this host needs, take over what former memory plugins left, and index")
    .option("--yes", "Do not ask", false)
    .option("--dry-run", "Say what would be written, taken over and embedded, and stop there", false)
    .option("--undo", "Put back what setup changed in the configuration", false)
    .option("--no-index", "Write the configuration only")
    .option("--import-active-memory", "Take over the settings of the bundled active memory, and switch it off", false)
    .option("--agent <id>", "Index this agent only (default: all agents)")
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./setup.js")).runSetup(host, options));
  addStoreCommands(root, host);
  addConsolidateCommands(root, api, host);
  root.action(() => root.outputHelp());
}

/**
 * @param {string} value
 * @param {string[]} former
 */
function collected(value, former) {
  return [...former, value];
}
