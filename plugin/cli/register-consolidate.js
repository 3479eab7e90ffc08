// The commands of consolidation, ours and those that users of memory-core know.

import { action, numberOption, sourceOption, textOption } from "./options.js";

/** @typedef {any} Command A command of the host's own copy of commander. */

/**
 * @param {Command} root
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function addConsolidateCommands(root, api, host) {
  const load = async () => await import("./consolidate.js");
  const group = root
    .command("consolidate")
    .description("What was met again and again becomes an entry of MEMORY.md; planned, shown, and taken back on request");
  group.action(() => group.outputHelp());
  common(group.command("plan").description("Say what a run would add, move and refuse; no file is changed")).action(
    async (/** @type {any} */ options) => (await load()).runPlan(api, host, options),
  );
  common(group.command("apply").description("Carry a plan out"))
    .option("--run <id>", "A plan that was made before (default: a new one)", textOption("--run"))
    .option("--only <id>", "Only this entry of the plan (repeatable)", collected, [])
    .action(action("Memory consolidate apply", async (/** @type {any} */ options) => (await load()).runApply(api, host, options)));
  common(group.command("undo").description("Take a run back; what it added does not come again"))
    .argument("[run]", "The run (default: the latest)")
    .option("--all", "Every run that can be taken back", false)
    .action(async (/** @type {string | undefined} */ run, /** @type {any} */ options) => (await load()).runUndo(api, host, run, options));
  common(group.command("runs").description("List the runs, or show one with its plan"))
    .argument("[run]", "The run")
    .action(async (/** @type {string | undefined} */ run, /** @type {any} */ options) => (await load()).runRuns(api, host, run, options));
  common(group.command("explain").description("Say how often something was met, and whether it would become an entry"))
    .argument("<what>", "Words, a note, or the id of a claim")
    .action(async (/** @type {string} */ what, /** @type {any} */ options) => (await load()).runExplain(api, host, what, options));
  const loadReplay = async () => await import("./replay.js");
  ranged(group.command("replay").description("Tell it of days before it was on; without --apply only what that would be"))
    .option("--source <source>", "notes, sessions or all", sourceOption, "all")
    .option("--path <path>", "Only notes at or below this path of the workspace", textOption("--path"))
    .option("--estimate", "Only say what would be kept (the default)", false)
    .option("--apply", "Keep it as evidence; a plan decides what becomes of it", false)
    .option("--rollback", "Take the latest replay back", false)
    .action(action("Memory consolidate replay", async (/** @type {any} */ options) => (await loadReplay()).runReplay(api, host, options)));
  common(group.command("status").description("Show the settings, what is known, and what runs cost")).action(
    async (/** @type {any} */ options) => (await load()).runState(api, host, options),
  );
  common(root.command("promote").description("As memory-core has it: candidates for MEMORY.md; the same as consolidate plan and apply"))
    .option("--apply", "Carry the plan out", false)
    .option("--limit <n>", "Most candidates", numberOption("--limit"))
    .action(action("Memory promote", async (/** @type {any} */ options) => (await load()).runPromote(api, host, options)));
  common(root.command("promote-explain").description("As memory-core has it: why something would be promoted or not"))
    .argument("<what>", "Words, a note, or the id of a claim")
    .action(async (/** @type {string} */ what, /** @type {any} */ options) => (await load()).runPromoteExplain(api, host, what, options));
  common(root.command("rem-backfill").description("As memory-core has it: what old notes speak for; the same as consolidate replay"))
    .option("--path <file-or-dir>", "Notes of days, in the workspace", textOption("--path"))
    .option("--stage-short-term", "Keep it as evidence", false)
    .option("--rollback", "Take the latest replay back", false)
    .option("--rollback-short-term", "The same", false)
    .action(action("Memory rem-backfill", async (/** @type {any} */ options) => (await loadReplay()).runRemBackfill(api, host, options)));
  ranged(
    root
      .command("session-backfill")
      .description("As memory-core has it: what earlier conversations speak for; the same as consolidate replay"),
  )
    .option("--archive-files <file...>", "Accepted, and nothing is kept of them: nobody can say whose words they hold")
    .option("--rem", "As without: no diary is written", false)
    .option("--apply", "Keep it as evidence", false)
    .option("--rollback", "Take the latest replay back", false)
    .action(
      action("Memory session-backfill", async (/** @type {any} */ options) => (await loadReplay()).runSessionBackfill(api, host, options)),
    );
  common(root.command("rem-harness").description("As memory-core has it: what the next run would do; no file is changed")).action(
    async (/** @type {any} */ options) => (await load()).runPlan(api, host, options),
  );
}

/** @param {Command} command */
function common(command) {
  return command.option("--agent <id>", "Agent (default: the default agent)").option("--json", "Print JSON");
}

/** @param {Command} command */
function ranged(command) {
  return common(command)
    .option("--from <day>", "First day, such as 2026-11-20")
    .option("--to <day>", "Last day")
    .option("--limit-days <n>", "Most days at a time (default: 92)", numberOption("--limit-days"));
}

/**
 * @param {string} value
 * @param {string[]} former
 */
function collected(value, former) {
  return [...former, value];
}
