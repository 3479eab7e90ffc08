// The tool `memory_get`.

import { errorCode, errorMessage, switchedOff } from "../../lib/errors.js";
import { noteRead } from "../consolidation/evidence.js";
import { getManager } from "../runtime.js";
import { readSupplements, SUPPLEMENT_CORPUS } from "../supplements.js";
import { toolContext } from "./context.js";
import { optionalChoice, optionalCount, paramRecord, requiredText } from "./params.js";
import { jsonResult } from "./result.js";

/**
 * @typedef {import("./context.js").ToolContext} ToolContext
 * @typedef {{path: string, from?: number, lines?: number, corpus?: (typeof CORPORA)[number]}} GetCall
 */

export const CORPORA = /** @type {const} */ (["memory", SUPPLEMENT_CORPUS, "all"]);

export const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "Path as memory_search returned it" },
    from: { type: "integer", minimum: 1, description: "First line" },
    lines: { type: "integer", minimum: 1, description: "Number of lines" },
    corpus: { type: "string", enum: CORPORA },
  },
  required: ["path"],
  additionalProperties: false,
};

/** @param {{files: string}} sources */
export function describe({ files }) {
  return (
    `Read exact lines of a memory file: ${files}. Use it after memory_search to pull only the lines you need. ` +
    `Without lines it returns a bounded excerpt; when there is more, nextFrom says where to go on; totalLines tells that from is after the last line. ` +
    `status=ok: read; not_found: no such file; error: not allowed or not readable, with the reason. ` +
    `Transcripts cannot be read with it. corpus=wiki reads from installed wikis, corpus=all from both.`
  );
}

/** A place as sources and our commands name one: `path#L3`, `path#L3-L7`, `path:3`, `path:3-7`. */
const PLACE = /^(.+\.\w{1,10})(?:#L|:)(\d{1,9})(?:-L?(\d{1,9}))?$/;

/**
 * What a source names: a file and lines of it.
 * @param {string} written
 * @returns {{path: string, from?: number, lines?: number}}
 */
function placeOf(written) {
  const [, path, first, last = first] = PLACE.exec(written) ?? [];
  if (!path) return { path: written };
  const from = Math.max(1, Number(first));
  return { path, from, lines: Math.max(1, Number(last) - from + 1) };
}

/**
 * @param {import("../host.js").Host} host
 * @param {Record<string, any>} ctx
 * @param {unknown} rawParams
 * @param {AbortSignal} [signal]
 */
export async function execute(host, ctx, rawParams, signal) {
  const params = paramRecord(rawParams);
  const place = placeOf(requiredText(params, "path"));
  const call = {
    path: place.path,
    from: optionalCount(params, "from") ?? place.from,
    lines: optionalCount(params, "lines") ?? (params.from === undefined ? place.lines : undefined),
    corpus: optionalChoice(params, "corpus", CORPORA),
  };
  signal?.throwIfAborted();
  const context = toolContext(ctx);
  if (!context) return failure(host, call, switchedOff());
  if (call.corpus === SUPPLEMENT_CORPUS) return await fromSupplements(context, call, notFound(call));
  try {
    const read = await fromMemory(host, context, call);
    return call.corpus === "all" && read.status === "not_found" ? await fromSupplements(context, call, read) : jsonResult(read);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    return call.corpus === "all" ? await fromSupplements(context, call, failurePayload(host, call, error)) : failure(host, call, error);
  }
}

/**
 * @param {import("../host.js").Host} host
 * @param {ToolContext} context
 * @param {GetCall} call
 */
async function fromMemory(host, context, call) {
  const { manager, cause } = await getManager(host, context);
  if (!manager) throw cause ?? switchedOff();
  try {
    const read = await manager.readFile({ relPath: call.path, from: call.from, lines: call.lines });
    noteRead(host, context, read);
    return read;
  } finally {
    if (context.purpose === "cli") await manager.close();
  }
}

/**
 * @param {ToolContext} context
 * @param {GetCall} call
 * @param {Record<string, unknown>} otherwise What to answer when no supplement has it.
 */
async function fromSupplements(context, call, otherwise) {
  const { result, warnings } = await readSupplements({
    lookup: call.path,
    fromLine: call.from,
    lineCount: call.lines,
    agentId: context.agentId,
    agentSessionKey: context.sessionKey,
    sandboxed: context.sandboxed,
  });
  return jsonResult({ ...(result ?? otherwise), warning: warnings.join(" ") || undefined });
}

/** @param {GetCall} call */
function notFound(call) {
  return { status: "not_found", path: call.path, text: "" };
}

/**
 * @param {import("../host.js").Host} host
 * @param {GetCall} call
 * @param {unknown} error
 */
function failurePayload(host, call, error) {
  return {
    status: "error",
    path: call.path,
    text: "",
    code: errorCode(error) ?? "MEMORY_READ_FAILED",
    error: errorMessage(error),
    // Older hosts know a failed read by this flag; newer ones take it for "memory is off".
    disabled: host.has("disabledMeansOff") ? undefined : true,
  };
}

/**
 * @param {import("../host.js").Host} host
 * @param {GetCall} call
 * @param {unknown} error
 */
function failure(host, call, error) {
  return jsonResult(failurePayload(host, call, error));
}
