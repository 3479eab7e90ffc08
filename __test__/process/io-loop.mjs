// Lets the first, second, third … write or sync of an engine's life fail, until one life sees no failure, and looks
// after each whether searches went on, the index came back, and it is what the disk says. Runs under the
// library of io-faults.c; ./io-faults.mjs starts it.
//   node io-loop.mjs <folder> <control file> <stride> <offset>

import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { MemoryIndexManager } from "../../index.js";
import { startProvider } from "../support/provider.mjs";
import { Control, FAULTS, WRITES } from "./fault-control.mjs";

const [folder, controlFile, stride, offset] = process.argv.slice(2);

const WORKSPACE = path.join(folder, "workspace");
const STATE = path.join(folder, "state");
const TEMPLATE = path.join(folder, "template");
const FILES = 12;
const ANCHOR = "memory/anchor.md";
/** Files that may lie beside the database: nothing is damaged, so nothing is set aside. */
const EXPECTED = /^index\.sqlite(-wal|-shm)?$/;
/** Longest time that closing may take, in milliseconds; the promise is a second of a machine that does nothing else. */
const CLOSE_MS = 3000;
/** Longest time until somebody else may index. */
const TAKEN_OVER_MS = 30_000;
/** Of the lives with a disk that does not get well, every so many-th ends on it. */
const ENDS_FAILING = 50;

/** How a life goes: from nothing, after edits, or with a rebuild. */
const LIVES = [
  { name: "a new index", isNew: true, force: false },
  { name: "an update", isNew: false, force: false },
  { name: "a rebuild", isNew: false, force: true },
];

const control = new Control(controlFile);
const provider = await startProvider({ latencyMs: 0, counting: false });
const search = { provider: "openai-compatible", model: "m", remote: { baseUrl: provider.baseUrl } };
const request = {
  cfg: { agents: { defaults: { workspace: WORKSPACE } }, memory: { search } },
  agentId: "main",
  stateDir: STATE,
  modelPaths: [],
  env: {},
  purpose: /** @type {"cli"} */ ("cli"),
};
const open = async () => /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get(request));

/** @param {number} n @param {string} edition */
async function write(n, edition) {
  const lines = Array.from({ length: 8 }, (_, line) => `- Note ${line} of file ${n}, ${edition}: ${"what was said ".repeat(4)}`);
  await writeFile(path.join(WORKSPACE, "memory", `note-${n}.md`), lines.join("\n"));
}

/** Failures in this round. */
let failed = 0;

/** @param {unknown} error */
const told = (error) => `${/** @type {any} */ (error)?.code ?? "no code"}: ${/** @type {any} */ (error)?.message ?? error}`;

/** One life with failures. @param {typeof LIVES[number]} life @param {boolean} endsFailing @param {string[]} problems */
async function live(life, endsFailing, problems) {
  /** @type {unknown[]} */
  const errors = [];
  const attempt = async (/** @type {() => Promise<void>} */ work) => work().catch((error) => void errors.push(error));
  /** @type {MemoryIndexManager | null} */
  let manager = null;
  await attempt(async () => {
    manager = await open();
  });
  if (manager) await use(manager, { life, endsFailing, attempt, problems });
  const strange = errors.filter((error) => !/^MEM_/.test(/** @type {any} */ (error)?.code ?? ""));
  problems.push(...strange.map((error) => `an error without code: ${told(error)}`));
  return errors;
}

/**
 * @param {MemoryIndexManager} manager
 * @param {{life: typeof LIVES[number], endsFailing: boolean, problems: string[],
 *   attempt: (work: () => Promise<void>) => Promise<void>}} context
 */
async function use(manager, { life, endsFailing, attempt, problems }) {
  let isSynced = false;
  await attempt(async () => {
    const report = await manager.sync({ force: life.force });
    isSynced = !report.embeddingError;
  });
  if (!life.isNew) {
    const found = await manager.search("zanzibar", { lexicalOnly: true }).catch((error) => told(error));
    if (!Array.isArray(found) || found[0]?.path !== ANCHOR) problems.push(`no search while it fails: ${JSON.stringify(found)}`);
  }
  // The disk works again: so must this process, without a restart. A lease that cannot be given back at closing takes
  // 20 seconds to run out, so only a few lives end on a failing disk.
  if (!isSynced || !endsFailing) failed += control.disarm();
  if (!isSynced) {
    const report = await manager.sync().catch((error) => ({ embeddingError: told(error), pending: 0 }));
    if (report.pending || report.embeddingError) problems.push(`no work after it, without a restart: ${JSON.stringify(report)}`);
  }
  const started = performance.now();
  await attempt(() => manager.close());
  const took = Math.round(performance.now() - started);
  if (took > CLOSE_MS) problems.push(`closing took ${took} ms`);
}

/** What does not hold when the disk works again. @param {typeof LIVES[number]} life @param {boolean} endedFailing */
async function afterwards(life, endedFailing) {
  const problems = [];
  const manager = await open();
  try {
    if (!life.isNew) {
      const [hit] = await manager.search("zanzibar", { lexicalOnly: true });
      if (hit?.path !== ANCHOR) problems.push("the last complete generation is not served");
    }
    const started = performance.now();
    const report = await manager.sync();
    const waited = Math.round(performance.now() - started);
    if (waited > (endedFailing ? TAKEN_OVER_MS : CLOSE_MS)) problems.push(`the next one had to wait ${waited} ms`);
    if (report.pending || report.embeddingError) problems.push(`not resumed: ${JSON.stringify(report)}`);
    const checks = await manager.doctor({ repair: false });
    problems.push(...checks.filter(({ ok }) => !ok).map(({ name, found }) => `${name}: ${found}`));
    const { files } = (await manager.inspect()).status;
    if (files !== FILES + 1) problems.push(`${files} files are indexed, not ${FILES + 1}`);
  } finally {
    await manager.close();
  }
  const stray = (await readdir(path.join(STATE, "memory-core-rs", "main"))).filter((name) => !EXPECTED.test(name));
  if (stray.length > 0) problems.push(`stray files: ${stray.join(", ")}`);
  return problems;
}

/** @param {typeof LIVES[number]} life @param {import("./fault-control.mjs").Fault} fault @param {number} skip */
async function round(life, fault, skip) {
  await rm(STATE, { recursive: true, force: true });
  if (!life.isNew) await cp(TEMPLATE, STATE, { recursive: true });
  /** @type {string[]} */
  const problems = [];
  const endsFailing = fault.times === 1 || skip % ENDS_FAILING === 0;
  failed = 0;
  control.arm(fault, skip);
  const errors = await live(life, endsFailing, problems);
  failed += control.disarm();
  if (fault.isHarmless) problems.push(...errors.map((error) => `it was noticed: ${told(error)}`));
  problems.push(...(await afterwards(life, endsFailing).catch((error) => [`afterwards: ${told(error)}`])));
  return problems;
}

await mkdir(path.join(WORKSPACE, "memory"), { recursive: true });
await writeFile(path.join(WORKSPACE, ANCHOR), "The quokka keeps the anchor word zanzibar.\n");
for (let n = 0; n < FILES; n++) await write(n, "first edition");
const first = await open();
await first.sync();
await first.close();
await cp(STATE, TEMPLATE, { recursive: true });
for (let n = 0; n < FILES; n += 2) await write(n, "second edition");

for (const life of LIVES) {
  for (const fault of FAULTS) {
    let rounds = 0;
    let bad = 0;
    // Syncs and truncations are few: each of them fails once.
    const [from, step] = fault.kinds & WRITES ? [Number(offset), Number(stride)] : [0, 1];
    for (let skip = from; ; skip += step) {
      const problems = await round(life, fault, skip);
      if (failed === 0) break;
      rounds++;
      bad += problems.length > 0 ? 1 : 0;
      if (problems.length > 0) console.log(JSON.stringify({ life: life.name, fault: fault.name, skip, problems }));
    }
    console.log(JSON.stringify({ life: life.name, fault: fault.name, rounds, bad }));
  }
}
provider.stop();
control.close();
