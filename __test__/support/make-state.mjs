// Writes what a released version leaves on a disk, so that tests can open it with the addon of today: notes, an index with
// words and vectors, a conversation, stored facts, captures with turns that still wait, the last turns, what is forgotten.
//
//   node __test__/support/make-state.mjs /path/to/that/version __test__/fixtures/0.1.0
//
// That version has to be built where it lies. Beside the packed folders it leaves what that version found.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [root, target] = process.argv.slice(2).map((name) => path.resolve(name));
/** @param {string} file */
const load = (file) => import(pathToFileURL(path.join(root, file)).href);
const { MemoryIndexManager, closeAllMemoryIndexManagers } = await load("index.js");
const { native } = await load("lib/native.js");
const { PACKAGE_VERSION } = await load("lib/package-info.js");

/** @type {Record<string, string>} */
const NOTES = {
  "MEMORY.md": "# Memory\n\n## Home\n\nThe favourite tea is sencha. The spare key hangs behind the clock in the hall.\n",
  "memory/2026-10-02.md":
    "# 2026-10-02\n\n## Boiler\n\nThe technician set the pressure to 1.4 bar and replaced the valve.\n\n## Garden\n\nPlanted two apple trees near the fence.\n",
  "memory/2026-10-09.md": "# 2026-10-09\n\nProject Falcon moved to PostgreSQL 17. The nightly backup runs at 02:30.\n",
  "memory/reisen.md": "# Reisen\n\nDer Zug nach Graz fährt um 7:12 Uhr von Gleis 9.\n\nDie Fahrkarte liegt in der blauen Mappe.\n",
  "memory/日記.md": "# 日記\n\n京都の宿は四条烏丸の近くにある。\n",
  "memory/private.md": "# Private\n\nThe surprise party for Ana is on Saturday.\n\nThe band is called The Lanterns.\n",
};

/** Questions whose first answer the test asks for again. */
const QUERIES = [
  "boiler pressure",
  "Where does the spare key hang?",
  "which database does Falcon use",
  "when is the copy of the data made at night",
  "Zug nach Graz",
  "京都の宿",
  "Where did my sister Lena move to?",
  "gate code",
  "surprise party for Ana",
  "The band is called",
];

const dir = await mkdtemp(path.join(os.tmpdir(), "memory-core-rs-state-"));
const [workspace, stateDir] = [path.join(dir, "workspace"), path.join(dir, "state")];

/** @param {string} file @param {string} text */
async function put(file, text) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

for (const [name, text] of Object.entries(NOTES)) await put(path.join(workspace, name), text);
const said = [
  ["user", "My sister Lena moved to Porto in spring."],
  ["assistant", "Noted: Lena lives in Porto now."],
].map(([role, text]) => `${JSON.stringify({ type: "message", message: { role, content: [{ type: "text", text }] } })}\n`);
await put(path.join(stateDir, "agents", "main", "sessions", "s1.jsonl"), said.join(""));

/** Whole seconds of long ago: an archive keeps them, and the index trusts them. */
async function settle() {
  const then = new Date("2026-10-10T12:00:00Z");
  for (const folder of [workspace, path.join(stateDir, "agents")]) {
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
      if (entry.isFile()) await utimes(path.join(entry.parentPath, entry.name), then, then);
  }
}

const search = { provider: "embedded", sources: ["memory", "sessions"], experimental: { sessionMemory: true } };
const plugin = { autoCapture: true, storedFacts: { enabled: true }, shortTerm: { enabled: true } };
const cfg = { agents: { defaults: { workspace } }, memory: { search }, plugins: { entries: { "memory-core-rs": { config: plugin } } } };
const agent = { config: plugin, agentId: "main", isDefaultAgent: true, stateDir };
await settle();
const manager = await MemoryIndexManager.get({ cfg, agentId: "main", stateDir, env: {}, purpose: "cli" });
await manager.sync();

await manager.run((/** @type {any} */ engine) => engine.storeFact({ text: "The gate code is 4711", category: "entity", importance: 0.9 }));
await manager.run((/** @type {any} */ engine) => engine.storeFact({ text: "Prefers green tea over coffee", category: "preference" }));

/** @param {string} id @param {string[]} texts */
const queue = (id, ...texts) =>
  native().queueCapture(agent, { id, sessionKey: "agent:main:main", messages: texts.map((text) => ({ role: "user", text })) });
queue("judged", "I prefer trains to planes.", "I live in Braga near the market.", "What time is it?");
await manager.captureByRules(agent);
/** @type {{captures: {id: string, text: string, status: string}[]}} */
const { captures } = await native().listCaptures(agent, 10);
await manager.undoCapture(agent, captures.find(({ text }) => text.includes("Braga"))?.id);
// One turn that somebody began and did not finish, and one that nobody has looked at.
queue("begun", "My dog is called Faísca.");
await manager.nextExtraction(agent);
queue("waiting", "I always order the vegetarian dish.");

native().recordTurn(agent, "Which database does Falcon use?", "PostgreSQL 17.");
native().recordTurn(agent, "And when does the backup run?", "Every night at 02:30.");
native().recordTurn(agent, "My appointment is on Monday.", "Noted.", "ana");
native().settleTurns();

await manager.rememberGroupWords(agent, "memory/2026-10-09.md", ["- The password hint is the name of the old boat."]);
await manager.forget({ paths: ["memory/private.md"], fromLine: 3, toLine: 3, agent });
await settle();
await manager.sync();

const first = async (/** @type {string} */ query) => {
  const [hit] = await manager.search(query, { maxResults: 1 });
  return { query, hit: hit ? { path: hit.path, startLine: hit.startLine, endLine: hit.endLine } : null };
};
const answers = [];
for (const query of QUERIES) answers.push(await first(query));
const { files, chunks, sourceCounts } = manager.status();
const facts = await manager.run((/** @type {any} */ engine) => engine.facts());
const log = await native().listCaptures(agent, 10);
const found = {
  version: PACKAGE_VERSION,
  cfg: { ...cfg, agents: undefined },
  status: { files, chunks, sourceCounts },
  answers,
  facts,
  captures: log.captures,
  waiting: log.waiting,
  block: native().shortTermBlock(agent),
  blockOfAna: native().shortTermBlock(agent, "ana"),
  forgotten: await manager.forgotten(),
};
await closeAllMemoryIndexManagers();

await mkdir(target, { recursive: true });
await writeFile(path.join(target, "found.json"), `${JSON.stringify(found, null, 2)}\n`);
// The weights are those of the package.
execFileSync("tar", ["-czf", path.join(target, "state.tar.gz"), "--exclude=models", "-C", dir, "workspace", "state"]);
await rm(dir, { recursive: true });
