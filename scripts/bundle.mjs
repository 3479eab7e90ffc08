// Makes the one module that is packed of all our JavaScript (scripts/ship/bundle.mjs), the page (scripts/ship/page.mjs),
// and what draws pictures of it (scripts/ship/pictures.mjs).

import { fileURLToPath } from "node:url";
import { writeBundle } from "./ship/bundle.mjs";
import { writePage } from "./ship/page.mjs";
import { writePictures } from "./ship/pictures.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
await writeBundle(root);
await writePage(root);
await writePictures(root);
