// `openclaw memory audit`: what memory has of conversations, people or a time, and where it may take nothing from.

import { errorCode } from "../../lib/errors.js";
import { exclusionOf } from "../forgetting/policy.js";
import { forgetRequest, namesOf } from "../forgetting/request.js";
import { forOneAgent, withSearch } from "./agents.js";
import { hostFields, inventory } from "./forget.js";
import { dayText, paint, print, printJson } from "./output.js";

/**
 * @typedef {import("../forgetting/request.js").Wanted & {agent?: string, json?: boolean}} Options
 * @typedef {import("../forgetting/conversations.js").Found} Found
 */

/** Where nothing is named, all conversations are meant. */
const EVER = "1970-01-01T00:00:00Z";

/**
 * @param {import("../host.js").Host} host
 * @param {Options} options
 */
export async function runAudit(host, options) {
  await forOneAgent(host, options, { name: "memory audit", doing: "Memory audit" }, async (agent) => {
    await withSearch(host, agent, async (manager) => {
      const { cfg, agentId } = agent;
      const asked = await forgetRequest(host, agent, namesOf(options).length > 0 ? options : { ...options, since: EVER });
      const report = await manager.forget({ ...asked.request, dryRun: true }).catch((error) => {
        // It is no failure that memory has nothing.
        if (errorCode(error) === "MEM_NOT_FOUND") return null;
        throw error;
      });
      const names = new Set((await manager.forgotten()).map(({ name }) => name));
      const conversations = asked.found.map((one) => {
        const excluded = exclusionOf(host, cfg, agentId, { sessionKey: one.sessionKey });
        const forgotten = names.has(one.sessionId) || names.has(one.sessionKey ?? "");
        return { ...one, ...(excluded ? { excluded } : {}), ...(forgotten ? { forgotten } : {}) };
      });
      if (options.json)
        return printJson({ agentId, conversations, report, ...(report ? hostFields(report, asked.found, asked.refusals) : {}) });
      print([...conversations.map(conversationText), ...asked.refusals].join("\n") || "No conversation is meant.");
      const lines = report ? inventory(report, { goes: false }) : [];
      print(lines.length > 0 ? ["Memory has of it:", ...lines].join("\n") : "Memory has nothing of it.");
    });
  });
}

/** @param {Found & {excluded?: string, forgotten?: boolean}} conversation */
function conversationText({ sessionId, sessionKey, resolution, fromMs, participants, excluded, forgotten }) {
  const began = fromMs === undefined ? "" : ` since ${dayText(fromMs)}`;
  const who = participants.length > 0 ? ` with ${participants.join(", ")}` : "";
  const state = [
    resolution === "unresolved" ? "the host knows no such conversation" : null,
    excluded ? `left out (${excluded})` : null,
    forgotten ? "forgotten" : null,
  ].filter((text) => text !== null);
  return `${paint("cyan", sessionId)} ${sessionKey ?? ""}${began}${who}${state.length > 0 ? `: ${state.join(", ")}` : ""}`;
}
