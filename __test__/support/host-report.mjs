// A reporter of vitest: keeps what each suite did on each real host, run after run, in a file that no commit holds.
// `npm run hosts -- --record` makes it the record behind the README's table.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What was seen in this working copy. */
export const SEEN = path.join(root, "__test__/.tmp/hosts.json");

const SUITE = /__test__\/host\/([a-z-]+)-(\d[\d.]*)\.test\.mjs$/;

/**
 * @typedef {{passed: number, failed: number, skipped: number, day: string, commit: string}} Outcome
 * @typedef {Record<string, Record<string, Outcome>>} Outcomes By host version and suite.
 */

/** @param {string} file @returns {Outcomes} */
export const readOutcomes = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});

/** The commit that was tested; with changes that nobody committed it is named as such. */
function commit() {
  const git = (/** @type {string[]} */ ...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  try {
    return git("rev-parse", "--short=8", "HEAD") + (git("status", "--porcelain", "--untracked-files=no") ? "+" : "");
  } catch {
    return "unknown";
  }
}

export default class HostReport {
  /** @param {ReadonlyArray<import("vitest/node").TestModule>} modules */
  onTestRunEnd(modules) {
    const outcomes = readOutcomes(SEEN);
    let any = false;
    for (const module of modules) {
      const [, suite, version] = SUITE.exec(module.moduleId.replaceAll("\\", "/")) ?? [];
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const count = (/** @type {string} */ state) => states.filter((one) => one === state).length;
      // A part of a suite says nothing about the whole, and one that was skipped says nothing.
      if (!suite || states.every((state) => state === "skipped") || module.project.vitest.config.testNamePattern) continue;
      any = true;
      outcomes[version] ??= {};
      outcomes[version][suite] = {
        passed: count("passed"),
        failed: count("failed"),
        skipped: count("skipped"),
        day: new Date().toISOString().slice(0, 10),
        commit: commit(),
      };
    }
    if (!any) return;
    mkdirSync(path.dirname(SEEN), { recursive: true });
    writeFileSync(SEEN, `${JSON.stringify(outcomes, null, 2)}\n`);
  }
}
