// The README's first command: indexes the sample workspace with the embedded model and asks it a few questions.
//   npm run demo                     the sample workspace and its questions
//   npm run demo -- DIR "question"   your own folder of notes

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryIndexManager } from "../index.js";

const [folder = fileURLToPath(new URL("../examples/workspace", import.meta.url)), ...asked] = process.argv.slice(2);
const questions =
  asked.length > 0
    ? asked
    : [
        "when do I put out the trash", // a paraphrase: no word in common with the note
        "ERR_FLASH_4012",
        "sensor poll interval",
        "comboio para Lisboa",
        "備份密碼",
        "hello, how are you?", // nothing to remember: nothing is shown
      ];

const stateDir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-demo-"));
const cfg = { agents: { defaults: { workspace: path.resolve(folder) } }, memory: { search: { provider: "embedded" } } };
const manager = await MemoryIndexManager.get({ cfg, agentId: "main", purpose: "cli", stateDir });
if (!manager) throw new Error("memory search is switched off in this configuration");
try {
  await manager.sync({ reason: "demo" });
  const { files, chunks, provider, model } = manager.status();
  console.log(`Indexed ${files} files in ${chunks} chunks with ${provider} (${model}): no key, no server, no network.`);
  for (const question of questions) {
    console.log(`\n? ${question}`);
    const hits = await manager.search(question, { maxResults: 2 });
    if (hits.length === 0) console.log("  (nothing)");
    for (const { path: file, startLine, endLine, score, snippet } of hits) {
      console.log(`  ${file}#L${startLine}-L${endLine}  ${score.toFixed(2)}`);
      for (const line of snippet.split("\n")) if (line.trim() !== "") console.log(`    ${line}`);
    }
  }
} finally {
  await manager.close();
  await rm(stateDir, { recursive: true, force: true });
}
