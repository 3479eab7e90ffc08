// What this package is called and which version of it this code belongs to.

import { readFileSync } from "node:fs";

/** Plugin id, npm name and prefix of every native binary. */
export const PLUGIN_ID = "memory-core-rs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Version of the package, from its own package.json. */
export const PACKAGE_VERSION = String(manifest.version);
