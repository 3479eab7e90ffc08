// `openclaw memory setup`

import { createInterface } from "node:readline/promises";
import { lineOf, missingRequirements } from "../requirements.js";
import { paint, print, printJson } from "./output.js";

/**
 * @typedef {{yes?: boolean, json?: boolean}} Options
 * @param {import("../host.js").Host} host
 * @param {Options} options
 */
export async function runSetup(host, options) {
  const missing = missingRequirements(host, await host.sourceConfig());
  const keys = missing.map((need) => need.key);
  if (missing.length === 0) {
    return options.json ? printJson({ written: [], missing: [] }) : print("Everything is set up.");
  }
  if (!options.json) {
    print("This host needs in its configuration:");
    for (const need of missing) print(`  ${paint("cyan", lineOf(need))} – ${need.reason}`);
  }
  if (!options.yes && !(await confirmed())) {
    process.exitCode = 1;
    return options.json
      ? printJson({ written: [], missing: keys })
      : print("Nothing was written. Use --yes to write it without a question.");
  }
  await host.editConfig((draft) => {
    for (const need of missing) need.apply(draft);
  });
  return options.json
    ? printJson({ written: keys, missing: [] })
    : print("Written. A running gateway takes it over by itself or at its next start.");
}

/** Asks at a terminal; nobody there means no. */
async function confirmed() {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return !/^n/i.test(await prompt.question("Write this? [Y/n] "));
  } finally {
    prompt.close();
  }
}
