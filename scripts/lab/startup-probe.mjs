// Runs inside a command of a real host (see startup.mjs): takes the time of what is ours, without changing the package.
// Marks are put behind our module while the host reads it, through Node's loader or its own.

import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { performance } from "node:perf_hooks";

const result = process.env.STARTUP_PATH_RESULT;

/** What stands behind each module that is packed, whose own lines stay as they are: reading them takes time that is not ours. */
const MARKS = {
  "index.js": `
{
  const mark = globalThis.startupMark;
  const { register } = loader_default;
  loader_default.register = (api) => {
    mark("registering");
    register.call(loader_default, api);
    mark("registered");
  };
  mark("evaluated");
}
`,
  "plugin.cjs": `
{
  const search = runSearch;
  runSearch = (...args) => {
    globalThis.startupMark("command");
    return search(...args);
  };
}
`,
};

const OURS = /memory-core-rs.*\/dist\/(?:node_modules\/memory-core-rs-plugin\/)?(index\.js|plugin\.cjs)$/;

/** What hosts copy a plugin's package to before they load it: a folder of its own each time. */
const COPY = /plugin-captures\/.*?\/(openclaw-plugin-build-[^/]+)\/.*memory-core-rs/;

if (result) {
  /** Each mark with the time when it was met and the processor's time until then, in milliseconds. @type {[string, number, number][]} */
  const met = [];
  /** @type {Record<string, number>} */
  const took = {};
  const mark = (/** @type {string} */ name) => met.push([name, performance.now(), processorMs()]);
  // Of this thread, where Node can tell: others' work at the same time is none of loading a module.
  const processorMs = () => {
    const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
    return (user + system) / 1000;
  };
  /** @type {any} */ (globalThis).startupMark = mark;

  /** What belongs behind a module. @param {string} file */
  const marksOf = (file) => {
    const name = /** @type {keyof typeof MARKS | undefined} */ (OURS.exec(file)?.[1]);
    if (!name) return undefined;
    if (name === "index.js") mark(`read ${file}`);
    return MARKS[name];
  };

  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const { source } = loaded;
      const marks = source && url.startsWith("file:") ? marksOf(new URL(url).pathname) : undefined;
      if (!source || !marks) return loaded;
      // A host that read it as text, below, may hand it to Node's loader.
      if (typeof source === "string") return { ...loaded, source: source.endsWith(marks) ? source : source + marks };
      return { ...loaded, source: Buffer.concat([/** @type {Uint8Array} */ (source), Buffer.from(marks)]) };
    },
  });
  // Hosts that transform modules themselves read them as text.
  const readFileSync = fs.readFileSync;
  /** @type {any} */ (fs).readFileSync = (/** @type {any} */ file, /** @type {any} */ options) => {
    const text = readFileSync(file, options);
    return typeof text === "string" && typeof file === "string" ? text + (marksOf(file) ?? "") : text;
  };
  /** @type {Set<string>} */
  const copies = new Set();
  const writeFileSync = fs.writeFileSync;
  /** @type {any} */ (fs).writeFileSync = (/** @type {any} */ file, /** @type {any[]} */ ...more) => {
    const copy = COPY.exec(String(file))?.[1];
    if (copy && !copies.has(copy)) {
      copies.add(copy);
      mark("copying");
    }
    return /** @type {any} */ (writeFileSync)(file, ...more);
  };
  syncBuiltinESMExports();

  const dlopen = process.dlopen;
  process.dlopen = (module, file, ...more) => {
    const started = performance.now();
    dlopen(module, file, ...more);
    if (!String(file).includes("memory-core-rs")) return;
    took.dlopen = performance.now() - started;
    const exports = /** @type {any} */ (module).exports;
    const { openManager } = exports;
    exports.openManager = async (/** @type {any[]} */ ...args) => {
      const from = performance.now();
      const manager = await openManager(...args);
      took.open = performance.now() - from;
      const search = manager.search;
      manager.search = async (/** @type {any[]} */ ...asked) => {
        mark("search");
        const found = await search.apply(manager, asked);
        mark("answer");
        return found;
      };
      return manager;
    };
  };

  process.once("exit", () => {
    if (met.length > 0) fs.writeFileSync(`${result}.${process.pid}`, JSON.stringify({ met, took, total: performance.now() }));
  });
}
