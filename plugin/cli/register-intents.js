// `openclaw memory intents …`

/**
 * @param {any} root The command `memory`.
 * @param {import("../host.js").Host} host
 */
export function addIntentCommands(root, host) {
  const intents = root.command("intents").description('Standing intents: "whenever I mention X, remind me of Y"');
  intents.action(() => intents.outputHelp());
  /** @param {string} name @param {string} description @param {string} [argument] @param {string} [about] */
  const command = (name, description, argument, about) => {
    const made = intents.command(name).description(description);
    if (argument) made.argument(argument, about);
    return made.option("--agent <id>", "Agent (default: the default agent)").option("--json", "Print JSON");
  };
  const load = () => import("./intents.js");
  command("list", "Show those that may come up, oldest first")
    .option("--all", "Those that are over as well")
    .option("--status <status>", "Only pending, armed, fired, done, expired or cancelled")
    .action(async (/** @type {any} */ options) => (await load()).runIntentsList(host, options));
  command("show", "Show one with all that happened to it", "<id>", "Its id, or the beginning of it").action(
    async (/** @type {string} */ id, /** @type {any} */ options) => (await load()).runIntentsShow(host, id, options),
  );
  command("cancel", "Take one back", "<id>", "Its id, or the beginning of it").action(
    async (/** @type {string} */ id, /** @type {any} */ options) => (await load()).runIntentsCancel(host, id, options),
  );
  command("test", "Show what a message would bring up", "[message]", "The message").action(
    async (/** @type {string | undefined} */ message, /** @type {any} */ options) => (await load()).runIntentsTest(host, message, options),
  );
  command("history", "Show what happened to all of them, oldest first").action(async (/** @type {any} */ options) =>
    (await load()).runIntentsHistory(host, options),
  );
  command("export", "Print all of them as JSON").action(async (/** @type {any} */ options) =>
    (await load()).runIntentsExport(host, options),
  );
  command("import", "Take over what memory-core has armed; a gateway does it when it starts").action(async (/** @type {any} */ options) =>
    (await load()).runIntentsImport(host, options),
  );
}
