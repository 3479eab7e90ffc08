// `openclaw memory reset`, `doctor` and `backup`

import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { plainDatabaseSecrets } from "../../lib/accounts.js";
import { defaultAgentId } from "../../lib/config.js";
import { codedError, errorCause, errorRemedy, inWords } from "../../lib/errors.js";
import { HostPort } from "../../lib/host-port.js";
import { native } from "../../lib/native.js";
import { prepare } from "../../lib/request.js";
import { command } from "../command.js";
import { automaticAgent, nativeOnly } from "../hooks/agent.js";
import { olderText } from "../hooks/written.js";
import { channelsWithoutOwner } from "../owner.js";
import { channelsOfOthers } from "../reach.js";
import { missingRequirements } from "../requirements.js";
import { forEachAgent } from "./agents.js";
import { agreed } from "./confirm.js";
import { formerAgentChecks, unknownAgentChecks } from "./former-agents.js";
import { intentChecks } from "./intents.js";
import { refuseEmpty } from "./options.js";
import { byteText, counted, dayText, errorJson, failOnly, paint, print, shellPath } from "./output.js";
import { resetEverything } from "./reset-everything.js";
import { automaticState, consolidationState } from "./status.js";

/**
 * @typedef {import("../host.js").Host} Host
 * @typedef {{name: string, ok: boolean, found: string, did?: string, remedy?: string, code?: string}} Check `code` is that of an error.
 */

/** As for a status: nothing is to be taken over or indexed before. */
const PURPOSE = "status";

/**
 * @param {Host} host
 * @param {{agent?: string, yes?: boolean, keepVectors?: boolean, everything?: boolean, database?: boolean, dryRun?: boolean, json?: boolean}} options
 */
export async function runReset(host, options) {
  if (options.everything && options.agent !== undefined) {
    const remedy = "Leave one of them out: without --everything the index of that agent is cleared";
    return failOnly(
      "Memory reset",
      codedError("MEM_ARGUMENT", "--everything is of every agent, and --agent names one", { remedy }),
      options,
    );
  }
  if (options.everything && options.keepVectors) {
    const remedy = "Leave one of them out: without --everything the index is cleared and its vectors are kept";
    const cause = "--everything removes the vectors, and --keep-vectors keeps them";
    return failOnly("Memory reset", codedError("MEM_ARGUMENT", cause, { remedy }), options);
  }
  if (options.database && !options.everything) {
    const remedy = "Add --everything; without both the index is cleared, in a database too";
    return failOnly("Memory reset", codedError("MEM_ARGUMENT", "--database goes with --everything", { remedy }), options);
  }
  if (options.everything)
    return await resetEverything(host, options).catch((error) => failOnly("Memory reset", error, { json: options.json }));
  if (options.dryRun) {
    const remedy = "`openclaw memory status` shows what an index holds";
    return failOnly("Memory reset", codedError("MEM_ARGUMENT", "--dry-run goes with --everything", { remedy }), options);
  }
  await forEachAgent(host, options, { name: "reset", all: true, purpose: PURPOSE }, async (manager, { cfg, agentId }) => {
    const { dbPath, files, chunks, cache, custom } = manager.status();
    const vectors = options.keepVectors ? "vectors are kept" : `${counted(cache?.entries ?? 0, "vector")} to be made again`;
    if (!options.json) {
      print(`The index of ${agentId} (${dbPath}): ${counted(files ?? 0, "file")}, ${counted(chunks ?? 0, "chunk")}, ${vectors}.`);
      if (custom?.notes)
        print("The notes that the database keeps stay there; `openclaw memory reset --everything --database` removes them.");
    }
    const told = { not: "Nothing was cleared", to: "clear it" };
    if (!(await agreed("Clear it? Your notes stay as they are. [y/N] ", options, told))) return { cleared: null };
    const cleared = await manager.reset({ keepVectors: options.keepVectors === true });
    // Not in the index, and yet made of it.
    await native().forgetPrompts(automaticAgent(host, cfg, agentId).native);
    if (!options.json)
      print(
        `Cleared (${agentId}): ${counted(cleared.files, "file")}, ${counted(cleared.chunks, "chunk")}, ${counted(cleared.vectors, "vector")}; ${roomText(cleared.bytes)}. ` +
          "`openclaw memory index` builds it anew; a running gateway does so by itself, at its next search or within a minute.",
      );
    return { cleared };
  });
}

/** What a file gives back at once, and a database keeps for what is written next. @param {number | undefined} bytes */
function roomText(bytes) {
  return bytes === undefined ? "the database uses their room again" : `${byteText(bytes)} given back`;
}

/**
 * @param {Host} host
 * @param {{agent?: string, dryRun?: boolean, json?: boolean}} options
 */
export async function runDoctor(host, options) {
  const [missing, written] = [missingRequirements(host, await host.sourceConfig()), await host.authoredConfig()];
  /** What needs no index. @param {import("./agents.js").OneAgent} agent @returns {Promise<Check[]>} */
  const besides = async ({ cfg, agentId }) => [
    missing.length === 0
      ? { name: "setup", ok: true, found: "the host's configuration has what is needed" }
      : {
          name: "setup",
          ok: false,
          found: `missing: ${missing.map(({ key }) => key).join(", ")}`,
          remedy: "openclaw memory-core-rs setup",
        },
    ...plainDatabaseSecrets(written, agentId).map(plainCheck),
    ...automaticChecks(host, cfg, agentId),
    // Said once, beside whichever agent is looked at.
    ...(options.agent !== undefined || agentId === defaultAgentId(cfg)
      ? [...unknownAgentChecks(cfg), ...(await formerAgentChecks(host))]
      : []),
    ...(await intentChecks(nativeOnly(host, cfg, agentId))),
  ];
  /** @param {import("./agents.js").OneAgent} agent @param {unknown} error */
  const instead = async (agent, error) => {
    // Settings that cannot be read say so themselves, and nothing can be looked at with them.
    const others = await Promise.all([databaseChecks(host, agent), besides(agent)]).catch(() => null);
    if (!others) return undefined;
    const told = errorJson(error);
    /** @type {Check[]} */
    const checks = [{ name: "file", ok: false, found: errorCause(error), remedy: errorRemedy(error), code: told.code }, ...others.flat()];
    process.exitCode = 1;
    if (!options.json) print([`${paint("bold", "Memory doctor")} (${agent.agentId})`, ...checks.map(checkText)].join("\n"));
    return { agentId: agent.agentId, ok: false, error: told, checks };
  };
  await forEachAgent(host, options, { name: "doctor", all: true, purpose: PURPOSE, instead }, async (manager, { cfg, agentId }) => {
    /** @type {Check[]} */
    const checks = await manager.doctor({ repair: options.dryRun !== true });
    checks.push(...(await besides({ cfg, agentId })));
    checks.push(...consolidationChecks(await consolidationState(host, cfg, agentId, manager)));
    if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
    if (!options.json) print([`${paint("bold", "Memory doctor")} (${agentId})`, ...checks.map(checkText)].join("\n"));
    return { ok: checks.every(({ ok }) => ok), checks };
  });
}

/**
 * What the database says of itself where the index in it cannot be opened; none where there is no such database, or it
 * does not answer.
 * @param {Host} host
 * @param {import("./agents.js").OneAgent} agent
 * @returns {Promise<Check[]>}
 */
async function databaseChecks(host, { cfg, agentId }) {
  const { nativeRequest, databasePassword } = await prepare(host.managerRequest({ cfg, agentId, purpose: PURPOSE }));
  return (
    (await native()
      .examineDatabase(nativeRequest, new HostPort({}).native(undefined, undefined, databasePassword))
      .catch(() => null)) ?? []
  );
}

/**
 * Whether runs of consolidation come as the settings say, where it is on.
 * @param {Awaited<ReturnType<typeof consolidationState>>} state
 * @returns {Check[]}
 */
function consolidationChecks({ consolidation }) {
  const name = "consolidation";
  if (!consolidation) return [];
  const problem = consolidation.error ?? consolidation.problem;
  if (problem) return [{ name, ok: false, found: errorCause(problem), remedy: errorRemedy(problem) }];
  return [{ name, ok: true, found: "runs come as its schedule says" }];
}

/** @param {string} setting @returns {Check} */
function plainCheck(setting) {
  const remedy = "Put it into a variable of the gateway's environment and name that, or use a reference {source, id}";
  // Hosts hide what stands behind "password:".
  return { name: "configuration", ok: false, found: `${setting} holds a password in plain text`, remedy };
}

/**
 * Whether automatic memory does what its settings say, and of whom.
 * @param {Host} host
 * @param {import("../host.js").HostConfig} cfg
 * @param {string} agentId
 * @returns {Check[]}
 */
function automaticChecks(host, cfg, agentId) {
  const name = "automatic memory";
  const state = automaticState(host, cfg, agentId);
  if ("error" in state) return [{ name, ok: false, found: errorCause(state.error), remedy: errorRemedy(state.error) }];
  const { recall, capture, captureOnCompaction, shortTerm, storedFacts, older } = state;
  const behind = older ? [{ name, ok: false, found: olderText(older), remedy: "openclaw gateway restart" }] : [];
  return [
    ...behind,
    ...(capture || captureOnCompaction ? noteChecks(host.workspaceDir(cfg, agentId)) : []),
    ...(recall || capture || shortTerm || storedFacts ? ownerChecks(host, agentId) : []),
  ];
}

/**
 * Whether what is captured can be written: a status of the index says nothing of it.
 * @param {string | undefined} workspaceDir
 * @returns {Check[]}
 */
export function noteChecks(workspaceDir) {
  const folders = workspaceDir ? [path.join(workspaceDir, "memory"), workspaceDir] : [];
  const folder = folders.find((folder) => existsSync(folder));
  if (!folder) return [];
  try {
    accessSync(folder, constants.W_OK);
    return [];
  } catch (error) {
    const told = inWords(error);
    return [{ name: "notes", ok: false, found: `nothing can be captured: ${errorCause(told)}`, remedy: errorRemedy(told) }];
  }
}

/**
 * Whether people who are not the owner are taken for them, where something of theirs is kept or shown.
 * @param {Host} host
 * @param {string} agentId
 * @returns {Check[]}
 */
function ownerChecks(host, agentId) {
  const unnamed = channelsWithoutOwner(host.config()).map((channel) => ({
    name: "owner",
    ok: false,
    found: `anybody may write to the agent on ${channel} and counts as you: commands.ownerAllowFrom names nobody there`,
    remedy: `Name yourself: openclaw config set commands.ownerAllowFrom '["${channel}:<your id>"]'`,
  }));
  return [...unnamed, ...sharingChecks(host, agentId)];
}

/**
 * Whether other people share the agent's main conversation with its own person.
 * @param {Host} host
 * @param {string} agentId
 * @returns {Check[]}
 */
function sharingChecks(host, agentId) {
  const channels = channelsOfOthers(host.config(), host.stateDir(), agentId);
  if (channels.length === 0) return [];
  const effect = host.has("appendedContext")
    ? "what others say there is left out of your memory, but they read what is answered to you"
    : "nothing is recalled there by itself, because this host shows it to others in later turns";
  return [
    {
      name: "conversation",
      ok: false,
      found: `others share the main conversation with you on ${channels.join(", ")} (session.dmScope is main); ${effect}`,
      remedy:
        "Keep people apart: openclaw config set session.dmScope per-channel-peer. Where all of them are you: name them in commands.ownerAllowFrom",
    },
  ];
}

/** @param {Check} check */
export function checkText({ name, ok, found, did, remedy, code }) {
  const mark = did ? paint("yellow", "repaired") : ok ? paint("green", "ok") : paint("red", "problem");
  return `  ${mark} ${name}: ${found}${did ? `; ${did}` : ""}${remedy ? `. ${remedy}` : ""}${code ? ` [${code}]` : ""}`;
}

/**
 * @param {Host} host
 * @param {string | undefined} target
 * @param {{agent?: string, json?: boolean}} options
 */
export async function runBackup(host, target, options) {
  await forEachAgent(host, options, { name: "backup", all: false, purpose: PURPOSE }, async (manager, { cfg, agentId }) => {
    refuseEmpty(target, "the name of the copy", "Leave it out for a name by agent and day");
    const copy = await manager.backup(path.resolve(target ?? `memory-${agentId}-${dayText(Date.now())}.sqlite`));
    if (!options.json) {
      print(
        `Copied the index of ${agentId} to ${copy.path} (${byteText(copy.bytes)}, ${counted(copy.files, "file")}, ${counted(copy.vectors, "vector")}).`,
      );
      if (copy.forgotten) print(`The list of what is forgotten is beside it: ${copy.forgotten}`);
      print(`To put it back: ${command(`restore ${shellPath(copy.path)}`, { cfg, agentId })}`);
    }
    return copy;
  });
}
