// Runs inside a command of a real host (see startup.mjs): takes the time of what is ours, without changing the package.
// Marks are put into a few of our files while the host reads them, through Node's loader or its own.

import { writeFileSync } from "node:fs";
import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { performance } from "node:perf_hooks";

const result = process.env.STARTUP_PATH_RESULT;

/** Where the marks are put: after the first text or, with `before`, in front of it. */
const MARKS = [
  { file: "/plugin/entry.js", at: "  register(api) {", mark: "registering" },
  { file: "/plugin/entry.js", at: "for (const part of parts) part(api, host);", mark: "registered" },
  { file: "/plugin/cli/register.js", at: '(await import("./search.js"))', mark: "command", before: true },
  { file: "/lib/manager.js", at: "    checkSearch(query, options);", mark: "search" },
  { file: "/plugin/cli/search.js", at: "      if (options.json)", mark: "answer", before: true },
];

const OURS = /memory-core-rs[^/]*(?:\/.*)?\/(?:index\.js|(?:plugin|lib)\/.*\.js)$/;

if (result) {
  /** Each mark, and each file of ours, with the time when it was met. @type {[string, number][]} */
  const met = [];
  /** @type {Record<string, number>} */
  const took = {};
  const mark = (/** @type {string} */ name) => met.push([name, performance.now()]);
  /** @type {any} */ (globalThis).startupMark = mark;

  /** @param {string} file @param {string} text */
  const marked = (file, text) => {
    if (!OURS.test(file)) return text;
    mark(`read ${file}`);
    for (const { file: end, at, mark: name, before } of MARKS.filter((one) => file.endsWith(one.file))) {
      if (!text.includes(at)) throw new Error(`startup-probe: ${end} has no ${JSON.stringify(at)} any more`);
      const call = `globalThis.startupMark?.(${JSON.stringify(name)})`;
      const replacement = before ? (at.startsWith("(") ? `(${call}, ${at.slice(1)}` : `${call};\n${at}`) : `${at} ${call};`;
      text = text.replace(at, () => replacement);
    }
    return file.endsWith("/plugin/entry.js") ? `${text}\nglobalThis.startupMark?.("evaluated");\n` : text;
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
      return manager;
    };
  };

  process.once("exit", () => {
    if (met.length > 0) writeFileSync(`${result}.${process.pid}`, JSON.stringify({ met, took, total: performance.now() }));
  });
}
