// The status of agents as text.

import { PLUGIN_ID } from "../../lib/package-info.js";
import { outcomeText, stateText } from "../consolidation/text.js";
import { SWITCH_MEANING } from "../dreaming-switch.js";
import { olderText } from "../hooks/written.js";
import { lineOf } from "../requirements.js";
import { byteText, counted, dayText, field, inOneLine, paint, print, timeText } from "./output.js";

/**
 * @typedef {import("./status.js").AgentStatus} AgentStatus
 * @typedef {import("../../index.d.ts").MemoryStatus} MemoryStatus
 */

/** Lines of a list that are shown where not everything is asked for: a status fits one screen. */
const MOST_LISTED = 4;

/**
 * @param {any[]} results
 * @param {{key: string, value: unknown, reason: string}[]} requirements
 * @param {{putBackAtMs?: number, all?: boolean, verbose?: boolean}} [more] When the host's Dreams switch was last put back;
 *   whether settings at their defaults are shown, too; whether lists are shown whole.
 */
export function printStatus(results, requirements, { putBackAtMs, all = false, verbose = all } = {}) {
  for (const result of results) {
    if (result.error) continue;
    print(result.status === "disabled" ? `Memory search disabled (${result.agentId}).` : agentText(result, { all, verbose }));
    print("");
  }
  if (putBackAtMs !== undefined) print(`Dreams switch: put back to off at ${timeText(putBackAtMs)}; ${SWITCH_MEANING}`);
  if (requirements.length > 0) {
    print(paint("yellow", "Setup is not complete on this host:"));
    for (const need of requirements) print(`  ${lineOf(need)} – ${need.reason}`);
    print(`  Fix: openclaw ${PLUGIN_ID} setup`);
  }
}

/** @param {NonNullable<AgentStatus["repair"]>} repair */
function repairText({ checks }) {
  const told = checks.flatMap(({ name, ok, found, did, remedy }) => {
    if (did) return [`${name}: ${found}; ${did}`];
    return ok ? [] : [paint("yellow", `${name}: ${found}${remedy ? `. ${remedy}` : ""}`)];
  });
  return told.length > 0 ? told.join(" · ") : "no changes";
}

/** @param {AgentStatus} result @param {{all: boolean, verbose: boolean}} shown */
function agentText(
  { agentId, status, scan, costs, disk, automatic, consolidation, embeddingProbe, repair, indexError, settings },
  { all, verbose },
) {
  const most = verbose ? Number.POSITIVE_INFINITY : MOST_LISTED;
  const lines = [
    `${paint("bold", "Memory Search")} (${agentId})`,
    ...(repair ? [field("Repair", repairText(repair))] : []),
    ...healthLines(status),
    field("Provider", `${status.provider} (requested: ${status.requestedProvider ?? status.provider})`),
    field("Model", status.model ?? "none"),
    ...endpointLines(status),
    field("Sources", status.sources?.join(", ") ?? "memory"),
    status.extraPaths?.length ? field("Extra paths", status.extraPaths.join(", ")) : null,
    field("Indexed", indexedText(status, scan)),
    field("Dirty", status.dirty ? paint("yellow", "yes") : "no"),
    field("Store", status.dbPath),
    ...databaseLines(scan?.database),
    ...notesLines(status, most),
    ...diskLines(status, disk, scan?.database),
    field("Workspace", status.workspaceDir),
    ...otherWorkspaceLines(scan, most),
    ...sourceLines(status),
    ...engineLines(status, verbose),
    ...languageLines(scan),
    automatic ? field("Automatic memory", automaticText(automatic)) : null,
    ...consolidationLines(consolidation, verbose),
    ...costLines(costs, scan?.usage?.month?.month),
    embeddingProbe ? field("Embeddings", embeddingProbe.ok ? paint("green", "ready") : paint("yellow", "unavailable")) : null,
    ...probeLines(embeddingProbe),
    ...(embeddingProbe ? usageLines(scan?.usage) : []),
    embeddingProbe?.error ? field("Embeddings error", paint("yellow", embeddingProbe.error)) : null,
    ...problemLines(status, scan, indexError, most),
    ...warningLines(status, most),
    ...settingLines(settings, all),
  ];
  return lines.filter((line) => line !== null).join("\n");
}

/** @param {any} state @param {boolean} verbose */
function consolidationLines(state, verbose) {
  if (!state) return [];
  if (state.error) return [field("Consolidation", paint("yellow", state.error.message))];
  if (verbose) return stateText(state, timeText).split("\n");
  const { settings, problem, nextRunAt, lastRun } = state;
  const last = lastRun ? `last ${timeText(lastRun.startedAt)}: ${outcomeText(lastRun)}` : "no run yet";
  const next = problem ? ` · ${paint("yellow", problem.message)}` : nextRunAt ? ` · next ${timeText(nextRunAt)}` : "";
  return [field("Consolidation", `${settings.mode} · ${last}${next}`)];
}

/**
 * The first lines of a list, and how many more there are.
 * @param {string[]} lines
 * @param {number} most
 * @param {number} [unlisted] How many more there are that no list holds.
 */
function firstOf(lines, most, unlisted = 0) {
  const more = (/** @type {string} */ text) => `  ${paint("gray", `… and ${text}`)}`;
  if (lines.length <= most) return unlisted > 0 ? [...lines, more(`${unlisted} more files that are left out`)] : lines;
  return [...lines.slice(0, most - 1), more(`${lines.length - most + 1 + unlisted} more: --verbose`)];
}

/**
 * What this month cost: in money where every token has a price, else in tokens; of each model where there are several.
 * @param {import("../../lib/page.d.ts").PageCosts | undefined} costs
 * @param {string | undefined} today The month.
 */
function costLines(costs, today) {
  const { cost = null, models = [] } = costs?.months.find(({ month }) => month === today) ?? {};
  if (models.length === 0) return [];
  const total = (/** @type {"input" | "output" | "requests"} */ name) => models.reduce((sum, model) => sum + model[name], 0);
  const all = { cost, input: total("input"), output: total("output"), requests: total("requests") };
  const line = (/** @type {import("../../lib/page.d.ts").PageSpent} */ model) =>
    `  ${paint("gray", [model.provider || "unknown", model.model, model.purpose].filter(Boolean).join(" "))} ${spentOn(model)}`;
  return [field(`Cost of ${today}`, spentOn(all)), ...(models.length > 1 ? models.map(line) : [])];
}

/** @param {{cost: number | null, input: number, output: number, requests: number}} spent */
function spentOn({ cost, input, output, requests }) {
  const sent = `${counted(input + output, "token")} in ${counted(requests, "request")}`;
  return cost === null ? sent : `${moneyText(cost)} (${sent})`;
}

/** A small amount of whatever currency. @param {number} amount */
function moneyText(amount) {
  return amount === 0 || amount >= 1 ? amount.toFixed(2) : amount.toPrecision(2);
}

/**
 * @param {MemoryStatus} status
 * @param {Record<string, any> | undefined} scan
 */
function indexedText({ files = 0, chunks = 0, custom }, scan) {
  const total = typeof scan?.totalFiles === "number" ? scan.totalFiles : undefined;
  const lost = /** @type {unknown[]} */ (custom?.lostFolders ?? []);
  const also = total === undefined ? "" : `/${total}`;
  // More are known than there are: those of a lost folder, of one that cannot be read, or of another gateway that is ahead.
  const indexed =
    also && (lost.length > 0 || files > (total ?? 0))
      ? `${counted(files, "file")}, ${total} of them on the disk now`
      : `${files}${also} files`;
  return `${indexed} · ${counted(chunks, "chunk")}`;
}

/**
 * In one word how memory is, why, and how old that knowledge is.
 * @param {MemoryStatus} status
 */
function healthLines({ custom }) {
  const health = /** @type {{state: string, reason?: string, comparedAgoMs?: number} | undefined} */ (custom?.health);
  if (!health) return [];
  const age = health.comparedAgoMs === undefined ? "never" : `${Math.round(health.comparedAgoMs / 1000)} s ago`;
  const state = paint(health.state === "ready" ? "green" : "yellow", health.state);
  return [field("State", `${state}${health.reason ? ` – ${health.reason}` : ""} · compared with the disk: ${age}`)];
}

/** Where texts go, and where the key for it comes from. @param {MemoryStatus} status */
function endpointLines({ custom }) {
  const endpoint = /** @type {{address?: string, addressFrom?: string, keyFrom?: string} | null | undefined} */ (custom?.endpoint);
  if (!endpoint) return [];
  const { address, addressFrom, keyFrom } = endpoint;
  const from = addressFrom && addressFrom !== "default" ? ` (${addressFrom})` : "";
  return [
    field("Address", address ? `${address}${from}` : "chosen by the host's provider"),
    field("Key", keyFrom ? `from ${keyFrom}` : "none"),
  ];
}

/**
 * What the server of an index in a database says of itself.
 * @param {Record<string, any> | undefined} database
 */
function databaseLines(database) {
  if (!database) return [];
  const { version, vector, tables, encrypted, standby, lagMs, answeredMs, missing, lease, compared, gateways = [] } = database;
  const behind = lagMs === undefined ? "" : `, ${Math.ceil(lagMs / 1000)} s behind`;
  const parts = [
    `PostgreSQL ${version}`,
    `pgvector ${vector}`,
    `tables of version ${tables}`,
    encrypted ? "encrypted" : "not encrypted",
    `answers in ${answeredMs} ms`,
    standby ? paint("yellow", `a standby${behind}`) : "",
    missing.length > 0 ? paint("yellow", "rights are missing (`openclaw memory doctor` names them)") : "",
  ];
  const holder =
    lease && lease.expiresMs > Date.now() ? `process ${lease.pid} on ${lease.host}, until ${timeText(lease.expiresMs)}` : "nobody now";
  const has = gateways.length > 0 ? [field("Gateways", gateways.map(gatewayText).join(" · "))] : [];
  return [
    field("Database", parts.filter(Boolean).join(" · ")),
    ...(compared ? [field("Compared", compared)] : []),
    field("Indexed by", holder),
    ...has,
  ];
}

/** A gateway with conversations and files of extra paths of its own. @param {{host: string, files: number, seenMs: number}} gateway */
function gatewayText({ host, files, seenMs }) {
  return `${host} has ${counted(files, "file")} of its own, seen ${dayText(seenMs)}`;
}

/** The notes themselves in a database, and what is kept beside them. @param {MemoryStatus} status @param {number} most */
function notesLines({ custom }, most) {
  const kept = custom?.notes;
  if (!kept) return [];
  const { notes, exchangedAtMs, conflicts, refused, stopped } = kept;
  const when = exchangedAtMs === undefined ? "never exchanged" : `exchanged last ${timeText(exchangedAtMs)}`;
  const failed = refused > 0 ? paint("yellow", `, ${refused} could not be exchanged`) : "";
  // Said in full where nothing more urgent is the state.
  const isState = /** @type {{reason?: string} | undefined} */ (custom?.health)?.reason === stopped;
  const ended = stopped ? paint("yellow", isState ? ", and the exchange has stopped" : `, and the exchange has stopped: ${stopped}`) : "";
  const lines = [field("Notes", `${counted(notes, "note")} here and in the database, ${when}${failed}${ended}`)];
  if (conflicts.length === 0) return lines;
  const open = paint("yellow", `${counted(conflicts.length, "text")} kept beside another; bring together what is needed, and delete:`);
  return [
    ...lines,
    open,
    ...firstOf(
      conflicts.map((name) => `  ${name}`),
      most,
    ),
  ];
}

/**
 * What each part takes of the disk, or of a database that agents share.
 * @param {MemoryStatus} status
 * @param {AgentStatus["disk"]} disk
 * @param {unknown} inDatabase
 */
function diskLines({ custom }, disk, inDatabase) {
  const sizes = /** @type {{database?: number, log?: number, cache?: number, free?: number} | undefined} */ (custom?.sizes);
  if (typeof sizes?.database !== "number") return [];
  const { database, log = 0, cache = 0, free = 0 } = sizes;
  const { otherIndexes = 0, records = 0 } = disk ?? {};
  const also = [`log ${byteText(log)}`, otherIndexes > 0 ? `other indexes ${byteText(otherIndexes)}` : "", `records ${byteText(records)}`];
  if (inDatabase)
    return [
      field("Disk", `tables of all agents ${byteText(database)}, of it vectors ${byteText(cache)}; here records ${byteText(records)}`),
    ];
  const index = `index ${byteText(database)}, of it vectors ${byteText(cache)} and free ${byteText(free)}`;
  return [field("Disk", [index, ...also].filter(Boolean).join("; "))];
}

/**
 * Indexes of the agent's other workspaces, which nothing removes by itself.
 * @param {Record<string, any> | undefined} scan
 * @param {number} most
 */
function otherWorkspaceLines(scan, most) {
  const others = /** @type {{path: string, workspace?: string, isGone: boolean, bytes: number}[]} */ (scan?.otherWorkspaces ?? []);
  if (others.length === 0) return [];
  return [
    paint("gray", "Indexes of other workspaces (`openclaw memory doctor` says how to remove one):"),
    ...firstOf(
      others.map(({ path, workspace = "unknown", isGone, bytes }) => {
        const gone = isGone ? paint("yellow", ", not there any more") : "";
        return `  ${path} (${byteText(bytes)}) · ${workspace}${gone}`;
      }),
      most,
    ),
  ];
}

/** Languages that the embedded model does not know. @param {Record<string, any> | undefined} scan */
function languageLines(scan) {
  const unknown = /** @type {{language: string, share: number}[]} */ (scan?.unknownLanguages ?? []);
  if (unknown.length === 0) return [];
  const named = unknown.map(({ language, share }) => `${language} (about ${Math.round(share * 100)} % of the chunks)`);
  return [
    field("Found by keywords only", `${named.join(", ")}; the bundled model knows English (\`openclaw memory setup\` offers another)`),
  ];
}

/** @param {MemoryStatus} status */
function sourceLines({ sourceCounts }) {
  if (!sourceCounts || sourceCounts.length < 2) return [];
  const counts = sourceCounts.map(({ source, files, chunks }) => `${source} ${counted(files, "file")}, ${counted(chunks, "chunk")}`);
  return [field("By source", counts.join(" · "))];
}

/** @param {MemoryStatus} status @param {boolean} verbose */
function engineLines({ vector, fts, cache, batch, fallback, custom }, verbose) {
  const vectors = vectorText(vector);
  const words = !fts?.enabled ? "disabled" : fts.available ? "ready" : `unavailable${fts.error ? `: ${fts.error}` : ""}`;
  return [
    field("Vector", `${vectors}${vector?.dims ? `, ${vector.dims} dimensions` : ""}${vector?.loadError ? `: ${vector.loadError}` : ""}`),
    custom?.lines?.pending ? field("Vectors of single lines", lineText(custom.lines)) : null,
    field("FTS", words),
    cache
      ? field(
          "Embedding cache",
          cache.enabled ? `${counted(cache.entries ?? 0, "vector")}${cache.maxEntries ? ` of ${cache.maxEntries}` : ""}` : "disabled",
        )
      : null,
    batch?.enabled || (batch && verbose) ? field("Batch", batch.enabled ? "enabled" : "disabled") : null,
    fallback ? field("Fallback", paint("yellow", `from ${fallback.from}${fallback.reason ? `: ${fallback.reason}` : ""}`)) : null,
  ];
}

/** How far they are: searches do without until all are there. @param {{pending: number, filling: boolean}} lines */
function lineText({ pending, filling }) {
  const how = filling ? "being made" : "made while an agent or a gateway runs";
  return `${counted(pending, "chunk")} to go, ${how}; until then searches compare whole chunks`;
}

/** @param {MemoryStatus["vector"]} vector */
function vectorText(vector) {
  if (!vector?.enabled) return "disabled";
  if (vector.semanticAvailable === false) return "unavailable";
  return vector.index?.state === "complete" ? "ready" : (vector.index?.state ?? "not probed");
}

/** How the provider answered, and what it takes at a time. @param {AgentStatus["embeddingProbe"]} probe */
function probeLines(probe) {
  if (!probe?.ok) return [];
  const { latencyMs, dims, limits } = probe;
  const answer = [...(latencyMs === undefined ? [] : [`${latencyMs} ms`]), ...(dims ? [counted(dims, "dimension")] : [])];
  return [
    answer.length > 0 ? field("Embeddings answer", answer.join(", ")) : null,
    limits ? field("Request limits", `${limits.items} texts, ${limits.tokens} tokens, ${limits.inputTokens} tokens a text`) : null,
  ];
}

/** What today cost. @param {any} usage */
function usageLines(usage) {
  if (!usage) return [];
  const rate = typeof usage.hitRate === "number" ? ` · cache hit rate ${Math.round(usage.hitRate * 100)} %` : "";
  const models = (usage.models ?? []).map((/** @type {any} */ row) => `  ${row.provider} ${row.model} · ${spentText(row)}`);
  return [field(`Embedded today (${usage.day})`, `${spentText(usage)}${rate}`), ...(models.length > 1 ? models : [])];
}

/** @param {{requests: number, texts: number, tokens: number}} spent */
function spentText({ requests, texts, tokens }) {
  return `${counted(requests, "request")}, ${counted(texts, "text")}, ${counted(tokens, "token")}`;
}

/**
 * @param {MemoryStatus} status
 * @param {Record<string, any> | undefined} scan
 * @param {{message: string} | undefined} indexError
 * @param {number} most
 */
function problemLines(status, scan, indexError, most) {
  const { credentialProblems, warnings, embeddingError } = status.custom ?? {};
  const problems = [
    ...(indexError && indexError.message !== embeddingError?.message ? [`index: ${indexError.message}`] : []),
    ...(status.lastSyncError && status.lastSyncError !== embeddingError?.message ? [`last update: ${status.lastSyncError}`] : []),
    ...embeddingLines(status),
    ...(Array.isArray(credentialProblems) ? credentialProblems : []),
    ...(Array.isArray(warnings) ? warnings : []),
    ...(scan?.issues ?? []).map(inOneLine),
    ...(status.custom?.malformedAnnotations ?? []).map(({ path, line, reason }) => `${path}:${line}: ${reason}`),
    ...changeLines(scan?.pending),
  ];
  const lines = problems.map((problem) => `  ${paint("yellow", problem)}`);
  return lines.length > 0 ? [paint("gray", "Issues:"), ...firstOf(lines, most, scan?.moreSkipped)] : [];
}

/** Which chunks have no vector, and why. @param {MemoryStatus} status */
function embeddingLines({ custom }) {
  const { embeddingError, pendingEmbeddings = 0, refusedTexts = 0, latestRefusal } = custom ?? {};
  const lines = [];
  if (embeddingError) {
    const missing = pendingEmbeddings > 0 ? `${counted(pendingEmbeddings, "chunk")} without a vector` : "vectors";
    lines.push(`${missing}, found by words only since ${timeText(embeddingError.sinceMs)}: ${embeddingError.message}`);
  }
  if (refusedTexts > 0) {
    const named = latestRefusal ? `, ${latestRefusal.path} for one: ${latestRefusal.reason}` : "";
    const again = latestRefusal ? ` (asked again after ${timeText(latestRefusal.askedAgainAtMs)})` : "";
    lines.push(`refused by the provider and found by words only: ${counted(refusedTexts, "text")}${named}${again}`);
  }
  return lines;
}

/** What the engine warned of lately, in whichever process. @param {MemoryStatus} status @param {number} most */
function warningLines({ custom }, most) {
  const warnings = custom?.lastWarnings ?? [];
  if (warnings.length === 0) return [];
  const times = (/** @type {number} */ count) => (count > 1 ? `, ${count} times` : "");
  const lines = warnings.map(({ level, message, count, atMs }) => {
    return `  ${timeText(atMs)}${times(count)}: ${paint(level === "error" ? "red" : "yellow", message)}`;
  });
  return [paint("gray", "Last warnings:"), ...firstOf(lines, most)];
}

/** What the next update would do. @param {Record<string, any> | undefined} pending */
function changeLines(pending) {
  const changes = [
    ...(pending?.changed?.length ? [`${counted(pending.changed.length, "file")} changed`] : []),
    ...(pending?.removed?.length ? [`${counted(pending.removed.length, "file")} gone`] : []),
    ...(pending?.restored?.length ? [`${counted(pending.restored.length, "note")} in the database that this workspace gets`] : []),
    ...(pending?.texts ? [`${counted(pending.texts, "text")} (about ${pending.tokens} tokens) to embed`] : []),
  ];
  return changes.length > 0 ? [`not in the index yet: ${changes.join(", ")}`] : [];
}

/** @param {NonNullable<AgentStatus["automatic"]>} parts */
function automaticText(parts) {
  if ("error" in parts) return paint("red", parts.error.message);
  const { recall, capture, captureOnCompaction, shortTerm, sessionNotes, storedFacts, activeMemory, older, waiting } = parts;
  const on = [
    recall ? "recall" : "",
    capture ? `capture by ${capture}` : "",
    captureOnCompaction ? "capture at compaction" : "",
    shortTerm ? "last turns" : "",
    sessionNotes ? "session notes" : "",
    storedFacts ? "stored facts" : "",
    activeMemory ? `active memory (${activeMemory})` : "",
  ].filter(Boolean);
  const said = on.length > 0 ? on.join(", ") : "off";
  const notes = [
    ...(waiting ? [`${counted(waiting, "turn")} ${waiting === 1 ? "waits" : "wait"} to be captured (openclaw memory doctor)`] : []),
    ...(older ? [olderText(older)] : []),
  ];
  return [said, ...notes.map((note) => paint("yellow", note))].join("; ");
}

/**
 * Every setting that somebody has set, with its value and origin; with `all` the defaults as well.
 * @param {Record<string, any> | undefined} explained
 * @param {boolean} all
 */
function settingLines(explained, all) {
  if (!explained) return [];
  const origins = Object.entries(explained.origins ?? {});
  const shown = all ? origins : origins.filter(([, origin]) => origin !== "default");
  return [
    paint(
      "gray",
      all || shown.length === origins.length ? "Settings:" : `Settings (${origins.length - shown.length} at their defaults: --all):`,
    ),
    ...shown.map(([name, origin]) => `  ${name}${settingText(explained, name)} ${paint("gray", `← ${origin}`)}`),
    ...(explained.warnings ?? []).map((/** @type {string} */ warning) => `  ${paint("yellow", warning)}`),
  ];
}

/**
 * What a setting is, or nothing where that is left to the provider or the ranking.
 * @param {Record<string, any>} explained
 * @param {string} name
 */
function settingText({ settings, values }, name) {
  const kept = name.split(".").reduce((/** @type {any} */ part, key) => part?.[key], settings);
  const value = values?.[name] ?? kept ?? undefined;
  return value === undefined ? "" : ` = ${JSON.stringify(value)}`;
}
