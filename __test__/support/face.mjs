// What scripts/try-addon.mjs has another Node do: plain JavaScript, because test runners do not start everywhere.
//   node face.mjs killed|answers FOLDER PACKAGE
// "killed" ends itself without a word while notes are embedded; "answers" goes on with what that left.

import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { platformTriple } from "../../lib/native.js";
import { QUESTIONS } from "../../scripts/ship/answers.mjs";
import { FACE } from "../../scripts/ship/stale.mjs";

const [phase, folder, root] = process.argv.slice(2);
/** @type {typeof import("../../index.js")} */
const { MemoryIndexManager } = await import(pathToFileURL(path.join(root, FACE)).href);
const workspace = fileURLToPath(new URL("../../examples/workspace", import.meta.url));
const cfg = { agents: { defaults: { workspace } }, memory: { search: { provider: "embedded" } } };
const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir: path.join(folder, "state"), env: {} });
if (!manager) throw new Error("memory search is switched off");

if (phase === "killed") {
  await manager.sync({ reason: "try", textOnly: true });
  // The first text is with the model when the process ends.
  void manager.sync({ reason: "try" });
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  await new Promise(() => {});
}

const found = manager.status().chunks;
await manager.sync({ reason: "try" });
const answers = [];
for (const { question } of QUESTIONS) {
  const hits = await manager.search(question, { maxResults: 3 });
  answers.push({ question, hits: hits.map((hit) => ({ at: `${hit.path}:${hit.startLine}-${hit.endLine}`, score: hit.score })) });
}
const { chunks, provider } = manager.status();
await manager.close();
console.log(JSON.stringify({ platform: platformTriple(), node: process.version, found, chunks, provider, answers }));
