// Makes the one module that is packed of all our JavaScript (scripts/ship/bundle.mjs).

import { fileURLToPath } from "node:url";
import { writeBundle } from "./ship/bundle.mjs";

await writeBundle(fileURLToPath(new URL("..", import.meta.url)));
