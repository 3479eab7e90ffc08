// The commands of consolidation, ours and those that users of memory-core know.

import { numberOption } from "./options.js";

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
    .option("--run <id>", "A plan that was made before (default: a new one)")
    .option("--only <id>", "Only this entry of the plan (repeatable)", collected, [])
    .action(async (/** @type {any} */ options) => (await load()).runApply(api, host, options));
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
  common(group.command("status").description("Show the settings, what is known, and what runs cost")).action(
    async (/** @type {any} */ options) => (await load()).runState(api, host, options),
  );
  common(root.command("promote").description("As memory-core has it: candidates for MEMORY.md; the same as consolidate plan and apply"))
    .option("--apply", "Carry the plan out", false)
    .option("--limit <n>", "Most candidates", (/** @type {string} */ value) => numberOption(value, "--limit", { whole: true }))
    .action(async (/** @type {any} */ options) => (await load()).runPromote(api, host, options));
  common(root.command("promote-explain").description("As memory-core has it: why something would be promoted or not"))
    .argument("<what>", "Words, a note, or the id of a claim")
    .action(async (/** @type {string} */ what, /** @type {any} */ options) => (await load()).runPromoteExplain(api, host, what, options));
  common(root.command("rem-harness").description("As memory-core has it: what the next run would do; no file is changed")).action(
    async (/** @type {any} */ options) => (await load()).runPlan(api, host, options),
  );
}

/** @param {Command} command */
function common(command) {
  return command.option("--agent <id>", "Agent (default: the default agent)").option("--json", "Print JSON");
}

/**
 * @param {string} value
 * @param {string[]} former
 */
function collected(value, former) {
  return [...former, value];
}
