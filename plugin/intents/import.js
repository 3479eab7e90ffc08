// Takes over what memory-core has armed in the host's database, which only the host opens.

import { listAgentIds } from "../../lib/config.js";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { automaticAgent, hasIntents } from "../hooks/agent.js";
import { importSdk } from "../sdk.js";

const ROWS = `SELECT id, description, trigger_keywords AS triggerKeywords, channel_scope AS channelScope, sender_scope AS senderScope,
  creator_sender AS creatorSender, status, expires_at AS expiresAt, max_fires AS maxFires, fire_count AS fireCount,
  cooldown_seconds AS cooldownSeconds, last_fired_at AS lastFiredAt, created_at AS createdAt, source_session_id AS sourceSessionId
  FROM standing_intents WHERE status IN ('pending', 'armed', 'fired') AND creator_sender IS NOT NULL`;

/**
 * Takes over the intents of all agents, each once; gives how many are new.
 * @param {import("../host.js").Host} host
 * @param {import("../host.js").HostConfig} cfg
 */
export async function importIntents(host, cfg) {
  let count = 0;
  for (const agentId of listAgentIds(cfg)) {
    if (!hasIntents(cfg, agentId)) continue;
    const rows = await rowsOf(agentId);
    if (rows.length === 0) continue;
    count += await native().importIntents(automaticAgent(host, cfg, agentId).native, JSON.stringify(rows));
  }
  if (count > 0) host.logger.info(`${PLUGIN_ID}: ${count} standing intent${count === 1 ? "" : "s"} of memory-core taken over`);
  return count;
}

/**
 * @param {string} agentId
 * @returns {Promise<any[]>}
 */
async function rowsOf(agentId) {
  const storage = await importSdk("memory-core-host-engine-storage");
  const opened = storage?.openOpenClawAgentDatabaseReadOnly?.({ agentId });
  if (!opened?.found) return [];
  const { db, close } = opened.database;
  try {
    const has = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'standing_intents'").get();
    return has ? db.prepare(ROWS).all().map(read) : [];
  } finally {
    close();
  }
}

/** @param {Record<string, any>} row */
const read = (row) => ({ ...row, triggerKeywords: JSON.parse(row.triggerKeywords) });
