// Makes the one module that is packed of all our JavaScript (scripts/ship/bundle.mjs), and the page (scripts/ship/page.mjs).

import { fileURLToPath } from "node:url";
import { writeBundle } from "./ship/bundle.mjs";
import { writePage } from "./ship/page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
await writeBundle(root);
await writePage(root);
