// What this package is called and which version of it this code belongs to.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OWN_PACKAGE } from "./package-root.js";

/** Plugin id, npm name and prefix of every native binary. */
export const PLUGIN_ID = "memory-core-rs";

const manifest = JSON.parse(readFileSync(join(OWN_PACKAGE, "package.json"), "utf8"));

/** Version of the package, from its own package.json. */
export const PACKAGE_VERSION = String(manifest.version);
