// The sections `activeMemory` of the settings: where there is none, nothing of active memory is there but its command.

import { isRecord } from "../../lib/config.js";

/**
 * Those of all agents and of each.
 * @param {unknown} settings The plugin's own settings.
 * @returns {Record<string, any>[]}
 */
export function sections(settings) {
  if (!isRecord(settings)) return [];
  const layers = [settings, ...Object.values(isRecord(settings.agents) ? settings.agents : {})];
  return layers.flatMap((layer) => (isRecord(layer) && isRecord(layer.activeMemory) ? [layer.activeMemory] : []));
}
