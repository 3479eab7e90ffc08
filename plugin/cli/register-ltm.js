// The commands `openclaw ltm …`, by the names users know from memory-lancedb.

import { action, numberOption } from "./options.js";

/** @typedef {any} Command A command of the host's own copy of commander. */

export const FACTS_COMMAND = { name: "ltm", description: "List, search and import stored facts" };

const limit = numberOption("--limit");

/**
 * @param {Command} program
 * @param {import("../host.js").Host} host
 */
export function addFactCommands(program, host) {
  const root = program.command(FACTS_COMMAND.name).description(FACTS_COMMAND.description);
  const agent = /** @type {const} */ (["--agent <id>", "Agent (default: the default agent)"]);
  root
    .command("list")
    .description("Show the stored facts; as JSON where the output is no terminal")
    .option(...agent)
    .option("--limit <n>", "Most facts (default: all)", limit)
    .option("--order-by-created-at", "Newest first", false)
    .option("--json", "Print JSON")
    .action(action("Command ltm list", async (/** @type {any} */ options) => (await import("./ltm.js")).runList(host, options)));
  root
    .command("search")
    .description("Show the facts nearest to a question; as JSON where the output is no terminal")
    .argument("<query>", "What to look for")
    .option(...agent)
    .option("--limit <n>", "Most facts (default: 5)", limit)
    .option("--json", "Print JSON")
    .action(
      action("Command ltm search", async (/** @type {string} */ query, /** @type {any} */ options) =>
        (await import("./ltm.js")).runFind(host, query, options),
      ),
    );
  root
    .command("stats")
    .description("Count the stored facts")
    .option(...agent)
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await import("./ltm.js")).runStats(host, options));
  root
    .command("import")
    .description("Take over the facts of memory-lancedb: a file with the JSON of its `ltm list` or `ltm query`, or JSON lines")
    .argument("<file>", "The exported file")
    .option(...agent)
    .option("--dry-run", "Say what would be taken, and stop there", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {string} */ file, /** @type {any} */ options) =>
      (await import("./ltm.js")).runFactImport(host, file, options),
    );
  root.action(() => root.outputHelp());
}
