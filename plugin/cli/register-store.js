// `openclaw memory store …`

/**
 * @param {any} root The command `memory`.
 * @param {import("../host.js").Host} host
 */
export function addStoreCommands(root, host) {
  const store = root.command("store").description("An index that is kept in a PostgreSQL database");
  store.action(() => store.outputHelp());
  const load = () => import("./store.js");
  store
    .command("schema")
    .description("Print the SQL that makes the tables, for whoever may make them; it can be run again, and asks no database")
    .option("--role <name>", "The role that the gateway logs in as: with what it has to be granted")
    .option("--schema <name>", "The schema (default: the one in the settings)")
    .option("--agent <id>", "Whose settings (default: the default agent)")
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await load()).runStoreSchema(host, options));
  store
    .command("adopt")
    .description("Make an index that is of other notes the one of this workspace; it shows first what would leave the index")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--dry-run", "Show what would change, and stop there", false)
    .option("--yes", "Do not ask", false)
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await load()).runStoreAdopt(host, options));
  store
    .command("copy")
    .description("Copy the vectors, which may have cost money, from the file to the database of the settings or back; both stay")
    .requiredOption("--to <driver>", "Where to: postgres or sqlite")
    .option("--agent <id>", "Agent (default: the default agent)")
    .option("--json", "Print JSON")
    .action(async (/** @type {any} */ options) => (await load()).runStoreCopy(host, options));
}
