// `openclaw memory setup`: what the host needs, what former plugins leave, the first index, and three questions.

import { defaultAgentId } from "../../lib/config.js";
import { codedError, errorMessage } from "../../lib/errors.js";
import { configFile } from "../hooks/written.js";
import { takeOverForgotten } from "../import/forgotten.js";
import { takeOver } from "../import/take-over.js";
import { metRequirements, missingRequirements } from "../requirements.js";
import { activeMemoryImport, importPauses } from "../setup/active-memory.js";
import {
  changesOf,
  changeText,
  dropRememberedChanges,
  putAt,
  rememberChanges,
  rememberedChanges,
  restoreRememberedChanges,
  valueAt,
} from "../setup/changes.js";
import { lancedbFolder, readFacts } from "../setup/lancedb.js";
import { languageOffer, languageOfferText } from "../setup/languages.js";
import { onInSlot } from "../setup/moved-slot.js";
import { predecessors } from "../setup/predecessors.js";
import { answeredQuestions, answeringLine } from "../setup/questions.js";
import { commandAgents, outcomesOfAgents } from "./agents.js";
import { confirmed } from "./confirm.js";
import { sourceText } from "./import-command.js";
import { costOf, costText, embeddingText } from "./index-command.js";
import { refusedFactsText } from "./ltm.js";
import { byteText, counted, failOnly, failWith, paint, print, printJson } from "./output.js";
import { withProgress } from "./progress.js";
import { leftOnDisk } from "./reset-everything.js";

/**
 * @typedef {{agent?: string, yes?: boolean, dryRun?: boolean, undo?: boolean, index?: boolean, json?: boolean, importActiveMemory?: boolean}} Options
 * @typedef {import("../host.js").Host} Host
 * @typedef {import("../host.js").HostConfig} HostConfig
 * @typedef {import("../setup/changes.js").Change} Change
 */

/**
 * @param {Host} host
 * @param {Options} options
 */
export async function runSetup(host, options) {
  try {
    if (options.undo && options.importActiveMemory) {
      const remedy = "Do one after the other";
      throw codedError("MEM_ARGUMENT", "--undo puts settings back, and --import-active-memory takes some over", { remedy });
    }
    await (options.undo ? undoSetup(host, options) : setUp(host, options));
  } catch (error) {
    failOnly("Memory setup", error, { json: options.json });
  }
}

/**
 * @param {Host} host
 * @param {Options} options
 */
async function setUp(host, options) {
  const cfg = await host.sourceConfig();
  // Before anything is written.
  commandAgents(host.config(), options.agent, { all: true });
  const former = [...predecessors(cfg, await onInSlot(configFile(host))), ...activeMemory(host, cfg, options)];
  const changes = changesOf(cfg, [...missingRequirements(host, cfg), ...former.flatMap(({ wanted }) => wanted)]);
  const found = former.map(({ id, notes }) => ({ id, notes }));
  if (!options.json) printPlan(changes, found);
  if (options.dryRun) {
    const agents = options.index === false ? [] : await planAgents(host, cfg, options);
    return options.json ? printJson({ dryRun: true, changes, predecessors: found, agents }) : print("Nothing was written.");
  }
  if (!(await agreed(changes, options))) {
    process.exitCode = 1;
    return print("Nothing was written.");
  }
  const { written, left } = await write(host, changes);
  if (!options.json) printWritten(written, left);
  if (options.importActiveMemory) await importPauses(host, host.config());
  const agents = options.index === false ? [] : await startAgents(host, cfg, options);
  if (options.json) printJson({ written, missing: left.map(({ key }) => key), changes, predecessors: found, agents });
}

/**
 * The settings of the bundled active memory, when they were asked for; else a word that they could be.
 * @param {Host} host
 * @param {HostConfig} cfg
 * @param {Options} options
 */
function activeMemory(host, cfg, { importActiveMemory }) {
  const found = activeMemoryImport(host, cfg);
  if (!found) return [];
  const note = "Its settings can be taken over: openclaw memory setup --import-active-memory [--dry-run]";
  return [importActiveMemory ? found : { ...found, wanted: [], notes: [note] }];
}

/**
 * One question for everything, to people at a terminal who did not answer it on the command line.
 * @param {Change[]} changes
 * @param {Options} options
 */
async function agreed(changes, { yes, json, index }) {
  if (yes || json || changes.length === 0 || !process.stdin.isTTY || !process.stdout.isTTY) return true;
  const rest = index === false ? "" : ", take over what is there, and index your notes";
  return await confirmed(`Write this${rest}? [Y/n] `, { fallback: true });
}

/**
 * @param {Change[]} changes
 * @param {{id: string, notes: string[]}[]} former
 */
function printPlan(changes, former) {
  if (changes.length === 0) print("The configuration has everything that is needed.");
  else print("To be written to the configuration (openclaw memory setup --undo takes it back):");
  for (const { line, reason } of changes.map(changeText)) print(`  ${paint("cyan", line)}\n      ${reason}`);
  for (const { id, notes } of former) for (const note of notes) print(`  ${id}: ${note}`);
}

/**
 * @param {Host} host
 * @param {Change[]} changes
 */
async function write(host, changes) {
  if (changes.length === 0) return { written: [], left: [] };
  const former = await rememberedChanges(host.stateDir());
  await rememberChanges(host.stateDir(), changes);
  const keys = changes.map(({ key }) => key);
  try {
    await host.editConfig((draft) => {
      for (const { key, after } of changes) putAt(draft, key, after);
    }, keys);
  } catch (error) {
    const left = await notWritten(host, changes);
    await restoreRememberedChanges(host.stateDir(), former);
    const done = changes.filter(({ key }) => !left.some((change) => change.key === key));
    if (done.length > 0) await rememberChanges(host.stateDir(), done);
    throw error;
  }
  const left = await notWritten(host, changes);
  if (left.length > 0) process.exitCode = 1;
  return { written: keys.filter((key) => !left.some((change) => change.key === key)), left };
}

/**
 * Which changes the configuration does not have.
 * @param {Host} host
 * @param {Change[]} changes
 */
async function notWritten(host, changes) {
  const wanted = changes.map(({ key, after, reason }) => ({ key, value: after, reason }));
  return changesOf(await host.sourceConfig(), wanted);
}

/**
 * @param {string[]} written
 * @param {Change[]} left
 */
function printWritten(written, left) {
  if (written.length > 0) print("Written. A running gateway takes it over by itself or at its next start.");
  if (left.length > 0) print("The host did not write this; please do it by hand:");
  for (const { key, after } of left) print(`  openclaw config set ${key} '${JSON.stringify(after)}' --strict-json`);
}

/**
 * What would be taken over and embedded, per agent.
 * @param {Host} host
 * @param {HostConfig} written
 * @param {Options} options
 */
async function planAgents(host, written, options) {
  return await outcomesOfAgents(host, options, { name: "setup", all: true, purpose: "status" }, async (manager, agent) => {
    const { agentId } = agent;
    if (!manager) return { agentId, status: "disabled" };
    /** @type {string[]} */
    const wouldTake = [];
    const sources = await takeOver(host, agent, manager, { dryRun: true, wouldTake });
    const forgotten = await takeOverForgotten(host, agent, manager, { dryRun: true });
    const facts = await takeFacts(host, written, agent, manager, true);
    const cost = await costOf(manager, { taken: wouldTake });
    if (!options.json) {
      printTaken(agentId, manager, sources, true);
      printFacts(agentId, facts, true);
      printForgotten(agentId, forgotten, true);
      print(`${agentId}: ${costText(cost)}`);
    }
    return { agentId, imports: sources, facts, forgotten, cost };
  });
}

/**
 * Takes over vectors, facts and what was forgotten, indexes, and asks three questions, per agent.
 * @param {Host} host
 * @param {HostConfig} written
 * @param {Options} options
 */
async function startAgents(host, written, options) {
  return await outcomesOfAgents(host, options, { name: "setup", all: true, purpose: "status" }, async (manager, agent) => {
    const { agentId } = agent;
    if (!manager) return { agentId, status: "disabled" };
    const sources = await takeOver(host, agent, manager, { dryRun: false });
    const forgotten = await takeOverForgotten(host, agent, manager, { dryRun: false });
    const facts = await takeFacts(host, written, agent, manager, false);
    if (!options.json) {
      printTaken(agentId, manager, sources, false);
      printFacts(agentId, facts, false);
      printForgotten(agentId, forgotten, false);
    }
    if (forgotten?.error && indexesConversations(manager)) {
      failWith(`Memory setup (${agentId}): nothing is indexed, because what was forgotten would come back. Run setup again`);
      return { agentId, imports: sources, facts, forgotten };
    }
    if (!options.json) {
      const cost = await costOf(manager);
      if (cost.plan.texts > 0) print(costText(cost));
    }
    const report = await withProgress(`Indexing memory (${agentId})`, (progress) => manager.sync({ reason: "cli", progress }));
    if (report.embeddingError) failWith(embeddingText(`Memory setup (${agentId})`, report));
    const { files = 0, chunks = 0 } = manager.status();
    const questions = files > 0 ? await answeredQuestions(host, agent, manager) : [];
    const offer = languageOffer((await manager.inspect()).unknownLanguages);
    if (!options.json) {
      printReady(agentId, { files, chunks }, questions);
      if (offer) print(languageOfferText(offer));
    }
    return { agentId, imports: sources, facts, forgotten, files, chunks, report, questions, languageOffer: offer };
  });
}

/**
 * @param {string} agentId
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @param {import("../import/take-over.js").SourceReport[]} sources
 * @param {boolean} dryRun
 */
function printTaken(agentId, manager, sources, dryRun) {
  const { provider, model } = manager.status();
  for (const source of sources) print(sourceText(agentId, source, { dryRun, wanted: `${provider}, model ${model ?? "none"}` }));
}

/**
 * @typedef {{path: string, taken?: number, known?: number, refused?: number, error?: string}} FactsTaken
 * @param {Host} host
 * @param {HostConfig} written
 * @param {import("./agents.js").OneAgent} agent
 * @param {import("../../lib/manager.js").MemoryIndexManager} manager
 * @param {boolean} dryRun
 * @returns {Promise<FactsTaken | undefined>}
 */
async function takeFacts(host, written, { cfg, agentId }, manager, dryRun) {
  const folder = lancedbFolder(written, host.stateDir());
  if (!folder || folder.error) return folder;
  const { path } = folder;
  try {
    const rows = await readFacts(path, host.stateDir(), { agentId, isDefaultAgent: agentId === defaultAgentId(cfg) });
    return { path, ...(await manager.run((engine) => engine.importFacts(rows, dryRun))) };
  } catch (error) {
    return { path, error: errorMessage(error) };
  }
}

/**
 * @param {string} agentId
 * @param {FactsTaken | undefined} facts
 * @param {boolean} dryRun
 */
function printFacts(agentId, facts, dryRun) {
  if (!facts) return;
  const head = `${paint("bold", facts.path)} (${agentId})`;
  if (facts.error) {
    const byHand = "with memory-lancedb in the memory slot, `openclaw ltm list > facts.json`; then `openclaw ltm import facts.json`";
    return print(`${head}\n  facts not read: ${facts.error}. By hand: ${byHand}`);
  }
  const known = facts.known ? `, ${facts.known} there already` : "";
  print(`${head}\n  ${dryRun ? "would be taken" : "taken"}: ${counted(facts.taken ?? 0, "fact")}${known}`);
  if (facts.refused) print(`  ${refusedFactsText(facts.refused)}`);
}

/** Whether conversations are a source of an agent. @param {import("../../lib/manager.js").MemoryIndexManager} manager */
const indexesConversations = (manager) => manager.status().sources?.includes("sessions") ?? false;

/**
 * @param {string} agentId
 * @param {import("../import/forgotten.js").ForgottenReport | undefined} forgotten
 * @param {boolean} dryRun
 */
function printForgotten(agentId, forgotten, dryRun) {
  if (!forgotten) return;
  const { path, taken, known, refused, error } = forgotten;
  const head = `${paint("bold", path)} (${agentId})`;
  if (error) return print(`${head}\n  what memory-core has forgotten was not read: ${error}`);
  const rest = [known ? `${known} already` : "", refused ? `${refused} refused: not a conversation's id` : ""].filter(Boolean);
  const kept = `${counted(taken, "conversation")} that memory-core has forgotten${rest.length > 0 ? ` (${rest.join(", ")})` : ""}`;
  print(`${head}\n  ${dryRun ? "would stay" : "stays"} forgotten: ${kept}`);
}

/**
 * @param {string} agentId
 * @param {{files: number, chunks: number}} counts
 * @param {import("../setup/questions.js").Answered[]} questions
 */
function printReady(agentId, { files, chunks }, questions) {
  if (files === 0)
    return print(`No notes yet (${agentId}): what you write to MEMORY.md or memory/*.md of the workspace is found from then on.`);
  print(`Ready (${agentId}): ${counted(files, "file")}, ${counted(chunks, "chunk")}.`);
  for (const { question, path, line, snippet } of questions) {
    const answer = answeringLine(question, snippet).slice(0, 160);
    print(`  ${paint("bold", `“${question}”`)} → ${paint("cyan", `${path}:${line}`)}\n      ${answer}`);
  }
  if (questions.length > 0) print('Ask your own: openclaw memory search "…"');
}

/**
 * Puts back what setup changed; a key that somebody has changed since stays.
 * @param {Host} host
 * @param {Options} options
 */
async function undoSetup(host, options) {
  const readmitted = await readmitForgotten(host, options);
  const changes = await rememberedChanges(host.stateDir());
  if (!changes) return await tellNoRecord(host, options, readmitted);
  const cfg = await host.sourceConfig();
  const touched = changesOf(
    cfg,
    changes.map(({ key, after }) => ({ key, value: after, reason: "" })),
  ).map(({ key }) => key);
  const back = changes.filter(({ key }) => !touched.includes(key));
  if (!options.json) {
    print(back.length > 0 ? "To be put back in the configuration:" : "Nothing is to be put back:");
    for (const { key, before, after } of back)
      print(`  ${paint("cyan", changeText({ key, before: after, after: before, reason: "" }).line)}`);
    for (const key of touched) print(`  ${changedText(key, valueAt(cfg, key))}`);
  }
  if (options.dryRun)
    return options.json
      ? printJson({ dryRun: true, restored: back.map(({ key }) => key), changedSince: touched, readmitted })
      : print("Nothing was written.");
  if (back.length > 0) {
    const apply = (/** @type {HostConfig} */ draft) => {
      for (const { key, before } of back) putAt(draft, key, before);
    };
    await host.editConfig(
      apply,
      back.filter(({ before }) => before !== undefined).map(({ key }) => key),
    );
  }
  await dropRememberedChanges(host.stateDir());
  if (options.json) printJson({ restored: back.map(({ key }) => key), changedSince: touched, readmitted });
  else {
    const bytes = (await leftOnDisk(host.stateDir())).reduce((sum, left) => sum + left.bytes, 0);
    const stays = `The index and what was taken over stay on the disk (${byteText(bytes)})`;
    print(
      `${back.length > 0 ? "Put back." : "Nothing was to be put back."} ${stays}: \`openclaw memory-core-rs reset --everything\` removes them, before the plugin is uninstalled.`,
    );
  }
}

/** @param {string} key @param {unknown} value */
function changedText(key, value) {
  if (value === undefined) return `${key} was changed since: it is not set`;
  return `${key} was changed since and stays (${JSON.stringify(value)})`;
}

/**
 * Without a record of what setup changed: the settings that are as it writes them, and how they go by hand.
 * @param {Host} host
 * @param {Options} options
 * @param {number} readmitted
 */
async function tellNoRecord(host, { json, dryRun }, readmitted) {
  const byHand = metRequirements(host, await host.sourceConfig()).map(({ key }) => key);
  if (json) return printJson({ ...(dryRun ? { dryRun } : {}), restored: [], changedSince: [], readmitted, byHand });
  if (byHand.length > 0) {
    print(
      "There is no record of what setup changed: it was undone, changed nothing, or the record is gone (`reset --everything` removes it).",
    );
    print("These settings are as setup writes them. Those that are not of your own hand are taken back by:");
    for (const key of byHand) print(`  ${paint("cyan", `openclaw config unset ${key}`)}`);
    print("A plugin that setup has switched off is switched on again by `openclaw plugins enable <id>`.");
  } else if (readmitted === 0) print("Setup has changed nothing, or it was undone.");
  if (dryRun) print("Nothing was written.");
}

/**
 * Takes back that what memory-core has forgotten is kept out of our index; gives the number of conversations of all agents.
 * @param {Host} host
 * @param {Options} options
 */
async function readmitForgotten(host, options) {
  const { dryRun = false, json } = options;
  let count = 0;
  await outcomesOfAgents(host, options, { name: "setup", all: true, purpose: "status" }, async (manager, { agentId }) => {
    const readmitted = (await manager?.dropTakenOverForgotten({ dryRun })) ?? 0;
    count += readmitted;
    if (readmitted > 0 && !json)
      print(
        `${dryRun ? "No longer to be" : "No longer"} kept out of our index (${agentId}): ${counted(readmitted, "conversation")} that memory-core has forgotten`,
      );
    return { agentId, readmitted };
  });
  return count;
}
