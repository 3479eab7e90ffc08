// The engine that meets damaged indexes, one after another: ./damage.mjs asks by lines and gets a line back.
//   node damage-loop.mjs <folder>

import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { MemoryIndexManager } from "../../index.js";
import { startProvider } from "../support/provider.mjs";

const folder = process.argv[2];
const workspace = path.join(folder, "workspace");
const FILES = 24;
const ANCHOR = "memory/anchor.md";

const provider = await startProvider({ latencyMs: 0, counting: false });
const search = { provider: "openai-compatible", model: "m", remote: { baseUrl: provider.baseUrl } };

/** @param {string} stateDir */
const open = async (stateDir) =>
  /** @type {MemoryIndexManager} */ (
    await MemoryIndexManager.get({
      cfg: { agents: { defaults: { workspace } }, memory: { search } },
      agentId: "main",
      stateDir,
      modelPaths: [],
      env: {},
      purpose: "cli",
    })
  );

await mkdir(path.join(workspace, "memory"), { recursive: true });
await writeFile(path.join(workspace, ANCHOR), "The quokka keeps the anchor word zanzibar.\n");
for (let n = 0; n < FILES; n++) {
  const lines = Array.from({ length: 12 }, (_, line) => `- Note ${line} of file ${n}: ${`what was said about ${n * line} `.repeat(4)}`);
  await writeFile(path.join(workspace, "memory", `note-${n}.md`), lines.join("\n"));
}

/** An index as it lies on disk after closing, or in the middle of work. @param {"closed" | "open"} name */
async function make(name) {
  const state = path.join(folder, `${name}-made`);
  const manager = await open(state);
  await manager.sync();
  if (name === "open") {
    await manager.sync({ force: true });
    await cp(state, path.join(folder, name), { recursive: true });
  }
  await manager.close();
  if (name === "closed") await cp(state, path.join(folder, name), { recursive: true });
  return {};
}

/** @param {unknown} error */
const told = (error) => `${/** @type {any} */ (error)?.code ?? "no code"}: ${/** @type {any} */ (error)?.message ?? error}`;

/** What does not hold when a damaged index is used, and repaired. @param {string} state @param {string} first */
async function live(state, first) {
  /** @type {string[]} */
  const problems = [];
  /**
   * @template T
   * @param {string} doing
   * @param {() => Promise<T>} work
   * @param {boolean} [mayFail]
   */
  const attempt = async (doing, work, mayFail = false) => {
    try {
      return await work();
    } catch (error) {
      const code = /** @type {any} */ (error)?.code;
      const isStable = typeof code === "string" && /^MEM_/.test(code) && code !== "MEM_INTERNAL";
      if (!isStable || !mayFail) problems.push(`${doing}: ${told(error)}`);
      return undefined;
    }
  };
  const manager = await attempt("opening", () => open(state));
  if (!manager) return problems;
  const find = () => manager.search("zanzibar", { lexicalOnly: true });
  // What is damaged may be said to be, until it is repaired.
  if (first === "search") await attempt("searching", find, true);
  if (first === "sync") await attempt("updating", () => manager.sync(), true);
  const checks = await attempt("doctor", () => manager.doctor());
  for (const { name, ok, found } of checks ?? []) if (!ok) problems.push(`doctor did not mend ${name}: ${found}`);
  const report = await attempt("updating afterwards", () => manager.sync());
  if (report?.pending || report?.embeddingError) problems.push(`not complete afterwards: ${JSON.stringify(report)}`);
  const hits = await attempt("searching afterwards", find);
  if (hits && hits[0]?.path !== ANCHOR) problems.push("the note is not found afterwards");
  const again = await attempt("doctor again", () => manager.doctor({ repair: false }));
  for (const { name, ok, found } of again ?? []) if (!ok && name !== "leftovers") problems.push(`still wrong: ${name}: ${found}`);
  await attempt("closing", () => manager.close());
  return problems;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { make: name, live: state, first } = JSON.parse(line);
  console.log(JSON.stringify(name ? await make(name) : { problems: await live(state, first) }));
}
provider.stop();
