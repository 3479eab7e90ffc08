// The plugin: the list of everything it registers.
//
// `register` runs several times in one process, in every mode, from different copies of the package. It is synchronous,
// does nothing but register, and registers everything that its mode has a use for each time.

import { setPackageRoot } from "../lib/package-root.js";
import { registerActiveMemory } from "./active-memory/register.js";
import { registerCapability } from "./capability.js";
import { registerCli } from "./cli/register.js";
import { registerDreamingCommand } from "./commands/dreaming.js";
import { registerConsolidation } from "./consolidation/methods.js";
import { registerEmbeddingProviders } from "./embedding-providers.js";
import { registerHooks } from "./hooks/register.js";
import { Host } from "./host.js";
import { IDENTITY } from "./identity.js";
import { registerIntents } from "./intents/register.js";
import { registerPage } from "./page/register.js";
import { importFrom } from "./sdk.js";
import { registerService } from "./service.js";
import { registerTools } from "./tools/register.js";

/** @typedef {import("./host.js").PluginApi} PluginApi */

export default {
  ...IDENTITY,
  /**
   * @param {PluginApi} api
   * @param {(id: string) => Promise<any>} [importHere] `import` of the file that this host loaded, when that is not this one
   */
  register(api, importHere) {
    if (importHere) importFrom(importHere);
    setPackageRoot(api.rootDir);
    const host = new Host(api);
    // Described for the command line: there is no runtime, and nothing else of it is used.
    if (api.registrationMode === "cli-metadata") return registerCli(api, host);
    const parts = [
      registerCapability,
      registerEmbeddingProviders,
      registerTools,
      registerCli,
      registerDreamingCommand,
      registerConsolidation,
      registerService,
      registerHooks,
      registerActiveMemory,
      registerIntents,
      registerPage,
    ];
    for (const part of parts) part(api, host);
  },
};
