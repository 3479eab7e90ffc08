// Runs inside a command of a real host (see startup.mjs): takes the time of what is ours, without changing the package.
// Marks are put into a few of our files while the host reads them, through Node's loader or its own.

import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { performance } from "node:perf_hooks";

const result = process.env.STARTUP_PATH_RESULT;

/** Where the marks are put, in the module that is packed: after these texts. */
const MARKS = [
  { at: "\tregister(api) {", mark: "registering" },
  { at: "for (const part of parts) part(api, host);", mark: "registered" },
  { at: "async function runSearch(host, query, options) {", mark: "command" },
];

const OURS = /memory-core-rs[^/]*\/dist\/index\.js$/;

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

  /** @param {string} file @param {string} text */
  const marked = (file, text) => {
    // A host that reads it as text may hand it to Node's loader.
    if (!OURS.test(file) || text.includes("startupMark")) return text;
    mark(`read ${file}`);
    for (const { at, mark: name } of MARKS) {
      if (text.split(at).length !== 2) throw new Error(`startup-probe: ${JSON.stringify(at)} is not there once any more`);
      text = text.replace(at, () => `${at} globalThis.startupMark?.(${JSON.stringify(name)});`);
    }
    return `${text}\nglobalThis.startupMark?.("evaluated");\n`;
  };

  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const file = url.startsWith("file:") ? new URL(url).pathname : "";
      if (!OURS.test(file) || loaded.source === null || loaded.source === undefined) return loaded;
      const text = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: marked(file, text) };
    },
  });
  // Hosts that transform modules themselves read them as text.
  const readFileSync = fs.readFileSync;
  /** @type {any} */ (fs).readFileSync = (/** @type {any} */ file, /** @type {any} */ options) => {
    const text = readFileSync(file, options);
    return typeof text === "string" && typeof file === "string" ? marked(file, text) : text;
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
