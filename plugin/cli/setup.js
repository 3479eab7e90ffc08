// `openclaw memory setup`

import { lineOf, missingRequirements } from "../requirements.js";
import { confirmed } from "./confirm.js";
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
  if (!options.yes && !(await confirmed("Write this? [Y/n] ", { fallback: true }))) {
    process.exitCode = 1;
    return options.json
      ? printJson({ written: [], missing: keys })
      : print("Nothing was written. Use --yes to write it without a question.");
  }
  const apply = (/** @type {import("../host.js").HostConfig} */ draft) => {
    for (const need of missing) need.apply(draft);
  };
  await host.editConfig(apply, keys);
  const left = missingRequirements(host, await host.sourceConfig());
  if (left.length > 0) process.exitCode = 1;
  if (options.json) {
    const leftKeys = left.map((need) => need.key);
    return printJson({ written: keys.filter((key) => !leftKeys.includes(key)), missing: leftKeys });
  }
  if (left.length === 0) return print("Written. A running gateway takes it over by itself or at its next start.");
  print("The host did not write this; please do it by hand:");
  for (const need of left) print(`  openclaw config set ${need.key} '${JSON.stringify(need.value)}' --strict-json`);
}
