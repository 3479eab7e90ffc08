// `openclaw memory store …`

import { codedError, switchedOff } from "../../lib/errors.js";
import { HostPort } from "../../lib/host-port.js";
import { native } from "../../lib/native.js";
import { prepare } from "../../lib/request.js";
import { forEachAgent, forOneAgent } from "./agents.js";
import { agreed } from "./confirm.js";
import { costOf, costText, embeddingText } from "./index-command.js";
import { counted, failWith, print, printError, printJson } from "./output.js";
import { withProgress } from "./progress.js";

/**
 * @param {import("../host.js").Host} host
 * @param {{role?: string, schema?: string, agent?: string, json?: boolean}} options
 */
export async function runStoreSchema(host, options) {
  await forOneAgent(host, options, { name: "memory store", doing: "Memory store schema" }, async ({ cfg, agentId }) => {
    const schema = options.schema ?? (await schemaOf(host, { cfg, agentId }));
    const sql = native().databaseScript(schema, options.role);
    if (options.json) return printJson({ agentId, schema, role: options.role ?? null, sql });
    print(sql.trimEnd());
  });
}

/**
 * The schema in the settings of an agent, whatever store is chosen now.
 * @param {import("../host.js").Host} host
 * @param {import("./agents.js").OneAgent} agent
 */
async function schemaOf(host, { cfg, agentId }) {
  const { nativeRequest } = await prepare(host.managerRequest({ cfg, agentId, purpose: "status" }));
  const resolved = native().resolveSettings(nativeRequest);
  if (!resolved) throw switchedOff(agentId, "Name the schema with --schema");
  return String(resolved.values["store.postgres.schema"]);
}

/**
 * @param {import("../host.js").Host} host
 * @param {{agent?: string, dryRun?: boolean, yes?: boolean, json?: boolean}} options
 */
export async function runStoreAdopt(host, options) {
  const say = options.json ? () => {} : print;
  // As for a status: nothing is to be taken over or indexed before.
  await forEachAgent(host, options, { name: "store adopt", all: false, purpose: "status" }, async (manager, { agentId }) => {
    const adoption = await manager.adoption();
    const { dbPath, workspaceDir } = manager.status();
    if (adoption.ours) {
      say(`The index of ${agentId} (${dbPath}) is that of the notes in ${workspaceDir}; there is nothing to take over.`);
      return { ...adoption, adopted: null };
    }
    if (adoption.kept && !adoption.foreign) {
      say(
        `Nothing has to be taken over: the database (${dbPath}) keeps the notes of ${agentId}, and \`openclaw memory index\` restores the ${adoption.missing} that are not in ${workspaceDir}.`,
      );
      return { ...adoption, adopted: null };
    }
    say(adoptionText(agentId, String(dbPath), String(workspaceDir), adoption));
    const cost = await costOf(manager, { force: true });
    if (cost.plan.texts > 0) say(costText(cost));
    if (options.dryRun) {
      say("Nothing done.");
      return { ...adoption, adopted: null };
    }
    const told = { not: "Nothing was changed", to: "take it over" };
    if (!(await agreed("Take it over? Your notes stay as they are. [y/N] ", options, told))) return { ...adoption, adopted: null };
    const report = await withProgress("Taking the index over", (progress) => manager.sync({ reason: "cli", force: true, progress }));
    if (report.warning) printError(report.warning);
    if (report.embeddingError) failWith(embeddingText(`Memory store adopt (${agentId})`, report));
    const { files, chunks } = manager.status();
    say(`The index is that of these notes now (${agentId}): ${counted(files ?? 0, "file")}, ${counted(chunks ?? 0, "chunk")}.`);
    return { ...adoption, adopted: report };
  });
}

/**
 * @param {string} agentId
 * @param {string} place
 * @param {string} workspace
 * @param {import("../../index.d.ts").MemoryAdoption} adoption
 */
function adoptionText(agentId, place, workspace, { known, same, changed, missing, kept, new: unknown }) {
  const gone = kept ? "are not here and come from the database" : "are not here and would leave it";
  return [
    `The index of ${agentId} (${place}) is of other notes than those in ${workspace}.`,
    `It knows ${counted(known, "note")}: ${same} are here at their size, ${changed} at another, ${missing} ${gone}; ${unknown} would be new.`,
    kept
      ? "The notes of both are one memory then: nothing leaves either of them."
      : "Vectors stay, and a gateway whose index it was only reads from then on.",
  ].join("\n");
}

/**
 * @param {import("../host.js").Host} host
 * @param {{to: string, agent?: string, json?: boolean}} options
 */
export async function runStoreCopy(host, { to, ...options }) {
  await forOneAgent(host, options, { name: "memory store", doing: "Memory store copy" }, async ({ cfg, agentId }) => {
    if (to !== "postgres" && to !== "sqlite") {
      const remedy = "Name the one to copy into: --to postgres, or --to sqlite for the file";
      throw codedError("MEM_ARGUMENT", `--to takes postgres or sqlite, not "${to}"`, { remedy });
    }
    const { nativeRequest, databasePassword } = await prepare(host.managerRequest({ cfg, agentId, purpose: "status" }));
    const port = new HostPort({}).native(undefined, undefined, databasePassword);
    const copied = await withProgress("Copying", (progress) => native().copyStore(nativeRequest, to === "postgres", progress, port));
    if (options.json) return printJson({ agentId, to, ...(copied ?? { status: "disabled" }) });
    if (!copied) return print(`Memory search disabled (${agentId}).`);
    const { schema, file, vectors, known, books } = copied;
    const places = [file, `PostgreSQL, schema ${schema}`];
    const [from, into] = to === "postgres" ? places : places.toReversed();
    print(`Copied from ${from} to ${into} (${agentId}): ${counted(vectors, "vector")}, ${known} of them there already.`);
    const { costs, refusals, lines, claims, runs } = books;
    print(
      `Written down: ${counted(costs, "daily cost")}, ${counted(refusals, "refusal")}, lines of ${counted(lines, "text")}, ${counted(claims, "claim")}, ${counted(runs, "run")} of consolidation.`,
    );
    print(`With store.driver "${to}", \`openclaw memory index\` makes the rest of your notes, and embeds nothing again.`);
  });
}
