// `openclaw memory report`

import { open } from "node:fs/promises";
import path from "node:path";
import { reportOf } from "../page/report.js";
import { forOneAgent } from "./agents.js";
import { print, printJson } from "./output.js";

/**
 * Writes the page as one file, which only its owner may read.
 * @param {import("../host.js").Host} host
 * @param {string | undefined} file
 * @param {{agent?: string, text: boolean, json?: boolean}} options
 */
export async function runReport(host, file, { text: isPrivate, ...options }) {
  await forOneAgent(host, options, { name: "memory report", doing: "Memory report" }, async ({ agentId }) => {
    const madeAt = new Date().toISOString();
    const target = path.resolve(file ?? `memory-report-${agentId}-${madeAt.slice(0, 10)}.html`);
    await writePrivately(target, await reportOf(host, agentId, { isPrivate, madeAt }));
    if (options.json) printJson({ agentId, file: target, private: isPrivate });
    else print(`${target}${isPrivate ? "\nIt holds texts of your memory: --no-text leaves them out." : ""}`);
  });
}

/**
 * Also where a file was there that others may read.
 * @param {string} target
 * @param {string} text
 */
async function writePrivately(target, text) {
  const mode = 0o600;
  const file = await open(target, "w", mode);
  try {
    if ((await file.stat()).isFile()) await file.chmod(mode);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
